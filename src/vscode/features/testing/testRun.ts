import * as vscode from 'vscode';
import { UserError, messageOf } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import type * as Testing from '../../../core/testing/onDemand.js';
import type { CaseResult, TestEra, TestFile } from '../../../core/testing/testModel.js';
import type { TestServer } from '../../../core/testing/testServer.js';
import { traceViewId } from '../../manifest.js';
import { debugPlanFor } from '../../ui/debugPlan.js';
import type { ExtensionServices } from '../../ui/services.js';
import { testPorts } from '../../ui/testPorts.js';
import type { RunConsent } from './runConsent.js';
import type { TestItems } from './testItems.js';
import { folderOf } from './testItems.js';

export type TestServices = Pick<
  ExtensionServices,
  'consent' | 'host' | 'ports' | 'requests' | 'schemas' | 'switches' | 'tests' | 'trace'
>;

/** How tests run. `update` stores the snapshots. */
export type RunMode = 'run' | 'debug' | 'trace' | 'update';

/** The chosen cases of one file: all of them, or names with the eras in which they run (undefined: all eras). */
interface ChosenFile {
  item: vscode.TestItem;
  cases: Map<string, Set<TestEra> | undefined> | undefined;
}

/** The value of `contextValue` of a failed snapshot, for the menu of the message. */
const snapshotContext = 'mcpDeck.snapshot';

/**
 * One run of the Test Explorer: runs the chosen files one after another, each with a separate instance of its server.
 */
export class TestRun {
  private readonly run: vscode.TestRun;
  private readonly aborted = new AbortController();
  /** The item of the case that runs now, for the output. */
  private current: vscode.TestItem | undefined;

  constructor(
    private readonly deck: TestServices,
    private readonly items: TestItems,
    private readonly consent: RunConsent,
    private readonly mode: RunMode,
    private readonly options: {
      controller: vscode.TestController;
      request: vscode.TestRunRequest;
      testing: typeof Testing;
    },
  ) {
    this.run = options.controller.createTestRun(options.request);
  }

  /** Runs everything that was requested. Never rejects; failures are part of the results. */
  async start(token: vscode.CancellationToken): Promise<void> {
    const cancel = () => this.aborted.abort();
    const listening = [token.onCancellationRequested(cancel), this.run.token.onCancellationRequested(cancel)];
    if (token.isCancellationRequested) cancel();
    try {
      await this.runFiles();
    } catch (error) {
      this.line(messageOf(error));
    } finally {
      for (const one of listening) one.dispose();
      this.run.end();
    }
  }

  private async runFiles(): Promise<void> {
    const files: { chosen: ChosenFile; test: TestFile }[] = [];
    for (const chosen of await this.chosen()) {
      const test = await this.items.read(chosen.item);
      if (test) files.push({ chosen, test });
      else
        this.run.errored(
          chosen.item,
          new vscode.TestMessage(typeof chosen.item.error === 'string' ? chosen.item.error : ''),
        );
    }
    for (const { chosen, test } of files) for (const item of this.waiting(chosen, test)) this.run.enqueued(item);
    if (!vscode.workspace.isTrusted)
      return this.refuse(files, vscode.l10n.t('Tests do not run in Restricted Mode. Trust this workspace first.'));
    if (files.length === 0) return;
    const refusal = await this.consent.ask(files.map(({ test }) => test));
    if (refusal !== undefined) return this.refuse(files, refusal);
    for (const { chosen, test } of files) await this.runFile(chosen, test);
  }

  private async runFile(chosen: ChosenFile, test: TestFile): Promise<void> {
    const { deck, mode } = this;
    const { caseLines, testActionsOf, runTestFile } = this.options.testing;
    const shownTools = new Set(testActionsOf(test).tools);
    const window = { entries: deck.host.servers.list().map(({ entry }) => entry), switches: deck.switches };
    let isFirst = true;
    for (const era of test.eras) {
      if (this.aborted.signal.aborted) return;
      if (![...this.names(chosen, test)].some((name) => runsIn(chosen, name, era))) continue;
      this.line(`${visibleLine(vscode.workspace.asRelativePath(test.file), 300)}${era === 'auto' ? '' : ` (${era})`}`);
      const result = await runTestFile(test, era, {
        ports: testPorts(deck, {
          isOwnServer: test.server !== undefined && 'definition' in test.server,
          isTraced: mode === 'trace',
          output: (server, line) => this.serverLine(server, line),
        }),
        folder: folderOf(vscode.Uri.file(test.file)),
        checkSchema: deck.schemas.checkOutput,
        signal: this.aborted.signal,
        shownTools,
        window,
        // The question before the run names the variables.
        confirmVariables: () => Promise.resolve(true),
        // All eras share the snapshots, which the first one stores.
        isUpdating: mode === 'update' && isFirst,
        filter: ({ name }) => runsIn(chosen, name, era),
        onStart: ({ name }) => this.begin(chosen.item, name, era),
        onCase: (one) => {
          for (const line of caseLines(one)) this.line(line);
          this.report(chosen.item, one);
          return !this.aborted.signal.aborted;
        },
        onEnd: (server) => this.ended(server),
        ...(mode === 'debug' ? { debug: (server) => debugOf(server) } : {}),
      });
      this.current = undefined;
      isFirst = false;
      if (result.startFailure !== undefined) this.line(vscode.l10n.t('The server did not start.'));
    }
  }

  private begin(file: vscode.TestItem, name: string, era: TestEra): void {
    this.current = this.items.resultItem(file, name, era);
    if (this.current) this.run.started(this.current);
  }

  private report(file: vscode.TestItem, one: CaseResult): void {
    const item = this.items.resultItem(file, one.name, one.era);
    if (!item) return;
    if (one.status === 'skipped') return this.run.skipped(item);
    if (one.status === 'passed') return this.run.passed(item, one.durationMs);
    this.run.failed(
      item,
      one.failures.map((failure) => this.message(item, failure)),
      one.durationMs,
    );
  }

  /** Shows the trace of a server before its host closes. */
  private ended({ host, id }: TestServer): void {
    const log = this.mode === 'trace' ? host.traces.log(id) : undefined;
    if (!log) return;
    const reading = { log, server: id, badLines: 0, lines: log.end, isCut: false };
    this.deck.trace.showFile(vscode.l10n.t('{0} (test run)', id), reading, host.servers.secretValues(id));
    void vscode.commands.executeCommand(`${traceViewId}.focus`);
  }

  private refuse(files: readonly { chosen: ChosenFile; test: TestFile }[], text: string): void {
    this.line(text);
    for (const { chosen, test } of files)
      for (const item of this.waiting(chosen, test)) this.run.errored(item, new vscode.TestMessage(text));
  }

  /** The files and cases of the request. */
  private async chosen(): Promise<ChosenFile[]> {
    const { include, exclude = [] } = this.options.request;
    if (!include) await this.items.discover();
    const files = new Map<vscode.TestItem, ChosenFile>();
    for (const item of include ?? this.items.files) {
      const meaning = this.items.meaningOf(item);
      if (!meaning || exclude.includes(item)) continue;
      const file = this.items.fileItem(meaning.uri);
      const known = files.get(file);
      if (meaning.kind === 'file') {
        files.set(file, { item: file, cases: undefined });
        continue;
      }
      // The whole file is already chosen.
      if (known && !known.cases) continue;
      const cases = known?.cases ?? new Map<string, Set<TestEra> | undefined>();
      const eras = cases.get(meaning.name);
      if (meaning.era === undefined) cases.set(meaning.name, undefined);
      else if (eras || !cases.has(meaning.name)) cases.set(meaning.name, new Set([...(eras ?? []), meaning.era]));
      files.set(file, { item: file, cases });
    }
    return [...files.values()].map((one) => this.withoutExcluded(one, exclude));
  }

  private withoutExcluded(chosen: ChosenFile, exclude: readonly vscode.TestItem[]): ChosenFile {
    const excluded = exclude.flatMap((item) => {
      const meaning = this.items.meaningOf(item);
      return meaning?.kind === 'case' && this.items.fileItem(meaning.uri) === chosen.item ? [meaning] : [];
    });
    if (excluded.length === 0) return chosen;
    const test = this.items.testOf(chosen.item.uri ?? vscode.Uri.file(''));
    const cases = new Map(chosen.cases ?? test?.tests.map(({ name }) => [name, undefined] as const));
    for (const { name, era } of excluded) {
      const eras = cases.get(name) ?? new Set(test?.eras ?? []);
      if (!cases.has(name)) continue;
      eras.delete(era ?? 'auto');
      if (era === undefined || eras.size === 0) cases.delete(name);
      else cases.set(name, eras);
    }
    return { ...chosen, cases };
  }

  private names(chosen: ChosenFile, test: TestFile): Iterable<string> {
    return chosen.cases?.keys() ?? test.tests.map(({ name }) => name);
  }

  private waiting(chosen: ChosenFile, test: TestFile): vscode.TestItem[] {
    return [...this.names(chosen, test)].flatMap((name) =>
      test.eras
        .filter((era) => runsIn(chosen, name, era))
        .flatMap((era) => this.items.resultItem(chosen.item, name, era) ?? []),
    );
  }

  private line(text: string): void {
    this.run.appendOutput(this.options.testing.outputText(text));
  }

  private serverLine(server: string, line: string): void {
    this.run.appendOutput(`${this.options.testing.serverLine(server, line)}\r\n`, undefined, this.current);
  }

  /** Converts a failure to a message at the key of its expectation. */
  private message(item: vscode.TestItem, failure: CaseResult['failures'][number]): vscode.TestMessage {
    const { text, line, character, expected, actual, isSnapshot } = this.options.testing.testFailureMessage(failure);
    const message =
      expected !== undefined && actual !== undefined
        ? vscode.TestMessage.diff(text, expected, actual)
        : new vscode.TestMessage(text);
    if (item.uri) message.location = new vscode.Location(item.uri, new vscode.Position(line, character));
    if (isSnapshot) message.contextValue = snapshotContext;
    return message;
  }
}

function runsIn({ cases }: ChosenFile, name: string, era: TestEra): boolean {
  return !cases || (cases.has(name) && cases.get(name)?.has(era) !== false);
}

async function debugOf({ host, id }: TestServer) {
  const view = host.servers.get(id);
  const plan = view && (await debugPlanFor(view, false));
  if (plan === undefined || plan === 'noDebugger')
    throw new UserError(
      vscode.l10n.t(
        'The server cannot be debugged, because the extension of its debugger is not installed or is disabled.',
      ),
    );
  return plan;
}

import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import { HostError, isCancelled, messageOf } from '../../../core/base/hostError.js';
import { visibleLine, visibleText } from '../../../core/base/hostileText.js';
import { withProgress } from '../../adapters/userMessages.js';
import { itemTags } from '../../ui/testController.js';
import type { ExtensionServices } from '../../ui/services.js';

/** Why a part of a check did not pass, with links to web pages about the reason. */
export interface CheckMessage {
  text: string;
  links?: readonly string[];
}

/** Receives the results of a check while it runs. */
export interface CheckReport {
  readonly signal: AbortSignal;
  /** Shows what the check does now. */
  readonly progress: (text: string) => void;
  /** Adds a line to the output of the check or, if `part` is given, of the part with this name. */
  readonly line: (text: string, part?: string) => void;
  readonly started: (part: string) => void;
  /** A part has no result if its status is `skipped`. */
  readonly ended: (part: string, status: 'passed' | 'failed' | 'skipped', messages?: readonly CheckMessage[]) => void;
}

/** A check of a server that has several parts: scenarios or tools. */
export interface ServerCheck {
  /** Unique among all checks of the window. */
  id: string;
  /** The label of the item. */
  label: string;
  /** The title of the progress notification. */
  progress: string;
  /** Asks the user, and then runs the check. @param parts the parts to run; empty: all. */
  readonly again: (parts: readonly string[]) => Promise<void>;
}

/** Maximum number of parts of a check. A limit is needed, because a server decides how many tools it lists. */
const maxParts = 2_000;

/** The checks of servers in the Test Explorer. Each check is an item, and its parts are the children of the item. */
export class CheckTests implements Disposable {
  private readonly store = new DisposableStore();
  private readonly checks = new WeakMap<vscode.TestItem, ServerCheck>();
  private profile: vscode.TestRunProfile | undefined;

  constructor(private readonly deck: Pick<ExtensionServices, 'funnel' | 'tests'>) {}

  dispose(): void {
    this.store.dispose();
  }

  /** Runs a check that the user agreed to. Rejects with the failure of `work`, or with `cancelled`. */
  async run(check: ServerCheck, parts: readonly string[], work: (report: CheckReport) => Promise<void>): Promise<void> {
    const { controller } = this.deck.tests;
    const item = controller.items.get(check.id) ?? controller.createTestItem(check.id, visibleLine(check.label, 200));
    item.tags = [itemTags.check];
    this.checks.set(item, check);
    controller.items.add(item);
    if (parts.length === 0) item.children.replace([]);
    const run = controller.createTestRun(new vscode.TestRunRequest([item], undefined, this.runProfile()));
    const location = vscode.ProgressLocation.Notification;
    try {
      await withProgress({ location, title: check.progress, cancellable: true }, (progress, token) =>
        this.watched(run, token, (signal) => work(this.report({ run, item, signal, progress }))),
      );
    } catch (error) {
      if (!isCancelled(error)) run.errored(item, new vscode.TestMessage(messageOf(error)));
      throw error;
    } finally {
      run.end();
    }
  }

  /** Runs work that both the notification and the Test Explorer can cancel. */
  private async watched(
    run: vscode.TestRun,
    token: vscode.CancellationToken,
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const abort = new AbortController();
    const cancel = () => abort.abort(new HostError('cancelled', 'The check was canceled.'));
    const listeners = [token, run.token].map((one) => one.onCancellationRequested(cancel));
    try {
      await work(abort.signal);
    } finally {
      for (const listener of listeners) listener.dispose();
    }
  }

  private report({
    run,
    item,
    signal,
    progress,
  }: {
    run: vscode.TestRun;
    item: vscode.TestItem;
    signal: AbortSignal;
    progress: vscode.Progress<{ message?: string }>;
  }): CheckReport {
    const child = (name: string) => this.part(item, name);
    return {
      signal,
      progress: (text) => progress.report({ message: text }),
      line: (text, part) => {
        const shown = visibleText(text, 4_000).replaceAll(/\r?\n/g, '\r\n');
        run.appendOutput(`${shown}\r\n`, undefined, part === undefined ? undefined : child(part));
      },
      started: (part) => {
        const one = child(part);
        if (one) run.started(one);
      },
      ended: (part, status, messages = []) => {
        const one = child(part);
        if (!one) return;
        if (status === 'failed') run.failed(one, messages.map(testMessage));
        else run[status](one);
      },
    };
  }

  private part(item: vscode.TestItem, name: string): vscode.TestItem | undefined {
    const known = item.children.get(name);
    if (known || item.children.size >= maxParts) return known;
    const part = this.deck.tests.controller.createTestItem(name, visibleLine(name, 200));
    part.tags = [itemTags.check];
    item.children.add(part);
    return part;
  }

  private runProfile(): vscode.TestRunProfile {
    if (this.profile) return this.profile;
    const label = vscode.l10n.t('Check Again');
    const { Run } = vscode.TestRunProfileKind;
    const handler = ({ include }: vscode.TestRunRequest) => this.runAgain(include ?? []);
    this.profile = this.deck.tests.controller.createRunProfile(label, Run, handler, false, itemTags.check);
    return this.store.add(this.profile);
  }

  /** Runs checks again, one after the other. Each check asks the user first, because any program can start tests. */
  private async runAgain(items: readonly vscode.TestItem[]): Promise<void> {
    const chosen = new Map<ServerCheck, string[]>();
    for (const item of items) {
      const check = this.checks.get(item.parent ?? item);
      if (!check) continue;
      const parts = chosen.get(check);
      // The item of the whole check has no parent.
      if (!item.parent || items.includes(item.parent)) chosen.set(check, []);
      else chosen.set(check, [...(parts ?? []), item.id]);
    }
    for (const [check, parts] of chosen)
      await check.again(parts).catch((error: unknown) => this.deck.funnel.show(error));
  }
}

/** The message of a failure. Its text is not Markdown, because it can come from a server. */
function testMessage({ text, links = [] }: CheckMessage): vscode.TestMessage {
  if (links.length === 0) return new vscode.TestMessage(visibleText(text, 4_000));
  const shown = new vscode.MarkdownString().appendText(visibleText(text, 4_000));
  for (const link of links) shown.appendMarkdown(`\n\n[${vscode.l10n.t('Specification')}](${link})`);
  return new vscode.TestMessage(shown);
}

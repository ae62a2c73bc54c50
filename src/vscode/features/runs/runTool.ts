import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import { messageOf } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import type { HostApi } from '../../../core/host/hostApi.js';
import { needsNoArguments, needsPanel, planArguments } from '../../../core/present/form/argumentSteps.js';
import { argumentsLine, elapsedText } from '../../../core/present/text/runTexts.js';
import { callRow } from '../../../core/present/chat/callLine.js';
import { toolPickRows } from '../../../core/present/chat/toolPick.js';
import { problemLines } from '../../../core/present/form/schemaProblems.js';
import { toolResultModel } from '../../../core/present/result/makeResultModel.js';
import { presentToolResult, toolErrorText } from '../../../core/present/result/toolResult.js';
import type { CallToolResult, Tool } from '../../../core/protocol/mcp.js';
import { resultOf } from '../../../core/runs/userRun.js';
import type { SchemaProblem, SchemaValidator } from '../../../core/schema/schemaValidator.js';
import type { DoneResult } from '../../../shared/result/resultModel.js';
import type { FailureExtra } from '../../ui/commandFunnel.js';
import { concerning } from '../../ui/commandFunnel.js';
import type { RunStarter } from '../../ui/commandCalls.js';
import { asksOnlyForStarter, callerOf, starterOf } from '../../ui/commandCalls.js';
import type { ExtensionServices, Feature } from '../../ui/services.js';
import type { ArgumentObject, Invocation } from '../../ui/invocation.js';
import { commandIds, panelTypes } from '../../manifest.js';
import type { SavedCall } from '../../ui/chooseRun.js';
import { askArguments } from '../../ui/argumentDialog.js';
import { namedServer } from '../../ui/chooseServer.js';
import type { Picked } from '../../ui/pickTarget.js';
import { pickTarget, startVisibly } from '../../ui/pickTarget.js';
import { showRunProgress } from '../../ui/runProgress.js';
import { ScriptCalls } from '../../ui/scripting.js';
import { misfitNotes, toolRun } from '../../ui/toolRun.js';
import { showInformation } from '../../adapters/userMessages.js';

/** The services that this file needs. */
type Services = Pick<
  ExtensionServices,
  'consent' | 'funnel' | 'host' | 'log' | 'requests' | 'results' | 'runLog' | 'runs' | 'schemas' | 'toolPanels'
>;

/** After this time, in milliseconds, a result does not take the focus if the user has moved to another editor. */
const awayAfterMs = 3_000;

export const runToolCommands: Feature = {
  name: 'run tool commands',
  register(deck): Disposable {
    const store = new DisposableStore();
    const runner = new ToolRunner(deck);
    store.add(deck.commands.defineCommand(commandIds.runTool, (invocation) => runner.command(invocation)));
    store.add(deck.commands.defineCommand(commandIds.runLastTool, (invocation) => runner.again(invocation)));
    return store;
  },
};

interface Target {
  server: string;
  tool: string;
}

/** A call whose result is shown. Without `model`, the result opens as a document instead of a page. */
interface ShownCall extends Target {
  arguments?: Record<string, unknown>;
  model?: DoneResult;
}

/**
 * "Run Tool…": asks for the tool and its arguments, runs the tool, and shows the result. For a script, runs the tool
 * and returns the result, which is shown only if `show` is true.
 */
export class ToolRunner {
  private readonly host: Pick<HostApi, 'servers' | 'lifecycle' | 'calls'>;
  private readonly scripts: ScriptCalls;

  constructor(private readonly deck: Services) {
    this.host = deck.host;
    this.scripts = new ScriptCalls(deck.host, deck.schemas);
  }

  /**
   * Runs a tool. A script receives the result, which is shown only if `show` is true. If a script passes no `arguments`
   * and the tool requires some, the user is asked for them, so that a keybinding can run any tool.
   */
  async command(invocation: Invocation<'runTool'>): Promise<CallToolResult | undefined> {
    const { call, target } = invocation;
    if (!call) {
      if (target?.server !== undefined && target.tool !== undefined)
        return this.runInteractively({ server: target.server, tool: target.tool }, starterOf(invocation));
      return this.runPicked(await this.pick(target?.server));
    }
    if (call.arguments === undefined && typeof call.tool === 'string') {
      const { id, state } = namedServer(this.host.servers, call.server);
      if (state.kind !== 'running') await this.host.lifecycle.start(id, { interactive: false });
      const tool = await this.host.calls.findTool(id, call.tool);
      if (planArguments(tool.inputSchema).required.length > 0)
        return this.runInteractively({ server: id, tool: tool.name }, 'script');
    }
    return call.show === true ? this.runAndShow(call) : this.scripts.runTool(call, { caller: 'script' });
  }

  /**
   * Runs the tool for a script and shows the result. A shown run is also recorded in the history. Returns the result or
   * throws the original error.
   */
  private async runAndShow(call: ArgumentObject<'runTool'>): Promise<CallToolResult> {
    const { server, tool, arguments: values } = await this.scripts.readyToRun(call);
    const toolCall = { server, tool: tool.name, arguments: values };
    const run = toolRun(this.deck, {
      call: () => ({ ...toolCall, schema: tool.inputSchema }),
      perform: () => this.host.calls.runTool(toolCall, { caller: 'script' }),
    });
    const result = resultOf(await run.run());
    await this.show(result, { server, tool: tool.name }, []);
    return result;
  }

  /**
   * Repeats the last call with the same arguments. Asks for arguments if the stored ones do not match the schema of the
   * tool, and for a tool if there is no last call or its server is no longer configured.
   */
  async again(invocation: Invocation): Promise<CallToolResult | undefined> {
    const last = this.deck.runs.last();
    if (!last || !this.host.servers.get(last.server)) return this.runPicked(await this.pick(undefined));
    const given = argumentsLine(last.arguments);
    vscode.window.setStatusBarMessage(
      given === ''
        ? vscode.l10n.t('Repeating "{0}" of "{1}"', visibleLine(last.tool, 80), visibleLine(last.server, 60))
        : vscode.l10n.t(
            'Repeating "{0}" of "{1}" with {2}',
            visibleLine(last.tool, 80),
            visibleLine(last.server, 60),
            given,
          ),
      5_000,
    );
    const tool = await this.find(last);
    const problems = (await this.deck.schemas.load()).check(tool.inputSchema, last.arguments).problems;
    return problems.length > 0
      ? this.runInteractively(last, starterOf(invocation))
      : this.run(last, tool, last.arguments, starterOf(invocation));
  }

  /**
   * Repeats a stored call. If arguments are missing or no longer valid, opens the panel of the tool with the stored
   * arguments instead.
   */
  async repeat(
    { server, tool: name, arguments: values, omitted }: SavedCall,
    starter: RunStarter,
  ): Promise<CallToolResult | undefined> {
    const target = { server: namedServer(this.host.servers, server).id, tool: name };
    const tool = await this.find(target);
    const { problems } = (await this.deck.schemas.load()).check(tool.inputSchema, values);
    if (omitted.length === 0 && problems.length === 0) return this.run(target, tool, values, starter);
    this.deck.toolPanels.open(target, { values, isByUser: starter === 'user' });
    return undefined;
  }

  private async pick(server: string | undefined): Promise<Picked> {
    const { history } = this.deck.runLog;
    await history.whenRead();
    const views = () => this.host.servers.list().filter(({ id }) => server === undefined || id === server);
    return pickTarget(this.host, {
      title: vscode.l10n.t('Run Tool'),
      placeholder: vscode.l10n.t(
        'Type words from the server, name, or description, or type a call: {0}',
        'server.tool {…}',
      ),
      noneMessage: vscode.l10n.t('No server is configured. To add a server, run "MCP Deck: Add Server…".'),
      rows: () => toolPickRows(views(), this.deck.runs.recent(), Date.now(), history.favourites()),
      typed: (text, redraw) =>
        callRow(text, views(), (tool, values) => {
          const validator = this.deck.schemas.load();
          if (!(validator instanceof Promise)) return problemsOf(validator, tool, values);
          // Until the validator is loaded, the arguments are accepted. They are checked again before the run.
          void validator.then(redraw);
          return undefined;
        }),
    });
  }

  /**
   * Runs what the user selected: a favorite, a call that was typed in full, or a tool after asking for its arguments.
   */
  private runPicked({ server, name, favourite, arguments: values }: Picked): Promise<CallToolResult | undefined> {
    const saved = favourite === undefined ? undefined : this.deck.runLog.history.favourite(favourite);
    if (saved) return this.repeat(saved, 'user');
    if (values) return this.repeat({ server, tool: name, arguments: values, omitted: [] }, 'user');
    return this.runInteractively({ server, tool: name }, 'user');
  }

  private async find({ server, tool }: Target): Promise<Tool> {
    await startVisibly(this.host, server);
    return concerning(server, this.host.calls.findTool(server, tool));
  }

  /**
   * Asks for the arguments and runs the tool, or opens the panel of the tool if input boxes cannot ask for them. The
   * user who enters the arguments is the caller, no matter who started the command.
   */
  private async runInteractively(target: Target, starter: RunStarter): Promise<CallToolResult | undefined> {
    const tool = await this.find(target);
    const plan = planArguments(tool.inputSchema);
    if (needsPanel(plan, tool.annotations)) {
      this.deck.toolPanels.open(target, { isByUser: starter === 'user' });
      return undefined;
    }
    if (needsNoArguments(plan)) {
      if (!asksOnlyForStarter(this.deck, starter, { ...target, arguments: {} }))
        return this.run(target, tool, {}, starter);
      this.deck.toolPanels.open(target, { isByUser: starter === 'user' });
      return undefined;
    }
    return this.run(
      target,
      tool,
      await this.ask(target, tool, this.deck.runs.argumentsOf(target.server, target.tool) ?? {}, []),
      'user',
    );
  }

  private async ask(
    { server }: Target,
    tool: Tool,
    initial: Record<string, unknown>,
    problems: readonly SchemaProblem[],
  ): Promise<Record<string, unknown>> {
    const validator = await this.deck.schemas.load();
    return askArguments({
      title: `${visibleLine(tool.title ?? tool.name, 80)} — ${visibleLine(server, 80)}`,
      schema: tool.inputSchema,
      initial,
      problems,
      check: (values) => validator.check(tool.inputSchema, values).problems,
    });
  }

  /** Runs the tool and shows the result. After a failure, offers to edit the arguments. */
  private async run(
    target: Target,
    tool: Tool,
    values: Record<string, unknown>,
    starter: RunStarter,
  ): Promise<CallToolResult | undefined> {
    const caller = await callerOf(this.deck, starter, { ...target, arguments: values });
    this.remember(target, tool, values);
    const call = { ...target, arguments: values };
    const run = toolRun(this.deck, {
      call: () => ({ ...call, schema: tool.inputSchema }),
      perform: ({ signal, onProgress, onRemark, onAsk, onOutputProblems }) =>
        concerning(
          target.server,
          this.host.calls.runTool(call, {
            interactive: true,
            signal,
            onProgress,
            onRemark,
            onAsk,
            onOutputProblems,
            ...caller,
          }),
        ),
    });
    const attention = new Attention();
    const extras = this.afterFailure(target, tool, values, starter);
    try {
      const end = await showRunProgress(
        vscode.l10n.t('Running "{0}"', visibleLine(tool.title ?? tool.name, 80)),
        run,
        this.deck.requests.owners.waitsOf(target.server, target.tool),
      );
      if (end.kind === 'done') {
        const { result, problems, durationMs } = end;
        const request = { method: 'tools/call', params: { name: target.tool, arguments: values } };
        const model = toolResultModel(result, { id: run.id, request, durationMs, problems, ...run.recorded });
        // For a script, such as a keybinding with arguments, the result opens as a document, as with `show: true`.
        const shown = starter === 'script' ? call : { ...call, model };
        await this.conclude(result, shown, tool.title ?? tool.name, problems, durationMs, attention, extras);
        return result;
      }
      // A script receives the original error.
      if (starter === 'script') return resultOf(end);
      const subject = vscode.l10n.t('"{0}" of "{1}"', visibleLine(target.tool, 80), visibleLine(target.server, 80));
      // The funnel adds the buttons for the kind of failure.
      if (end.kind === 'failed')
        this.deck.funnel.show(end.error, target.server, { extras: extras.slice(0, 1), subject });
      return undefined;
    } finally {
      attention.dispose();
    }
  }

  private async conclude(
    result: CallToolResult,
    target: ShownCall,
    title: string,
    problems: readonly string[],
    ms: number,
    attention: Attention,
    extras: readonly FailureExtra[],
  ): Promise<void> {
    const notes = misfitNotes(problems);
    const time = ms < 1_000 ? vscode.l10n.t('{0} ms', Math.round(ms)) : elapsedText(ms);
    const name = visibleLine(title, 80);
    if (ms > awayAfterMs && attention.isElsewhere) {
      const open = vscode.l10n.t('Show Result');
      const message =
        result.isError === true
          ? vscode.l10n.t('"{0}" reported an error after {1}.', name, time)
          : vscode.l10n.t('"{0}" finished after {1}.', name, time);
      void showInformation(message, open).then((chosen) =>
        chosen === open ? this.show(result, target, notes) : undefined,
      );
      return;
    }
    await this.show(result, target, notes);
    if (result.isError !== true) vscode.window.setStatusBarMessage(vscode.l10n.t('"{0}" took {1}', name, time), 5_000);
    // A panel shows the error itself, with buttons that repeat the run and edit its arguments.
    else if (!target.model) this.deck.funnel.tell('error', toolErrorText(result, target), extras);
  }

  private async show(
    result: CallToolResult,
    { arguments: values, model, ...target }: ShownCall,
    notes: readonly string[],
  ): Promise<void> {
    if (model) this.deck.toolPanels.open(target, { run: { arguments: values ?? {}, model } });
    else await this.deck.results.open(presentToolResult(result, { ...target, notes }));
  }

  /**
   * The buttons of the message about a failure. "Run Again" repeats the run of a script as a script. After any other
   * run, its starter is unknown, because any program can press the button of a notification.
   */
  private afterFailure(
    target: Target,
    tool: Tool,
    values: Record<string, unknown>,
    starter: RunStarter,
  ): FailureExtra[] {
    const follow = (work: () => Promise<unknown>) => () => {
      work().catch((error: unknown) => this.deck.funnel.show(error, target.server));
    };
    const repeater = starter === 'script' ? 'script' : 'unknown';
    const again = { title: vscode.l10n.t('Run Again'), run: follow(() => this.run(target, tool, values, repeater)) };
    if (needsNoArguments(planArguments(tool.inputSchema))) return [again];
    return [
      {
        title: vscode.l10n.t('Edit Arguments'),
        run: follow(async () => this.run(target, tool, await this.ask(target, tool, values, []), 'user')),
      },
      again,
    ];
  }

  /** Stores the arguments for the next run. A failure is only logged, because it does not affect the current run. */
  private remember({ server, tool: name }: Target, tool: Tool, values: Record<string, unknown>): void {
    const call = { server, tool: name, arguments: values };
    this.deck.runs
      .remember(call, this.deck.runLog.keepable({ ...call, schema: tool.inputSchema }).arguments)
      .catch((error: unknown) => this.deck.log.write('warn', `The run could not be remembered: ${messageOf(error)}`));
  }
}

/** The problems of typed arguments on one line. */
function problemsOf(validator: SchemaValidator, tool: Tool, values: Record<string, unknown>): string | undefined {
  const { problems } = validator.check(tool.inputSchema, values);
  return problems.length === 0 ? undefined : problemLines(problems, 3);
}

/** Detects whether the user has moved to another editor since this object was created. */
class Attention implements Disposable {
  isElsewhere = false;
  private readonly store = new DisposableStore();

  constructor() {
    // Ignore the pages of requests from servers, and the return to the previous editor when such a page closes.
    let isAnswering = false;
    const noteTab = () => (isAnswering ||= isRequestActive());
    this.store.add(vscode.window.tabGroups.onDidChangeTabs(noteTab));
    this.store.add(
      vscode.window.onDidChangeTextEditorSelection(({ kind }) => (this.isElsewhere ||= kind !== undefined)),
    );
    this.store.add(
      vscode.window.onDidChangeActiveTextEditor((editor) => {
        // There is no active editor while VS Code switches editors, and while a page is active.
        if (!editor) return void noteTab();
        this.isElsewhere ||= !isAnswering;
        isAnswering = false;
      }),
    );
  }

  dispose(): void {
    this.store.dispose();
  }
}

/** Whether the active tab is the page of a request. VS Code adds a prefix to the type of a webview. */
function isRequestActive(): boolean {
  const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  return input instanceof vscode.TabInputWebview && input.viewType.endsWith(panelTypes.request);
}

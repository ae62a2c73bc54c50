import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import { messageOf } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { runLine } from '../../../core/runs/runNodes.js';
import { toolTitle, toolView } from '../../../core/present/form/toolView.js';
import { toolResultModel } from '../../../core/present/result/makeResultModel.js';
import type { CallToolResult, Tool } from '../../../core/protocol/mcp.js';
import type { RunRecord } from '../../../core/runs/runRecord.js';
import { isDraft } from '../../../shared/panel/formMessages.js';
import type { Arguments, Problem } from '../../../shared/panel/formMessages.js';
import type { HistoryLine, ItemPageState, PanelAction } from '../../../shared/panel/itemPage.js';
import type { ResultModel } from '../../../shared/result/resultModel.js';
import type { ExtensionServices, PanelServices } from '../../ui/services.js';
import { userChoice } from '../../ui/invocation.js';
import { commandIds } from '../../manifest.js';
import { nameFavourite } from '../../ui/nameFavourite.js';
import { actOnResult } from '../../ui/resultActions.js';
import { Page } from '../../ui/page.js';
import type { PanelTab } from '../../ui/panelSet.js';
import { ServerNews } from '../../ui/serverNews.js';
import { modelOfRun } from '../../ui/shownRun.js';
import type { PathStyle } from '../../ui/workspaceValues.js';
import { concerning } from '../../ui/commandFunnel.js';
import { PageRun } from '../../ui/pageRun.js';
import { startVisibly } from '../../ui/pickTarget.js';
import { finishedEnd, toolRun } from '../../ui/toolRun.js';
import type { ToolTarget } from '../../ui/pages.js';
import type { PageTarget } from '../../../shared/panel/pageTarget.js';
import type { FromToolPage, ToToolPage } from '../../../shared/panel/toolPage.js';
import { toolPageGuards } from '../../../shared/panel/toolPage.js';

type Services = PanelServices & Pick<ExtensionServices, 'runs'>;

/** Maximum number of runs in the history menu. */
const maxHistory = 20;

/** A tool in an editor tab: its form and its result. */
export class ToolPanel implements Disposable {
  private readonly store = new DisposableStore();
  private readonly page: Page<ToToolPage, FromToolPage>;
  private run: PageRun<CallToolResult> | undefined;
  /** Values that were put into the form by the extension, not by the user. Cleared when the user changes something. */
  private given: Arguments | undefined;
  /** Whether the user has typed input that was not run yet. */
  private isTyped = false;
  /** The result beside the form, of a run in this panel or of a run that was started elsewhere. */
  private shown: ResultModel | undefined;
  /** The tool that was last sent to the page, to detect changes. */
  private tool: Tool | undefined;
  private readonly server: ServerNews;
  /** Whether there is proof that the user, and not a program, opened the panel. */
  isByUser = false;
  /** The server and the name of the tool, as calls, runs and apps identify it. */
  private readonly call: ToolTarget;

  constructor(
    private readonly deck: Services,
    readonly panel: vscode.WebviewPanel,
    readonly target: PageTarget,
    private readonly tab: PanelTab,
  ) {
    const call: ToolTarget = { server: target.server, tool: target.id };
    this.call = call;
    this.server = new ServerNews(deck.host.servers, target.server, vscode.l10n.t('no longer offers this tool'));
    this.page = this.store.add(
      new Page<ToToolPage, FromToolPage>({
        webview: panel.webview,
        extensionUri: deck.extension.extensionUri,
        name: 'toolPanel',
        title: vscode.l10n.t('Tool'),
        guards: toolPageGuards,
        log: deck.log,
        handlers: {
          notices: {
            ready: () => this.page.channel.notify('show', this.state()),
            run: ({ arguments: values }) => {
              this.isTyped = false;
              this.later(this.runTool(values));
            },
            cancel: () => this.run?.cancel(),
            act: ({ action }) => this.act(action),
            keep: ({ draft }) => {
              this.given = undefined;
              this.later(deck.drafts.keep(this.key, draft));
            },
            favourite: ({ arguments: values }) =>
              this.later(nameFavourite(deck, deck.runLog.keepable({ ...call, arguments: values, ...this.schema }))),
            useRun: ({ id }) => this.useRun(id),
            showRun: ({ id }) => this.later(this.showPastRun(id)),
            runAgain: ({ id }) => this.later(this.runAgain(id)),
            typed: () => {
              this.isTyped = true;
              this.tab.keep();
            },
            result: ({ request }) => actOnResult(this.deck, request),
          },
          requests: {
            check: ({ arguments: values }) => this.check(values),
            suggest: (question) => deck.workspaceValues.suggestions(question, this.pathStyle),
            ...deck.workspaceValues.formAnswers(() => this.pathStyle),
          },
        },
      }),
    );
    this.store.add(
      deck.host.servers.onDidChange(({ server }) =>
        server === undefined || server === target.server ? this.serverChanged() : undefined,
      ),
    );
    this.store.add(
      deck.runLog.history.onDidChange(() => this.page.channel.notify('history', { runs: this.history() })),
    );
    this.name();
  }

  release(): void {
    this.page.channel.notify('release', {});
  }

  /** Replaces the values in the form. */
  fill(values: Arguments): void {
    this.isTyped = false;
    this.given = values;
    this.page.channel.notify('fill', { arguments: values });
  }

  /**
   * Shows a run that was started elsewhere. Its arguments replace those in the form, unless the user has typed
   * something.
   */
  showRun({ arguments: values, model }: { arguments: Arguments; model: ResultModel }): void {
    if (!this.isTyped) this.fill(values);
    this.showResult(model);
  }

  private showResult(model: ResultModel): void {
    this.shown = model;
    this.page.channel.notify('result', { model });
  }

  dispose(): void {
    this.run?.cancel();
    this.store.dispose();
  }

  private state(): ItemPageState {
    this.tool = this.find();
    const draft = this.deck.drafts.find(this.key);
    const start = this.given ?? this.deck.runs.argumentsOf(this.call.server, this.call.tool);
    return {
      bundle: vscode.l10n.bundle ?? {},
      target: this.target,
      ...(this.tool ? { item: toolView(this.tool) } : {}),
      server: this.server.line(this.tool !== undefined),
      ...(isDraft(draft) ? { draft } : {}),
      history: this.history(),
      ...(this.shown ? { result: this.shown } : {}),
      ...(start ? { start } : {}),
      isGiven: this.given !== undefined,
      isByUser: this.isByUser,
    };
  }

  /**
   * The built-in server uses paths relative to the workspace. Other servers have their own working directory, so they
   * get absolute paths.
   */
  private get pathStyle(): PathStyle {
    return this.deck.host.servers.get(this.target.server)?.entry.source.kind === 'builtin' ? 'relative' : 'absolute';
  }

  private find(): Tool | undefined {
    return this.deck.host.servers.get(this.target.server)?.features?.tools.find(({ name }) => name === this.target.id);
  }

  private serverChanged(): void {
    const tool = this.find();
    if (tool && tool !== this.tool && JSON.stringify(tool) !== JSON.stringify(this.tool)) {
      this.name();
      this.page.channel.notify('show', this.state());
      return;
    }
    const line = this.server.news(tool !== undefined);
    if (line) this.page.channel.notify('server', line);
  }

  private name(): void {
    const tool = this.find();
    this.tab.name(tool ? toolTitle(tool) : visibleLine(this.target.id, 80));
  }

  /**
   * Checks the values in the same way as before each call. The page shows the problems, and does not send the call
   * until there are none.
   */
  private async check(values: unknown): Promise<Problem[]> {
    const tool = this.find() ?? this.tool;
    if (!tool) return [];
    const validator = await this.deck.schemas.load();
    return [...validator.check(tool.inputSchema, values).problems];
  }

  private async runTool(values: Arguments): Promise<void> {
    if (this.run?.isRunning === true) return;
    this.tab.keep();
    const { target } = this;
    const { apps } = this.deck;
    const call = { ...this.call, arguments: values };
    const userRun = toolRun(this.deck, {
      call: () => ({ ...call, ...this.schema }),
      // Asks for approval if needed, because the user clicked the button.
      start: (signal) => startVisibly(this.deck.host, target.server, signal),
      perform: ({ signal, onProgress, onLog, onRemark, onAsk, onOutputProblems }) =>
        concerning(
          target.server,
          this.deck.host.calls.runTool(call, {
            interactive: true,
            caller: 'user',
            signal,
            onProgress,
            onLog,
            onRemark,
            onAsk,
            onOutputProblems,
          }),
        ),
    });
    // After a dialog, VS Code does not always return the focus to the page on which the user started the run.
    userRun.onDidChange((change) => {
      if (change.kind === 'waiting' && !change.isWaiting && this.panel.active) this.panel.reveal(undefined, false);
    });
    // This listener is registered before the page's listener, so that the app has its result when the page asks whether
    // there is an app.
    userRun.onDidChange(() => {
      if (userRun.outcome)
        apps.end(this.call, { id: userRun.id, arguments: values }, finishedEnd(userRun.outcome, target.server));
    });
    const run: PageRun<CallToolResult> = new PageRun<CallToolResult>(userRun, {
      target,
      request: { method: 'tools/call', params: { name: target.id, arguments: values } },
      present: (result, facts) => toolResultModel(result, { ...facts, hasApp: apps.hasApp(this.call) }),
      waits: this.deck.requests.owners.waitsOf(target.server, target.id),
      onChange: (model) => this.sendResult(run, model),
    });
    this.run = run;
    apps.begin(this.call, { id: run.id, arguments: values });
    this.later(this.deck.runs.remember(call, this.deck.runLog.keepable({ ...call, ...this.schema }).arguments));
    await run.begin();
  }

  private history(): HistoryLine[] {
    const { server, tool } = this.call;
    const runs = this.deck.runLog.history.runs().filter((run) => run.server === server && run.tool === tool);
    const now = Date.now();
    return runs.slice(0, maxHistory).map((run) => ({ id: run.id, ...runLine(run, now, vscode.env.language) }));
  }

  private useRun(id: string): void {
    const run = this.pastRun(id);
    if (run) this.fill(run.arguments);
  }

  private async showPastRun(id: string): Promise<void> {
    const run = this.pastRun(id);
    if (!run || this.run?.isRunning === true) return;
    const own = this.run?.id === id ? this.run.model : undefined;
    this.showResult(own ?? (await modelOfRun(this.deck.runLog, run, this.deck.apps.hasApp(this.call))));
  }

  /** Repeats a run. If its arguments are not all stored or are no longer valid, puts the stored ones into the form. */
  private async runAgain(id: string): Promise<void> {
    const run = this.pastRun(id);
    if (!run) return;
    const values = this.deck.runLog.find(id)?.arguments ?? run.arguments;
    const isWhole = values !== run.arguments || run.omitted.length === 0;
    if (isWhole && (await this.check(values)).length === 0) await this.runTool(values);
    else this.fill(run.arguments);
  }

  /** The run with this ID, if it belongs to this tool. This is checked because the ID comes from the page. */
  private pastRun(id: string): RunRecord | undefined {
    const run = this.deck.runLog.history.run(id);
    return run?.server === this.call.server && run.tool === this.call.tool ? run : undefined;
  }

  /** The input schema of the tool. If the server does not offer the tool now, the last known one. */
  private get schema(): { schema?: Tool['inputSchema'] } {
    const tool = this.find() ?? this.tool;
    return tool ? { schema: tool.inputSchema } : {};
  }

  private get key(): string {
    return JSON.stringify([this.call.server, this.call.tool]);
  }

  /** Runs work in the background and logs its errors. */
  private later(work: Promise<unknown>): void {
    work.catch((error: unknown) =>
      this.deck.log.write('warn', `An action of the panel of "${this.target.id}" failed: ${messageOf(error)}`),
    );
  }

  private sendResult(run: PageRun<CallToolResult>, model: ResultModel | undefined): void {
    if (run === this.run && model) this.showResult(model);
  }

  /** Runs the command for a button of the page, as if it were selected in the Command Palette. */
  private act(action: PanelAction): void {
    void vscode.commands.executeCommand(commandIds[action], userChoice(commandIds[action], this.call));
  }
}

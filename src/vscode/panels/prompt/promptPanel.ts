import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import { messageOf } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { argumentsSchema } from '../../../core/present/schemaForm.js';
import { promptView, serverLine } from '../../../core/present/toolView.js';
import type { Prompt } from '../../../core/protocol/mcp.js';
import type { ResultRequest } from '../../../shared/result/resultRequest.js';
import type { Arguments, FromPage, PanelAction, PanelState, Problem, Question, Suggestion, ToPage } from '../../../shared/toolPanel.js';
import { fromPageGuards, isDraft } from '../../../shared/toolPanel.js';
import type { DeckContext } from '../../feature.js';
import { UserChoice } from '../../invocation.js';
import { commandIds } from '../../manifest.js';
import { actOnMessages } from '../../results/promptActions.js';
import { Page } from '../page.js';
import type { PromptTarget } from './promptRun.js';
import { PromptRun } from './promptRun.js';

/** One prompt in an editor tab: the form of its arguments, and the messages with their roles. Its page is that of tools. */
export class PromptPanel implements Disposable {
  private readonly store = new DisposableStore();
  private readonly page: Page<ToPage, FromPage>;
  private run: PromptRun | undefined;
  /** As it was offered last. */
  private prompt: Prompt | undefined;
  private toldServer = '';
  /** A prompt without arguments has nothing to wait for. */
  private isFresh: boolean;

  constructor(
    private readonly deck: DeckContext,
    readonly panel: vscode.WebviewPanel,
    readonly target: PromptTarget,
    { isRestored }: { isRestored: boolean },
  ) {
    this.isFresh = !isRestored;
    this.page = this.store.add(
      new Page<ToPage, FromPage>({
        webview: panel.webview,
        extensionUri: deck.extension.extensionUri,
        name: 'toolPanel',
        title: vscode.l10n.t('Prompt'),
        guards: fromPageGuards,
        log: deck.log,
        handlers: {
          notices: {
            ready: () => this.begin(),
            run: ({ arguments: values }) => void this.get(values),
            cancel: () => this.run?.cancel(),
            leave: () => undefined,
            act: ({ action }) => this.act(action),
            keep: ({ draft }) => void deck.drafts.keep(this.key, draft).catch((error: unknown) => deck.log.write('warn', `What was typed for a prompt could not be kept: ${messageOf(error)}`)),
            // Favourites and the history are of tools: the page of a prompt has no buttons for them.
            favourite: () => undefined,
            useRun: () => undefined,
            result: ({ request }) => this.actOnMessages(request.type, request),
          },
          requests: {
            check: ({ arguments: values }) => this.check(values),
            suggest: (question) => this.suggest(question),
            ...deck.workspaceValues.formAnswers(() => 'absolute'),
          },
        },
      }),
    );
    this.store.add(deck.host.onDidChange(({ server }) => (server === undefined || server === target.server ? this.serverChanged() : undefined)));
    this.name();
  }

  dispose(): void {
    this.run?.cancel();
    this.store.dispose();
  }

  /** Does with the messages what a button of the page or a command says. */
  actOnMessages(type: ResultRequest['type'], request?: ResultRequest): void {
    actOnMessages(this.deck, request ?? ({ type, id: this.run?.id ?? '' } as ResultRequest), this.run);
  }

  private begin(): void {
    this.page.channel.notify('show', this.state());
    if (!this.isFresh || !this.prompt) return;
    this.isFresh = false;
    if ((this.prompt.arguments ?? []).length === 0) void this.get({});
  }

  private state(): PanelState {
    this.prompt = this.find() ?? this.prompt;
    const draft = this.deck.drafts.find(this.key);
    const server = this.serverLine();
    this.toldServer = JSON.stringify(server);
    return {
      bundle: vscode.l10n.bundle ?? {},
      target: this.target,
      ...(this.prompt ? { tool: promptView(this.prompt, vscode.l10n.t) } : {}),
      server,
      ...(isDraft(draft) ? { draft } : {}),
      history: [],
      ...(this.run ? { result: this.run.model } : {}),
      isGiven: false,
    };
  }

  private async get(values: Arguments): Promise<void> {
    if (this.run?.model.kind === 'running') return;
    const texts = Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])));
    const run = new PromptRun(this.deck.host, this.target, texts, (model) => {
      if (run === this.run) this.page.channel.notify('result', { model });
    });
    this.run = run;
    await run.run();
  }

  private async check(values: unknown): Promise<Problem[]> {
    const prompt = this.find() ?? this.prompt;
    if (!prompt) return [];
    const validator = await this.deck.schemas.load();
    return [...validator.check(argumentsSchema(prompt.arguments ?? []), values).problems];
  }

  /** What the server completes; the selected text of the editor besides. */
  private async suggest({ text, path, arguments: values = {} }: Question): Promise<Suggestion[]> {
    const { server, tool } = this.target;
    const own = this.deck.workspaceValues.suggestions(text, false, 'absolute');
    if (this.deck.host.server(server)?.state.kind !== 'running') return own;
    const name = path.slice(1).replaceAll('~1', '/').replaceAll('~0', '~');
    const context = Object.fromEntries(Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === 'string' && entry[0] !== name));
    try {
      const { values: found } = await this.deck.host.complete({ server, reference: { type: 'ref/prompt', name: tool }, argument: { name, value: text }, context });
      return [...found.filter((value) => value !== text).map((value) => ({ value: visibleLine(value, 400) })), ...own];
    } catch {
      // Most servers complete nothing and say so by an error.
      return own;
    }
  }

  private serverLine(): PanelState['server'] {
    const { server } = this.target;
    const view = this.deck.host.server(server);
    const line = serverLine(server, view, Date.now(), vscode.l10n.t);
    return view?.offer && !this.find() ? { ...line, state: 'failed', text: vscode.l10n.t('does not offer this prompt any more') } : line;
  }

  private serverChanged(): void {
    const prompt = this.find();
    if (prompt && JSON.stringify(prompt) !== JSON.stringify(this.prompt)) {
      this.name();
      this.begin();
      return;
    }
    const line = this.serverLine();
    const text = JSON.stringify(line);
    if (text === this.toldServer) return;
    this.toldServer = text;
    this.page.channel.notify('server', line);
  }

  private find(): Prompt | undefined {
    return this.deck.host.server(this.target.server)?.offer?.prompts.find(({ name }) => name === this.target.tool);
  }

  private name(): void {
    const prompt = this.find();
    this.panel.title = prompt ? promptView(prompt, vscode.l10n.t).title : visibleLine(this.target.tool, 80);
  }

  private get key(): string {
    return JSON.stringify(['prompt', this.target.server, this.target.tool]);
  }

  private act(action: PanelAction): void {
    void vscode.commands.executeCommand(commandIds[action], new UserChoice({ server: this.target.server }));
  }
}

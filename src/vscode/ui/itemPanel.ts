import * as vscode from 'vscode';
import type { Disposable } from '../../core/base/disposable.js';
import { DisposableStore } from '../../core/base/disposable.js';
import { messageOf } from '../../core/base/hostError.js';
import { visibleLine } from '../../core/base/hostileText.js';
import type { CallOptions } from '../../core/catalog/hostTypes.js';
import type { ServerFeatures } from '../../core/catalog/serverFeatures.js';
import type { CompletionReference, JsonSchema } from '../../core/protocol/mcp.js';
import { UserRun } from '../../core/runs/userRun.js';
import type { ResultModel } from '../../shared/result/resultModel.js';
import type { ResultRequest } from '../../shared/result/resultRequest.js';
import { isDraft } from '../../shared/panel/formMessages.js';
import type { Arguments, Problem, Question, Suggestion } from '../../shared/panel/formMessages.js';
import type { FromItemPage, ItemPageState, ItemView, PanelAction, ToItemPage } from '../../shared/panel/itemPage.js';
import { itemPageGuards } from '../../shared/panel/itemPage.js';
import { nameOfStep } from '../../shared/json.js';
import type { PageTarget } from '../../shared/panel/pageTarget.js';
import type { ExtensionServices, PanelServices } from './services.js';
import { userChoice } from './invocation.js';
import { commandIds } from '../manifest.js';
import { concerning } from './commandFunnel.js';
import { openLink } from './openLink.js';
import type { PageOptions } from './page.js';
import { Page } from './page.js';
import type { PageRunOptions } from './pageRun.js';
import { PageRun } from './pageRun.js';
import { startVisibly } from './pickTarget.js';
import type { PanelTab } from './panelSet.js';
import { ServerNews } from './serverNews.js';

/** The services that the panel of a prompt or a resource template needs. */
export type ItemServices = PanelServices & Pick<ExtensionServices, 'resources'>;

/** The parts of the page that the panel uses. */
interface ItemPage extends Disposable {
  readonly channel: Pick<Page<ToItemPage, FromItemPage>['channel'], 'notify'>;
}

/** The differences between panels of prompts and panels of resource templates. */
export interface ItemKind<Item> {
  /** The title of the document, for screen readers. */
  title: string;
  /** The text that is shown when the server no longer offers the item. Follows the server's name in a sentence. */
  goneText: string;
  reference: CompletionReference;
  find: (features: ServerFeatures) => Item | undefined;
  view: (item: Item) => ItemView;
  schema: (item: Item) => JsonSchema;
}

/**
 * A prompt or a resource template in an editor tab. All its arguments are text, and the server can complete them. The
 * tab uses the page of the tool panel.
 */
export abstract class ItemPanel<Item, Result> implements Disposable {
  protected readonly store = new DisposableStore();
  private readonly page: ItemPage;
  protected current: PageRun<Result> | undefined;
  /** The item, as the server last offered it. */
  protected item: Item | undefined;
  private readonly server: ServerNews;
  private checked: { item: Item; schema: JsonSchema } | undefined;

  constructor(
    protected readonly deck: ItemServices,
    readonly panel: vscode.WebviewPanel,
    readonly target: PageTarget,
    private readonly tab: PanelTab,
    private readonly kind: ItemKind<Item>,
  ) {
    this.server = new ServerNews(deck.host.servers, target.server, kind.goneText);
    this.page = this.store.add(
      this.openPage({
        webview: panel.webview,
        extensionUri: deck.extension.extensionUri,
        name: 'toolPanel',
        title: kind.title,
        guards: itemPageGuards,
        log: deck.log,
        handlers: {
          notices: {
            ready: () => this.begin(),
            run: ({ arguments: values }) => this.start(() => this.runOf(values)),
            cancel: () => this.current?.cancel(),
            typed: () => this.tab.keep(),
            act: ({ action }) => this.act(action),
            keep: ({ draft }) =>
              void deck.drafts
                .keep(this.key, draft)
                .catch((error: unknown) =>
                  deck.log.write('warn', `The input for a ${target.kind} could not be stored: ${messageOf(error)}`),
                ),
            result: ({ request }) =>
              request.type === 'openLink' ? this.openLink(request.href) : this.actOnResult(request),
          },
          requests: {
            check: ({ arguments: values }) => this.check(values),
            suggest: (question) => this.suggest(question),
            ...deck.workspaceValues.formAnswers(() => 'absolute'),
          },
        },
      }),
    );
    this.store.add(
      deck.host.servers.onDidChange(({ server }) =>
        server === undefined || server === target.server ? this.serverChanged() : undefined,
      ),
    );
    this.name();
  }

  dispose(): void {
    this.current?.cancel();
    this.store.dispose();
  }

  /** Creates the run of the request with these arguments. */
  protected abstract runOf(values: Arguments): PageRun<Result>;
  /** Handles a button of the result. */
  protected abstract actOnResult(request: ResultRequest): void;

  /** Creates the page. Overridden by panels whose pages send more messages. */
  protected openPage(options: PageOptions<FromItemPage>): ItemPage {
    return new Page<ToItemPage, FromItemPage>(options);
  }

  protected begin(): void {
    this.page.channel.notify('show', this.state());
  }

  /** Starts a run, unless one is in progress. */
  protected start(make: () => PageRun<Result>): void {
    if (this.current?.isRunning === true) return;
    this.current = make();
    void this.current.begin();
  }

  /**
   * Creates a run that starts the server if needed and then sends the request. It is not recorded for the Runs view,
   * which shows only calls of tools.
   */
  protected request(
    perform: (options: CallOptions) => Promise<Result>,
    page: Pick<PageRunOptions<Result>, 'request' | 'present'>,
  ): PageRun<Result> {
    const { host } = this.deck;
    const { server } = this.target;
    const userRun = new UserRun<Result>({
      cancelText: 'The request was canceled.',
      start: (signal) => startVisibly(host, server, signal),
      perform: ({ signal, onProgress }) => concerning(server, perform({ interactive: true, signal, onProgress })),
    });
    const run: PageRun<Result> = new PageRun<Result>(userRun, {
      ...page,
      target: this.target,
      waits: this.deck.requests.owners.waitsOf(server),
      onChange: (model) => this.sendResult(run, model),
    });
    return run;
  }

  private sendResult(run: PageRun<Result>, model: ResultModel | undefined): void {
    if (run === this.current) this.page.channel.notify('result', model ? { model } : {});
  }

  private state(): ItemPageState {
    const item = this.find();
    this.item = item ?? this.item;
    const draft = this.deck.drafts.find(this.key);
    return {
      bundle: vscode.l10n.bundle ?? {},
      target: this.target,
      ...(this.item ? { item: this.kind.view(this.item) } : {}),
      server: this.server.line(item !== undefined),
      ...(isDraft(draft) ? { draft } : {}),
      history: [],
      ...(this.current?.model ? { result: this.current.model } : {}),
      isGiven: false,
    };
  }

  private async check(values: unknown): Promise<Problem[]> {
    const item = this.find() ?? this.item;
    if (!item) return [];
    const validator = await this.deck.schemas.load();
    // The same schema object is kept, because the validator caches compiled schemas by object identity.
    if (this.checked?.item !== item) this.checked = { item, schema: this.kind.schema(item) };
    return [...validator.check(this.checked.schema, values).problems];
  }

  /** Suggests the server's completions of the argument and the selected text of the editor. */
  private async suggest({ text, isMultiline, path, arguments: values = {} }: Question): Promise<Suggestion[]> {
    const { server } = this.target;
    const own = this.deck.workspaceValues.suggestions({ text, isMultiline, isPath: false }, 'absolute');
    if (this.deck.host.servers.get(server)?.state.kind !== 'running') return own;
    // The path may lead into a list or a map. The argument to complete is its first segment, the variable.
    const name = nameOfStep(path.split('/')[1] ?? '');
    const context = Object.fromEntries(
      Object.entries(values).filter(
        (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[0] !== name,
      ),
    );
    try {
      const { values: found } = await this.deck.host.calls.complete({
        server,
        reference: this.kind.reference,
        argument: { name, value: text },
        context,
      });
      return [...found.filter((value) => value !== text).map((value) => ({ value: visibleLine(value, 400) })), ...own];
    } catch {
      // Most servers do not support completion and respond with an error.
      return own;
    }
  }

  private serverChanged(): void {
    const item = this.find();
    if (item && JSON.stringify(item) !== JSON.stringify(this.item)) {
      this.name();
      this.begin();
      return;
    }
    const line = this.server.news(item !== undefined);
    if (line) this.page.channel.notify('server', line);
  }

  private find(): Item | undefined {
    const features = this.deck.host.servers.get(this.target.server)?.features;
    return features && this.kind.find(features);
  }

  private name(): void {
    const item = this.find();
    this.tab.name(item ? this.kind.view(item).title : visibleLine(this.target.id, 80));
  }

  private get key(): string {
    return JSON.stringify([this.target.kind, this.target.server, this.target.id]);
  }

  private openLink(href: string): void {
    openLink(href, this.target.server).catch((error: unknown) => this.deck.funnel.show(error, this.target.server));
  }

  private act(action: PanelAction): void {
    void vscode.commands.executeCommand(
      commandIds[action],
      userChoice(commandIds[action], { server: this.target.server }),
    );
  }
}

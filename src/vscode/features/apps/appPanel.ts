import * as vscode from 'vscode';
import { AppBridge, displayModes } from '../../../core/apps/appBridge.js';
import { appInput, appUriOf } from '../../../core/apps/toolApp.js';
import type { DisplayMode } from '../../../core/apps/appBridge.js';
import type { AppDomains } from '../../../core/apps/appPolicy.js';
import { allDomains, appPolicy, holdsFrameDocuments, noDomains } from '../../../core/apps/appPolicy.js';
import type { AppResource } from '../../../core/apps/appResource.js';
import { appResourceOf } from '../../../core/apps/appResource.js';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore, MutableDisposable } from '../../../core/base/disposable.js';
import { messageOf } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import type { ServerFeatures } from '../../../core/catalog/serverFeatures.js';
import type { AppContext } from '../../../core/present/chat/appContextText.js';
import { failureMessage } from '../../../core/present/failure/failureText.js';
import { toolTitle } from '../../../core/present/form/toolView.js';
import type { Tool } from '../../../core/protocol/mcp.js';
import type { AppAction, AppPanelState, AppView, FromPage, StopReason, ToPage } from '../../../shared/app/appPage.js';
import { fromPageGuards } from '../../../shared/app/appPage.js';
import type { PageContext } from '../../../shared/app/pageContext.js';
import type { ExtensionServices } from '../../ui/services.js';
import { userChoice } from '../../ui/invocation.js';
import { commandIds } from '../../manifest.js';
import { Page } from '../../ui/page.js';
import type { AppRun, AppRunEnd, ToolTarget } from '../../ui/pages.js';
import { AppConsent } from './appConsent.js';
import { appHtml } from './appHtml.js';
import { AppRequests } from './appRequests.js';

/** The services that this file needs. */
type Services = Pick<
  ExtensionServices,
  'client' | 'consent' | 'extension' | 'host' | 'log' | 'logs' | 'results' | 'runLog' | 'schemas' | 'toolPanels'
>;

export interface AppPanelOptions {
  target: ToolTarget;
  /** Returns whether the user has already allowed apps of this server to reach these origins in this window. */
  isAllowed: (places: readonly string[]) => boolean;
  allow: (places: readonly string[]) => void;
  /** Sets the context that the app provides for language models. Undefined removes it. */
  tellModel: (context: AppContext | undefined) => void;
}

/**
 * The app of one tool in an editor tab. Each run is shown by a new instance of the app, which replaces the instance of
 * the previous run.
 */
export class AppPanel implements Disposable {
  private readonly store = new DisposableStore();
  private readonly page = this.store.add(new MutableDisposable<Page<ToPage, FromPage>>());
  private readonly consent: AppConsent;
  private bridge: AppBridge | undefined;
  /** The origins that the page can reach. A different policy requires a new page. */
  private granted: AppDomains | undefined;
  private isReady = false;
  /** The number of the frame that the page was asked to show. A reloaded page no longer shows it. */
  private shownFrame: number | undefined;
  private frames = 0;
  private view: AppView = { kind: 'loading' };
  private notes: readonly string[] = [];
  private mode: DisplayMode = 'inline';
  private room: PageContext | undefined;
  private toldContext: Record<string, unknown> = {};
  private features: ServerFeatures | undefined;
  private resource: AppResource | undefined;

  constructor(
    private readonly deck: Services,
    readonly panel: vscode.WebviewPanel,
    private readonly options: AppPanelOptions,
    private run: AppRun,
  ) {
    const { server, tool } = options.target;
    this.consent = new AppConsent(deck.results, (decision) =>
      deck.consent.audit.note({ event: 'app', server, tool, ...decision }),
    );
    this.openPage(noDomains);
    this.store.add(
      deck.host.servers.onDidChange(({ server }) =>
        server === undefined || server === options.target.server ? this.serverChanged() : undefined,
      ),
    );
    this.load();
  }

  /** Shows another run. */
  show(run: AppRun): void {
    this.run = run;
    this.consent.renew();
    this.load();
  }

  /** Called when the shown run has ended. */
  end(id: string, end: AppRunEnd): void {
    if (this.run.id !== id || this.run.end) return;
    this.run = { ...this.run, end };
    if (this.bridge) tellEnd(this.bridge, end);
  }

  dispose(): void {
    this.frames++;
    this.closeBridge();
    this.store.dispose();
  }

  private load(): void {
    this.loadApp(++this.frames).catch((error: unknown) =>
      this.deck.log.write('error', `The app of "${this.options.target.tool}" could not be shown: ${messageOf(error)}`),
    );
  }

  /** Loads the app into a frame. Stops when a different frame is requested. */
  private async loadApp(frame: number): Promise<void> {
    const { server } = this.options.target;
    await this.bridge?.teardown();
    if (frame !== this.frames) return;
    this.closeBridge();
    this.setView({ kind: 'loading' }, []);
    this.panel.title = vscode.l10n.t('{0} (App)', this.title);
    try {
      const uri = this.uri();
      const listed = this.deck.host.servers.get(server)?.features?.resources.find((one) => one.uri === uri);
      const resource = appResourceOf(await this.deck.host.calls.readResource({ server, uri }), uri, listed);
      if (frame !== this.frames) return;
      this.resource = resource;
    } catch (error) {
      if (frame !== this.frames) return;
      this.setView(
        {
          kind: 'failed',
          message:
            failureMessage(error, { isWorkspaceTrusted: vscode.workspace.isTrusted, server })?.text ?? messageOf(error),
        },
        [],
      );
      return;
    }
    const places = placesOf(this.resource);
    if (places.length > 0 && !this.options.isAllowed(places))
      this.setView(
        { kind: 'ask', domains: allDomains(this.resource.declared.domains), hasFrames: places.includes(anyPlace) },
        [],
      );
    else this.open(frame, this.resource);
  }

  private open(frame: number, { html, declared, prefersBorder = false, permissions }: AppResource): void {
    const { domains, refused } = declared;
    this.deck.logs
      .forServer(this.options.target.server)
      .write(
        'debug',
        `The app of "${visibleLine(this.options.target.tool, 60)}" may reach: ${placesOf({ html, declared }).join(', ') || 'nothing'}.`,
      );
    if (JSON.stringify(domains) !== JSON.stringify(this.granted)) this.openPage(domains);
    const bridge: AppBridge = new AppBridge(
      new AppRequests(this.deck, {
        target: this.options.target,
        domains,
        consent: this.consent,
        context: () => (this.toldContext = this.context()),
        requestDisplayMode: (mode) => this.setMode(mode),
        endRequested: () => void this.stop(frame, vscode.l10n.t('The app has ended.')),
        tellModel: (context) => this.options.tellModel(context),
        isCurrent: () => this.bridge === bridge,
      }),
      (text) => this.page.value?.channel.notify('toApp', { text }),
    );
    this.bridge = bridge;
    bridge.showInput(appInput(this.tool()?.inputSchema, this.run.arguments));
    if (this.run.end) tellEnd(bridge, this.run.end);
    const notes = [
      ...(refused.length > 0
        ? [
            vscode.l10n.t(
              'The app requests origins that MCP Deck does not allow: {0}. Only https:// and wss:// origins are allowed.',
              visibleLine(refused.join(', '), 300),
            ),
          ]
        : []),
      ...(permissions.length > 0
        ? [vscode.l10n.t('The app requests permissions that MCP Deck does not grant: {0}.', permissions.join(', '))]
        : []),
    ];
    const isClosed = placesOf({ html, declared }).length === 0;
    this.setView(
      {
        kind: 'app',
        frame,
        html,
        policy: appPolicy(domains),
        isClosed,
        hasBorder: prefersBorder,
        isFilled: this.mode === 'fullscreen',
      },
      notes,
    );
  }

  /**
   * Loads a page with the policy for these origins. A new page is necessary, because the policy is part of the document
   * of a webview.
   */
  private openPage(domains: AppDomains): void {
    const { deck } = this;
    this.granted = domains;
    this.isReady = false;
    this.shownFrame = undefined;
    this.page.value = new Page<ToPage, FromPage>({
      webview: this.panel.webview,
      extensionUri: deck.extension.extensionUri,
      name: 'app',
      title: vscode.l10n.t('App'),
      guards: fromPageGuards,
      log: deck.log,
      html: (frame) => appHtml(frame, domains),
      hasForms: true,
      handlers: {
        notices: {
          ready: ({ context }) => this.ready(context),
          context: ({ context }) => this.roomChanged(context),
          fromApp: ({ frame, text }) => (this.isShown(frame) ? this.receive(frame, text) : undefined),
          taken: ({ frame, length }) => (this.isShown(frame) ? this.bridge?.taken(length) : undefined),
          stopped: ({ frame, reason }) => (this.isShown(frame) ? this.stopped(reason) : undefined),
          act: ({ action }) => this.act(action),
        },
        requests: {},
      },
    });
  }

  private receive(frame: number, text: string): void {
    this.bridge?.receive(text);
    this.page.value?.channel.notify('handled', { frame, length: text.length });
  }

  private ready(context: PageContext): void {
    this.room = context;
    this.isReady = true;
    // The page was reloaded and has lost its app, and the connection to the app is closed. So the app is loaded again.
    if (this.view.kind === 'app' && this.shownFrame === this.view.frame) this.load();
    else this.setView(this.view, this.notes);
  }

  private setView(view: AppView, notes: readonly string[]): void {
    this.view = view;
    this.notes = notes;
    if (!this.isReady) return;
    if (view.kind === 'app') this.shownFrame = view.frame;
    const state: AppPanelState = {
      bundle: vscode.l10n.bundle ?? {},
      title: this.title,
      server: visibleLine(this.options.target.server, 80),
      view,
      notes,
    };
    this.page.value?.channel.notify('show', state);
  }

  private stopped(reason: StopReason): void {
    this.closeBridge();
    const message =
      reason === 'left'
        ? vscode.l10n.t('The app was closed because it opened another page, which is not allowed.')
        : vscode.l10n.t('The app was closed because it sent too many messages.');
    this.deck.logs
      .forServer(this.options.target.server)
      .write(
        'warn',
        `[app of ${visibleLine(this.options.target.tool, 60)}] Closed, because ${reason === 'left' ? 'it opened another page' : 'it sent too many messages'}.`,
      );
    this.setView({ kind: 'failed', message }, []);
  }

  private async stop(frame: number, message: string): Promise<void> {
    await this.bridge?.teardown();
    if (!this.isShown(frame)) return;
    this.closeBridge();
    this.setView({ kind: 'failed', message }, []);
  }

  private act(action: AppAction): void {
    const { server, tool } = this.options.target;
    switch (action) {
      case 'allow':
        if (this.view.kind !== 'ask' || !this.resource) return;
        if (this.resource) this.options.allow(placesOf(this.resource));
        return this.open(this.frames, this.resource);
      case 'reload':
        this.consent.renew();
        return this.load();
      case 'fill':
        this.setMode(this.mode === 'inline' ? 'fullscreen' : 'inline');
        return;
      case 'openTool':
        return this.deck.toolPanels.open({ server, tool });
      case 'showLog':
        void vscode.commands.executeCommand(commandIds.showLog, userChoice(commandIds.showLog, { server }));
    }
  }

  private setMode(mode: DisplayMode): DisplayMode {
    if (mode === this.mode) return mode;
    this.mode = mode;
    const isFilled = mode === 'fullscreen';
    if (this.view.kind === 'app') {
      this.view = { ...this.view, isFilled };
      if (this.isReady) this.page.value?.channel.notify('fill', { isFilled });
    }
    this.contextChanged();
    return mode;
  }

  private roomChanged(room: PageContext): void {
    this.room = room;
    this.contextChanged();
  }

  private contextChanged(): void {
    const before = this.toldContext;
    const now = this.context();
    const changed = Object.fromEntries(
      Object.entries(now).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(before[key])),
    );
    if (Object.keys(changed).length === 0) return;
    this.toldContext = now;
    this.bridge?.contextChanged(changed);
  }

  private context(): Record<string, unknown> {
    const { room } = this;
    const tool = this.tool();
    return {
      ...(tool ? { toolInfo: { tool } } : {}),
      ...(room
        ? {
            theme: room.theme,
            styles: { variables: room.variables },
            containerDimensions:
              this.mode === 'fullscreen' ? { width: room.width, height: room.height } : { width: room.width },
            timeZone: room.timeZone,
            deviceCapabilities: { touch: room.touch, hover: room.hover },
          }
        : {}),
      displayMode: this.mode,
      availableDisplayModes: displayModes,
      locale: vscode.env.language,
      userAgent: `${this.deck.client.name}/${this.deck.client.version}`,
      platform: vscode.env.uiKind === vscode.UIKind.Web ? 'web' : 'desktop',
    };
  }

  private serverChanged(): void {
    const before = this.features;
    const features = (this.features = this.deck.host.servers.get(this.options.target.server)?.features);
    if (!before || !features) return;
    if (features.tools !== before.tools) this.bridge?.listChanged('notifications/tools/list_changed');
    if (features.resources !== before.resources) this.bridge?.listChanged('notifications/resources/list_changed');
  }

  private uri(): string {
    const tool = this.tool();
    const uri = tool && appUriOf(tool);
    if (uri === undefined)
      throw new Error(vscode.l10n.t('The tool no longer has an app, or its server is not running.'));
    return uri;
  }

  private tool(): Tool | undefined {
    const { server, tool } = this.options.target;
    return this.deck.host.servers.get(server)?.features?.tools.find(({ name }) => name === tool);
  }

  private get title(): string {
    const tool = this.tool();
    return tool ? toolTitle(tool) : visibleLine(this.options.target.tool, 80);
  }

  private isShown(frame: number): boolean {
    return this.view.kind === 'app' && this.view.frame === frame;
  }

  private closeBridge(): void {
    this.bridge?.close();
    this.bridge = undefined;
    this.options.tellModel(undefined);
  }
}

/** Represents all origins, including those that the server did not declare. */
const anyPlace = '*';

/** The origins that the app could reach. Empty for most apps. */
function placesOf({ html, declared }: Pick<AppResource, 'html' | 'declared'>): string[] {
  const domains = allDomains(declared.domains);
  return domains.length === 0 && holdsFrameDocuments(html) ? [anyPlace] : domains;
}

function tellEnd(bridge: AppBridge, end: AppRunEnd): void {
  if ('result' in end) bridge.showResult(end.result);
  else bridge.showCancelled(end.message);
}

import { createHash, randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { systemClock } from '../../../core/base/clock.js';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import { Emitter } from '../../../core/base/event.js';
import { messageOf } from '../../../core/base/hostError.js';
import { Sequencer } from '../../../core/base/sequencer.js';
import { stateKeys } from '../../../core/base/stores.js';
import type { ClientClaim } from '../../../core/gateway/gatewayClients.js';
import type { ToolOverride } from '../../../core/presets/toolOverrides.js';
import type { AgentTools } from '../../../core/gateway/agentTools.js';
import type { GatewayNames } from '../../../core/gateway/gatewayNames.js';
import type { OpenedGateway } from '../../../core/gateway/openGateway.js';
import { showInformation, showWarning } from '../../adapters/userMessages.js';
import { commandIds } from '../../manifest.js';
import type { ExtensionServices, GatewayService } from '../../ui/services.js';
import { setContext } from '../../ui/setContext.js';
import { tellUnapproved, unapprovedServers } from '../../ui/unapprovedServers.js';
import { fileFolders } from '../../adapters/workspaceRoots.js';
import { isOfVsCode, startsOwnServers, vsCodeServerSettings } from '../../adapters/vsCodeServerSettings.js';
import { agentRun } from './agentRun.js';
import { doorCopy, onDidChangeWindow } from './doorPlace.js';
import type { OwnAgentOffer } from './ownAgent.js';
import { AgentTexts } from './agentTexts.js';
import { AgentApprovals } from './agentApprovals.js';

/**
 * A query parameter of the URL that leaves out the servers that VS Code starts itself (`core/gateway/clientView.ts`).
 */
const withoutVsCode = 'without=vscode';

/**
 * Time in which VS Code usually detects a new server, in milliseconds. If VS Code needs longer, a later attempt
 * succeeds.
 */
const connectMs = 2_000;

/** Starts and stops the gateway of this window. The code of the gateway is loaded on first use. */
export class GatewayControl implements GatewayService, Disposable {
  private readonly changed = new Emitter<void>();
  readonly onDidChange = this.changed.event;
  private readonly steps = new Sequencer();
  private running: { gateway: OpenedGateway; listeners: DisposableStore } | undefined;
  private kept: AgentApprovals | undefined;
  private keptTexts: AgentTexts | undefined;
  private names: GatewayNames | undefined;
  private tools: Promise<AgentTools> | undefined;

  constructor(
    private readonly services: () => ExtensionServices,
    private readonly ownAgent: Pick<OwnAgentOffer, 'offer'>,
  ) {}

  get opened(): OpenedGateway | undefined {
    return this.running?.gateway;
  }

  get absent(): readonly ClientClaim[] {
    const here = this.opened?.clients.list ?? [];
    return this.approvals.list.filter(
      ({ name, preset }) => !here.some((client) => client.name === name && client.preset === preset),
    );
  }

  get waitingTexts(): readonly ToolOverride[] {
    return this.texts.waiting;
  }

  async approveTexts(overrides: readonly ToolOverride[]): Promise<void> {
    await this.texts.approve(overrides);
    this.viewChanged();
  }

  start(): Promise<OpenedGateway> {
    return this.steps.run(() => this.open());
  }

  stop(): Promise<void> {
    return this.steps.run(() => this.close());
  }

  async token(): Promise<string> {
    const { secrets } = this.services().extension;
    const token = await secrets.get(this.tokenKey);
    return token ?? this.newToken();
  }

  private async newToken(): Promise<string> {
    const fresh = randomBytes(24).toString('base64url');
    await this.services().extension.secrets.store(this.tokenKey, fresh);
    return fresh;
  }

  rotateToken(): Promise<void> {
    return this.steps.run(async () => {
      await this.services().extension.secrets.delete(this.tokenKey);
      if (!this.running) return;
      await this.close();
      await this.open();
    });
  }

  async startServers(): Promise<void> {
    await this.opened?.clients.prepared();
  }

  /** The user has connected an app, or disconnected it. */
  async connectApp(app: string, isConnected: boolean): Promise<void> {
    const { approvals, opened } = this;
    if (isConnected) {
      opened?.clients.allowAgain(app);
      await approvals.expect(app);
    } else for (const name of await approvals.disconnect(app)) opened?.clients.refuse(name);
    this.changed.fire();
  }

  async forget(name: string): Promise<void> {
    await this.approvals.forget(name);
    this.opened?.clients.forget(name);
    this.changed.fire();
  }

  /** Removes the approvals of all agents, and those of the texts that they see. */
  async forgetAll(): Promise<void> {
    for (const name of new Set(this.approvals.list.map((approval) => approval.name))) await this.forget(name);
    await this.approvals.unexpectAll();
    await this.texts.forget();
    this.viewChanged();
  }

  dispose(): void {
    void this.close();
    this.changed.dispose();
  }

  /**
   * The tools for an agent in this window. Their names and texts are those of the gateway, which does not need to run.
   */
  agentTools(): Promise<AgentTools> {
    return (this.tools ??= this.openTools());
  }

  private async openTools(): Promise<AgentTools> {
    const deck = this.services();
    const { host, log, schemas, presets } = deck;
    await presets.refresh();
    const { AgentTools, ServerStarts } = await import('../../../core/gateway/onDemand.js');
    return new AgentTools({
      host,
      starts: new ServerStarts({ host, log, mayAsk: false, restarts: false }),
      names: await this.publicNames(),
      overrides: () => this.texts.applied,
      isLeftOut: ({ entry }) => isOfVsCode(entry.source),
      validate: (schema, value) => schemas.checkOutput(schema, value),
      finder: deck.toolFinder,
      runTool: (call, options) => agentRun(deck, call, options),
    });
  }

  /** Created once, so that a name means the same tool in the gateway and for VS Code's agent. */
  private async publicNames(): Promise<GatewayNames> {
    const { gatewayNames } = await import('../../../core/gateway/onDemand.js');
    return (this.names ??= gatewayNames({
      stored: this.services().state.get(stateKeys.gatewayNames),
      save: (names) => this.keep(stateKeys.gatewayNames, names),
    }));
  }

  private get approvals(): AgentApprovals {
    const { state, requests, consent, presets } = this.services();
    return (this.kept ??= new AgentApprovals(state, requests.queue, consent.audit, presets));
  }

  private get texts(): AgentTexts {
    const { state, presets } = this.services();
    return (this.keptTexts ??= new AgentTexts(state, () => presets.overrides));
  }

  /** The key contains a hash of the workspace's storage location, so each workspace has its own token. */
  private get tokenKey(): string {
    const { storageUri, globalStorageUri } = this.services().extension;
    return `gateway:${createHash('sha256')
      .update((storageUri ?? globalStorageUri).toString())
      .digest('hex')}`;
  }

  private async open(): Promise<OpenedGateway> {
    if (this.running) return this.running.gateway;
    const deck = this.services();
    const { host, state, log, schemas, client, presets, settings } = deck;
    await presets.refresh();
    const { openGateway } = await import('../../../core/gateway/onDemand.js');
    const names = await this.publicNames();
    const lastPort = state.get(stateKeys.gatewayPort);
    const gateway = await openGateway({
      host,
      info: client,
      log,
      approvals: this.approvals,
      token: await this.token(),
      // The same port as before, so that a copied configuration stays valid.
      ...(typeof lastPort === 'number' ? { port: lastPort } : {}),
      tokenForOtherPort: () => this.newToken(),
      validate: (schema, value) => schemas.checkOutput(schema, value),
      user: { waitingText: vscode.l10n.t('Waiting for an answer in VS Code'), clock: systemClock },
      view: {
        overrides: () => this.texts.applied,
        presetFor: (name, preset) => this.approvals.presetFor(name, preset),
      },
      runTool: (call, options) => agentRun(deck, call, options),
      finder: deck.toolFinder,
      names,
      door: {
        folder: doorCopy(deck).folder,
        folders: () => fileFolders().map(({ path }) => path),
        isFocused: vscode.window.state.focused,
      },
    });
    if (gateway.port !== lastPort) this.keep(stateKeys.gatewayPort, gateway.port);
    if (gateway.isMoved && typeof lastPort === 'number') tellMoved(lastPort);
    const listeners = new DisposableStore();
    listeners.add(gateway.clients.onDidChange(() => this.changed.fire()));
    listeners.add(gateway.clients.onDidApprove((client) => void this.tellApproved(gateway, client)));
    listeners.add(onDidChangeWindow((isFocused) => void gateway.door?.refresh(isFocused)));
    listeners.add(
      host.servers.onDidChange(({ server }) => (server === undefined ? gateway.configurationChanged() : undefined)),
    );
    listeners.add(presets.onDidChange(() => this.viewChanged()));
    listeners.add(settings.onDidChange(() => this.offer()));
    listeners.add(
      vscode.workspace.onDidChangeConfiguration((event) =>
        Object.values(vsCodeServerSettings).some((key) => event.affectsConfiguration(key)) ? this.offer() : undefined,
      ),
    );
    this.running = { gateway, listeners };
    this.offer();
    setContext('mcpDeck.isGatewayRunning', true);
    this.changed.fire();
    return gateway;
  }

  /**
   * Shows that a client was approved and is connected. Names the servers that wait for approval, because the client
   * does not have their tools yet.
   */
  private async tellApproved({ clients }: OpenedGateway, { name, app }: ClientClaim): Promise<void> {
    await clients.prepared();
    const deck = this.services();
    const unapproved = unapprovedServers(deck.host);
    const title =
      app === undefined ? undefined : (await import('../../../core/interchange/agentDoor.js')).agentTitle(app);
    const text =
      title === undefined
        ? vscode.l10n.t('"{0}" is connected.', name)
        : vscode.l10n.t('{0} is connected as "{1}".', title, name);
    if (unapproved.length > 0) tellUnapproved(deck, unapproved, { before: text });
    else void showInformation(text);
  }

  private async close(): Promise<void> {
    const { running } = this;
    if (!running) return;
    this.running = undefined;
    running.listeners.dispose();
    this.offer();
    setContext('mcpDeck.isGatewayRunning', false);
    this.changed.fire();
    await running.gateway.close();
  }

  /** Offers the gateway to VS Code's own agent, or stops offering it. */
  private offer(): void {
    const { opened } = this;
    const { settings, client } = this.services();
    const isOffered = opened !== undefined && settings.vsCodeAgent() === 'gateway';
    this.ownAgent.offer(
      isOffered
        ? {
            url: startsOwnServers() ? `${opened.url}?${withoutVsCode}` : opened.url,
            version: client.version,
            token: () => this.token(),
          }
        : undefined,
    );
    if (isOffered && !startsOwnServers()) this.connectVsCode();
  }

  /**
   * Connects VS Code's agent to the gateway. VS Code itself does not connect the agent if it starts no servers
   * automatically.
   */
  private connectVsCode(attempts = 3): void {
    const { extension } = this.services().extension;
    systemClock.after(connectMs, () => {
      const isConnected = this.opened?.clients.list.some(({ name }) => name === vscode.env.appName) ?? true;
      if (isConnected || attempts === 0) return;
      void vscode.commands.executeCommand('workbench.mcp.startServer', `${extension.id.toLowerCase()}/MCP Deck`);
      this.connectVsCode(attempts - 1);
    });
  }

  private viewChanged(): void {
    this.opened?.viewChanged();
    this.changed.fire();
  }

  private keep(key: string, value: unknown): void {
    const { state, log } = this.services();
    state.set(key, value).catch((error: unknown) => log.write('warn', `${key}: ${messageOf(error)}`));
  }
}

function tellMoved(port: number): void {
  const button = vscode.l10n.t('Copy Configuration…');
  // The command asks the user, because any program can press the button of a notification.
  void showWarning(
    vscode.l10n.t(
      'Another program uses port {0}, so the gateway has a new URL and a new token. If you copied the configuration into an agent, copy it again.',
      port,
    ),
    button,
  ).then((chosen) =>
    chosen === button ? vscode.commands.executeCommand(commandIds.copyGatewayConfiguration) : undefined,
  );
}

/**
 * The codec for the revisions with a handshake: 2024-11-05 to 2025-11-25 (specification 2025-11-25: basic/lifecycle).
 * One `initialize` per connection determines revision and capabilities; the server may send requests; list changes,
 * logs and updates can arrive as notifications at any time.
 */
import { isObject } from '../base/guards.js';
import { HostError, messageOf } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import { ProtocolError } from '../protocol/jsonRpc.js';
import type { Params, Result } from '../protocol/jsonRpc.js';
import type { Implementation, LoggingLevel, ServerCapabilities } from '../protocol/mcp.js';
import type { LegacyRevision } from '../protocol/revisions.js';
import { isAtLeast, isLegacyRevision, legacyRevisions } from '../protocol/revisions.js';
import { ClientTasks } from './clientTasks.js';
import type { Codec, CodecOptions, CodecRequestOptions, SessionListener } from './codec.js';
import { readLogMessage } from '../protocol/mcp.js';
import type { ServerIdentity } from './serverIdentity.js';
import { readAnswer, readInstructions } from './serverIdentity.js';
import { answerServerRequest, clientCapabilities } from './serverRequests.js';
import { SessionRenewal } from './sessionRenewal.js';
import type { InboundHandler, Wire } from './wire.js';

/** Maximum number of capabilities of a server that are read. */
const maxCapabilities = 1_000;

export class LegacyCodec implements Codec, InboundHandler {
  readonly era = 'legacy';
  private readonly renewal: SessionRenewal;
  private logLevel: LoggingLevel | undefined;
  private readonly subscriptions = new Set<string>();
  private tasks: ClientTasks | undefined;

  private constructor(
    private readonly wire: Wire,
    private readonly options: CodecOptions,
    private current: LegacyIdentity,
    private readonly offered: LegacyRevision,
  ) {
    this.renewal = new SessionRenewal({
      open: () => this.renew(),
      ping: () => wire.peer.request('ping'),
      giveUp: (error) => wire.onClose(error),
    });
  }

  get identity(): ServerIdentity {
    return this.current;
  }

  get revision(): LegacyRevision {
    return this.current.revision;
  }

  /** Creates the codec for a server that has answered `initialize`. */
  static adopt(wire: Wire, options: CodecOptions, identity: LegacyIdentity, offered: LegacyRevision): LegacyCodec {
    const codec = new LegacyCodec(wire, options, identity, offered);
    wire.speaker = codec;
    codec.confirm();
    return codec;
  }

  request<T = Result>(
    method: string,
    params: Params | undefined,
    options?: CodecRequestOptions,
    read?: (result: Result) => T,
  ): Promise<T> {
    const { peer, transport } = this.wire;
    // Only HTTP sessions expire, so requests on other transports need no renewal.
    if (transport.kind !== 'http') return peer.request(method, params, options, read);
    return this.renewal.request(() => peer.request(method, params, options, read));
  }

  async setLogLevel(level: LoggingLevel | undefined): Promise<void> {
    this.logLevel = level;
    if (!this.current.capabilities.logging) return;
    await this.request('logging/setLevel', { level: level ?? 'emergency' });
  }

  async setSubscription(uri: string, isWanted: boolean): Promise<void> {
    if (isWanted) this.subscriptions.add(uri);
    else this.subscriptions.delete(uri);
    if (this.current.capabilities.resources?.subscribe !== true) return;
    await this.request(isWanted ? 'resources/subscribe' : 'resources/unsubscribe', { uri });
  }

  rootsChanged(): void {
    if (this.options.handlers.roots) this.wire.peer.notify('notifications/roots/list_changed');
  }

  async ping(timeoutMs: number): Promise<void> {
    await this.request('ping', undefined, { timeoutMs });
  }

  dispose(): void {
    this.tasks?.dispose();
  }

  /** Sends `notifications/initialized`. Streamable HTTP then opens its GET stream. */
  private confirm(): void {
    this.wire.transport.handshakeDone?.(this.current.revision);
    this.wire.peer.notify('notifications/initialized');
  }

  /**
   * Repeats the handshake after the HTTP session was lost, and restores the settings of the session. Requests do not
   * wait for the settings.
   */
  private async renew(): Promise<void> {
    this.current = await initialize(this.wire, this.options, this.offered);
    this.confirm();
    this.options.listener.onWarning?.('The server no longer knew the session, so MCP Deck started a new one.');
    const { logging, resources } = this.current.capabilities;
    if (this.logLevel && logging) this.restore('logging/setLevel', { level: this.logLevel });
    if (resources?.subscribe === true)
      for (const uri of this.subscriptions) this.restore('resources/subscribe', { uri });
  }

  private restore(method: string, params: Params): void {
    this.wire.peer
      .request(method, params)
      .catch((error: unknown) =>
        this.options.listener.onWarning?.(`${method} failed in the new session: ${visibleLine(messageOf(error))}`),
      );
  }

  receive(method: string, params: Params): void {
    receiveNotification(method, params, this.options.listener);
  }

  answer(method: string, params: Params, signal: AbortSignal): Promise<Result> {
    if (method === 'ping') return Promise.resolve({});
    if (isAtLeast(this.current.revision, '2025-11-25')) {
      if (method.startsWith('tasks/')) {
        if (this.tasks) return this.tasks.answer(method, params);
      } else if (isObject(params['task'])) {
        this.tasks ??= new ClientTasks((task) => this.wire.peer.notify('notifications/tasks/status', task));
        return this.tasks.start(params, (taskSignal) =>
          answerServerRequest(method, params, this.options.handlers, taskSignal),
        );
      }
    }
    return answerServerRequest(method, params, this.options.handlers, signal);
  }
}

/** The identity of a server of the legacy era. */
export type LegacyIdentity = ServerIdentity & { revision: LegacyRevision };

/**
 * Sends `initialize`. Rejects with HostError `handshake-failed`, `unsupported-version` or `timeout`, or with the error
 * of the transport.
 * @param offered the revision to offer.
 */
export async function initialize(
  wire: Wire,
  options: CodecOptions,
  offered: LegacyRevision,
  signal?: AbortSignal,
): Promise<LegacyIdentity> {
  const capabilities = clientCapabilities(options.handlers, offered);
  if (isAtLeast(offered, '2025-11-25')) capabilities.tasks = ClientTasks.capability(options.handlers);
  let result: Result;
  try {
    result = await wire.peer.request(
      'initialize',
      { protocolVersion: offered, capabilities, clientInfo: options.client },
      { signal, timeoutMs: options.startTimeoutMs, maxTotalMs: options.startTimeoutMs, isCancellable: false },
    );
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    const theirs = isObject(error.data) ? error.data['supported'] : undefined;
    throw new HostError(
      'handshake-failed',
      `The server refused to start a session: ${visibleLine(error.message)} (code ${error.code}).`,
      {
        data: { code: error.code, ...(theirs === undefined ? {} : { theirs }) },
        cause: error,
        hint: 'Its log may say why.',
      },
    );
  }
  const { protocolVersion, serverInfo, instructions } = result;
  if (!isLegacyRevision(protocolVersion)) {
    throw new HostError(
      'unsupported-version',
      `The server uses protocol revision ${visibleLine(String(protocolVersion), 40)}. MCP Deck offered ${offered} and supports ${legacyRevisions.join(', ')}.`,
      { data: { theirs: protocolVersion, ours: legacyRevisions, offered }, hint: 'Update the server, or MCP Deck.' },
    );
  }
  return {
    era: 'legacy',
    revision: protocolVersion,
    info: readImplementation(serverInfo ?? result['serverName']),
    capabilities: readCapabilities(result['capabilities'], 'initialize'),
    ...readInstructions(instructions),
    answer: readAnswer('initialize', result),
    transportKind: wire.transport.kind,
  };
}

/** Reads `serverInfo` of either era. A plain string is used as the name. A missing name or version is empty. */
export function readImplementation(value: unknown): Implementation {
  if (typeof value === 'string') return { name: value, version: '' };
  if (!isObject(value)) return { name: '', version: '' };
  const text = (field: string) => (typeof value[field] === 'string' ? value[field] : undefined);
  const { icons } = value;
  return {
    name: text('name') ?? '',
    version: text('version') ?? '',
    ...(text('title') === undefined ? {} : { title: text('title') }),
    ...(text('description') === undefined ? {} : { description: text('description') }),
    ...(text('websiteUrl') === undefined ? {} : { websiteUrl: text('websiteUrl') }),
    ...(Array.isArray(icons)
      ? { icons: icons.filter((icon) => isObject(icon) && typeof icon['src'] === 'string') }
      : {}),
  };
}

/**
 * Reads the capabilities of a server. Throws if the value is not an object. A single capability of a wrong type is
 * treated as absent, and so is each one after the first thousand.
 */
export function readCapabilities(value: unknown, method: string): ServerCapabilities {
  if (!isObject(value)) {
    throw new HostError('handshake-failed', `The server's answer to ${method} has no "capabilities" object.`, {
      data: { field: 'capabilities', method },
    });
  }
  const read: [string, object][] = [];
  for (const name in value) {
    const capability = value[name];
    if (isObject(capability)) read.push([name, capability]);
    if (read.length >= maxCapabilities) break;
  }
  return Object.fromEntries(read);
}

/** Handles notifications of the legacy era, and `notifications/tasks` of the extension for tasks. */
function receiveNotification(method: string, params: Params, listener: SessionListener): void {
  switch (method) {
    case 'notifications/message': {
      const message = readLogMessage(params);
      if (message) listener.onLog?.(message);
      return;
    }
    case 'notifications/tools/list_changed':
      listener.onListChanged?.('tools');
      return;
    case 'notifications/resources/list_changed':
      listener.onListChanged?.('resources');
      return;
    case 'notifications/prompts/list_changed':
      listener.onListChanged?.('prompts');
      return;
    case 'notifications/resources/updated':
      if (typeof params['uri'] === 'string') listener.onResourceUpdated?.(params['uri']);
      return;
    case 'notifications/elicitation/complete':
      if (typeof params['elicitationId'] === 'string') listener.onElicitationComplete?.(params['elicitationId']);
      return;
    case 'notifications/tasks/status':
    case 'notifications/tasks':
      listener.onTaskStatus?.(params);
      return;
    default:
      // Unknown notifications are ignored (JSON-RPC 2.0 section 4.1).
      return;
  }
}

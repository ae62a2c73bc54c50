/**
 * The session of one client of the door. It outlives windows: the door answers the handshake itself, repeats it to each
 * window that it finds, and restores log level, subscriptions and streams there. All other messages are passed on
 * unchanged. While no window is open, lists are those that the client received last, and calls fail with the reason.
 */
import { isObject } from '../../core/base/guards.js';
import type { RequestId } from '../../core/protocol/jsonRpc.js';
import { ErrorCode } from '../../core/protocol/jsonRpc.js';
import type { Implementation } from '../../core/protocol/mcp.js';
import { listMembers, metaKeys } from '../../core/protocol/mcp.js';
import type { Revision } from '../../core/protocol/revisions.js';
import { isLegacyRevision, isModernRevision, legacyRevisions, modernRevisions } from '../../core/protocol/revisions.js';
import { isModernMessage } from '../../core/serving/envelope.js';
import { gatewayInstructions } from '../../core/gateway/waitingServers.js';
import {
  absentInstructions,
  discoverResult,
  errorLine,
  failureLine,
  initializeResult,
  isKnownMethod,
  modernResult,
  needsWindow,
  resultLine,
} from './doorAnswers.js';
import type { KnownLists } from './knownLists.js';
import { OpenStreams } from './openStreams.js';

type Params = Record<string, unknown>;

export interface DoorPorts {
  info: Implementation;
  /** Writes one line to the client. */
  toClient(line: string): void;
  /** Looks for a window, because a request waits for one. Calls `attach` or `absent` later. */
  seek(): void;
  /** The stored lists of a client. */
  lists(client: string | undefined, revision: string): KnownLists;
}

interface Request {
  id: RequestId;
  method: string;
  params: Params;
  isModern: boolean;
  line: string;
}

/** Maximum number of open requests, as in the gateway. */
const maxOpenRequests = 1_024;
/** Maximum number of subscriptions, as in the gateway. */
const maxSubscriptions = 1_000;

/**
 * How long a handshake waits for the search for a window, in milliseconds. The search takes that long only if a window
 * does not answer, and then the client must not exceed its own time limit.
 */
const handshakeMs = 2_000;

/** Maximum number of messages in one batch. */
const maxBatch = 100;

export class DoorSession {
  private toWindow: ((line: string) => void) | undefined;
  /** Whether the state of the session was restored in the window. */
  private isReady = false;
  private handshake: { params: Params; revision: Revision } | undefined;
  private isInitialized = false;
  /** The handshakes that wait for the end of the search for a window. */
  private readonly greetings = new Set<(instructions: string) => void>();
  private logLevel: Params | undefined;
  private readonly subscriptions = new Map<string, Params>();
  private readonly streams = new OpenStreams();
  private waiting: Request[] = [];
  /** Requests of the client that the window has not answered, by ID. */
  private readonly open = new Map<RequestId, Request>();
  /** Requests of the window that the client has not answered. */
  private readonly asked = new Set<unknown>();
  /** Requests of the door to the window. */
  private readonly own = new Map<string, () => void>();
  private ownCount = 0;
  /** Whether the client may have lists that are out of date. */
  private isStale = false;
  private lists: KnownLists | undefined;

  constructor(private readonly ports: DoorPorts) {}

  fromClient(line: string): void {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      this.ports.toClient(errorLine(null, ErrorCode.parseError, 'The message is not JSON.'));
      return;
    }
    if (!Array.isArray(message)) this.receive(message, line);
    else if (message.length === 0 || message.length > maxBatch)
      this.ports.toClient(errorLine(null, ErrorCode.invalidRequest, 'Batches of this size are not supported.'));
    // The members of a batch, which 2025-03-26 allows, are answered one by one.
    else for (const member of message as unknown[]) this.receive(member, JSON.stringify(member));
  }

  /** Connects the session to a window. */
  attach(toWindow: (line: string) => void): void {
    this.toWindow = toWindow;
    this.greetAll(gatewayInstructions);
    if (this.handshake) this.repeatHandshake();
    else this.becomeReady();
  }

  /** The window is gone. The open requests for lists wait for another window; all others fail. */
  detach(reason: string): void {
    this.toWindow = undefined;
    this.isReady = false;
    this.isStale = true;
    this.own.clear();
    for (const id of this.asked)
      this.ports.toClient(
        JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason } }),
      );
    this.asked.clear();
    const open = [...this.open.values()];
    this.open.clear();
    for (const request of open)
      if (request.method in listMembers) this.wait(request);
      else this.fail(request, reason);
  }

  /**
   * Answers the handshakes and requests that wait for a search that found no window.
   * @param isBrief whether a window was connected a moment ago and may return. Requests that need a window then wait.
   */
  absent(advice: string, isBrief: boolean): void {
    this.isStale = true;
    this.greetAll(absentInstructions(advice));
    const { waiting } = this;
    this.waiting = waiting.filter(({ method }) => isBrief && needsWindow(method));
    for (const request of waiting) if (!this.waiting.includes(request)) void this.answerAlone(request, advice);
  }

  /** Answers the handshakes that still wait, because the client sends no more messages. */
  end(): void {
    this.greetAll(gatewayInstructions);
  }

  get isWaiting(): boolean {
    return this.waiting.length > 0;
  }

  fromWindow(line: string): void {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      return;
    }
    if (Array.isArray(message) || !isObject(message)) return;
    const { id, method } = message;
    const params = isObject(message['params']) ? message['params'] : {};
    if (typeof method !== 'string') this.receiveAnswer(id, message, line);
    else if (typeof id === 'string' || typeof id === 'number') this.askClient(id, line);
    else if (id === undefined && this.isForClient(method, params)) this.ports.toClient(line);
  }

  private askClient(id: RequestId, line: string): void {
    if (this.asked.size >= maxOpenRequests)
      this.toWindow?.(errorLine(id, ErrorCode.internalError, 'Too many requests are open at once.'));
    else {
      this.asked.add(id);
      this.ports.toClient(line);
    }
  }

  private receive(message: unknown, line: string): void {
    if (!isObject(message) || message['jsonrpc'] !== '2.0') {
      this.ports.toClient(errorLine(null, ErrorCode.invalidRequest, 'The message is not JSON-RPC 2.0.'));
      return;
    }
    const { id, method } = message;
    const params = isObject(message['params']) ? message['params'] : {};
    if (typeof method !== 'string') {
      // A late answer to a request of an earlier window is dropped.
      if (this.asked.delete(id)) this.toWindow?.(line);
    } else if (typeof id === 'string' || typeof id === 'number')
      this.receiveRequest({ id, method, params, isModern: isModernMessage(method, params), line });
    else if (id === undefined) this.receiveNotification(method, params, line);
  }

  private receiveNotification(method: string, params: Params, line: string): void {
    // Not forwarded: the door itself sends `notifications/initialized` to each window with the handshake.
    if (method === 'notifications/initialized') this.isInitialized = this.handshake !== undefined;
    else if (method !== 'notifications/cancelled') this.send(line);
    else {
      const id = params['requestId'] as RequestId;
      this.waiting = this.waiting.filter((request) => request.id !== id);
      if (this.streams.delete(id) || this.open.delete(id)) this.send(line);
    }
  }

  private receiveRequest(request: Request): void {
    const { id, method, params, isModern } = request;
    if (this.open.has(id) || this.streams.has(id) || this.waiting.some((one) => one.id === id))
      this.refuse(id, ErrorCode.invalidRequest, 'A request with this ID is still open.');
    else if (this.open.size + this.waiting.length >= maxOpenRequests)
      this.refuse(id, ErrorCode.internalError, 'Too many requests are open at once.');
    else if (method === 'ping' && !isModern) this.ports.toClient(resultLine(id, {}));
    else if (method === 'initialize') this.initialize(id, params);
    else if (isModern) this.receiveModern(request);
    else if (!this.handshake)
      this.refuse(id, ErrorCode.invalidRequest, 'The session is not initialized: send initialize first.');
    else {
      if (method === 'logging/setLevel') this.logLevel = params;
      this.forward(request);
    }
  }

  private receiveModern(request: Request): void {
    const { id, method, params } = request;
    const meta = isObject(params['_meta']) ? params['_meta'] : {};
    const revision = meta[metaKeys.protocolVersion];
    if (typeof revision === 'string' && !isModernRevision(revision)) {
      const data = { supported: modernRevisions, requested: revision };
      this.refuse(id, ErrorCode.unsupportedProtocolVersion, 'Unsupported protocol version', data);
      return;
    }
    if (typeof revision !== 'string' || !isObject(meta[metaKeys.clientCapabilities])) {
      this.refuse(
        id,
        ErrorCode.invalidParams,
        'The _meta of the request must contain the protocol version and the client capabilities.',
      );
      return;
    }
    this.identify(meta[metaKeys.clientInfo], revision);
    if (method === 'server/discover')
      this.greet((instructions) => resultLine(id, discoverResult(this.ports.info, instructions)));
    else this.forward(request);
  }

  private initialize(id: RequestId, params: Params): void {
    const wanted = params['protocolVersion'];
    if (this.handshake) this.refuse(id, ErrorCode.invalidRequest, 'The session is already initialized.');
    else if (typeof wanted !== 'string')
      this.refuse(id, ErrorCode.invalidParams, 'protocolVersion is missing or not a string.');
    else {
      const revision = isLegacyRevision(wanted) ? wanted : legacyRevisions[0];
      this.handshake = { params, revision };
      this.identify(params['clientInfo'], revision);
      this.greet((instructions) => resultLine(id, initializeResult(this.ports.info, revision, instructions)));
      if (this.toWindow) this.repeatHandshake();
    }
  }

  /** Answers a handshake when it is known whether there is a window, because the instructions depend on it. */
  private greet(lineWith: (instructions: string) => string): void {
    const greeting = (instructions: string) => {
      if (this.greetings.delete(greeting)) this.ports.toClient(lineWith(instructions));
    };
    this.greetings.add(greeting);
    if (this.toWindow) greeting(gatewayInstructions);
    else {
      setTimeout(() => greeting(gatewayInstructions), handshakeMs).unref();
      this.ports.seek();
    }
  }

  private greetAll(instructions: string): void {
    for (const greeting of [...this.greetings]) greeting(instructions);
  }

  private identify(client: unknown, revision: string): void {
    const name = isObject(client) && typeof client['name'] === 'string' ? client['name'] : undefined;
    this.lists ??= this.ports.lists(name, revision);
  }

  /** Sends a request to the window, or keeps the request until there is a window. */
  private forward(request: Request): void {
    if (!this.isReady) {
      this.wait(request);
      if (!this.toWindow) this.ports.seek();
      return;
    }
    const { id, method, params } = request;
    if (method === 'subscriptions/listen') this.streams.add(id, request.line, params);
    else this.open.set(id, request);
    this.send(request.line);
  }

  private wait(request: Request): void {
    this.waiting.push(request);
  }

  private send(line: string): void {
    if (this.isReady) this.toWindow?.(line);
  }

  private repeatHandshake(): void {
    const { handshake } = this;
    if (!handshake) return;
    this.isReady = false;
    this.request('initialize', { ...handshake.params, protocolVersion: handshake.revision }, () => {
      this.toWindow?.(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
      if (this.logLevel) this.request('logging/setLevel', this.logLevel);
      for (const params of this.subscriptions.values()) this.request('resources/subscribe', params);
      this.becomeReady();
    });
  }

  private request(method: string, params: Params, onAnswer?: () => void): void {
    const id = `mcp-deck-door:${++this.ownCount}`;
    this.own.set(id, onAnswer ?? (() => undefined));
    this.toWindow?.(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
  }

  private becomeReady(): void {
    this.isReady = true;
    for (const line of this.streams.repeat()) this.send(line);
    const { waiting } = this;
    this.waiting = [];
    for (const request of waiting) this.forward(request);
    if (!this.isStale) return;
    this.isStale = false;
    if (this.isInitialized)
      for (const kind of ['tools', 'prompts', 'resources'])
        this.ports.toClient(JSON.stringify({ jsonrpc: '2.0', method: `notifications/${kind}/list_changed` }));
    for (const line of this.streams.changes()) this.ports.toClient(line);
  }

  private receiveAnswer(id: unknown, message: Params, line: string): void {
    const onAnswer = typeof id === 'string' ? this.own.get(id) : undefined;
    if (onAnswer && typeof id === 'string') {
      this.own.delete(id);
      onAnswer();
      return;
    }
    const key = id as RequestId;
    if (this.streams.has(key)) {
      // The window ended the stream. The next window continues it, so the client does not receive this response.
      if (message['error'] === undefined) return;
      this.streams.delete(key);
      this.ports.toClient(line);
      return;
    }
    const request = this.open.get(key);
    if (!request) return;
    this.open.delete(key);
    if (message['error'] === undefined) this.learn(request, message['result']);
    this.ports.toClient(line);
  }

  /**
   * Stores the lists, which the door returns while no window is open, and the subscriptions, which it repeats to the
   * next window.
   */
  private learn({ method, params }: Request, result: unknown): void {
    const { uri } = params;
    if (method in listMembers) void this.lists?.keep(method, params['cursor'] === undefined, result);
    else if (typeof uri !== 'string') return;
    else if (method === 'resources/unsubscribe') this.subscriptions.delete(uri);
    else if (method === 'resources/subscribe' && this.subscriptions.size < maxSubscriptions)
      this.subscriptions.set(uri, params);
  }

  private isForClient(method: string, params: Params): boolean {
    if (method === 'notifications/subscriptions/acknowledged')
      return this.streams.acknowledge(subscriptionOf(params), params['notifications']);
    if (method === 'notifications/cancelled') {
      if (this.streams.has(params['requestId'])) return false;
      this.asked.delete(params['requestId']);
    }
    return (
      this.isInitialized || !/^notifications\/\w+\/list_changed$/.test(method) || subscriptionOf(params) !== undefined
    );
  }

  private async answerAlone(request: Request, advice: string): Promise<void> {
    const { id, method, params, isModern } = request;
    const { info } = this.ports;
    const shaped = (result: Params, isCacheable = false) =>
      resultLine(id, isModern ? modernResult(info, result, isCacheable) : result);
    if (method === 'subscriptions/listen') {
      this.streams.add(id, request.line, params);
      this.ports.toClient(this.streams.acknowledgement(id));
    } else if (needsWindow(method)) this.fail(request, advice);
    else if (isKnownMethod(method)) {
      const items = params['cursor'] === undefined ? ((await this.lists?.list(method)) ?? []) : [];
      this.ports.toClient(shaped({ [listMembers[method] ?? '']: items }, true));
    } else if (!isModern && /^(?:logging\/setLevel|resources\/(?:un)?subscribe)$/.test(method)) {
      this.learn(request, {});
      this.ports.toClient(resultLine(id, {}));
    } else this.refuse(id, ErrorCode.methodNotFound, `Method not found: ${method.slice(0, 100)}`);
  }

  private fail(request: Request, text: string): void {
    this.ports.toClient(failureLine(request, this.ports.info, text));
  }

  private refuse(id: RequestId, code: number, message: string, data?: unknown): void {
    this.ports.toClient(errorLine(id, code, message, data));
  }
}

function subscriptionOf(params: Params): unknown {
  return isObject(params['_meta']) ? params['_meta'][metaKeys.subscriptionId] : undefined;
}

/**
 * One session of the legacy era over HTTP (specification 2025-11-25, basic/transports, "Streamable HTTP"). Each POST is
 * answered on its own response, and messages that belong to no request go to the GET stream. Streams can be resumed
 * after a disconnect. In this era, a disconnect never means cancellation.
 */
import { exactJson } from '../base/jsonTokens.js';
import type { ServerResponse } from 'node:http';
import type { Clock } from '../base/clock.js';
import { isObject } from '../base/guards.js';
import type { JsonRpcMessage, RequestId } from '../protocol/jsonRpc.js';
import type { Implementation } from '../protocol/mcp.js';
import { isAtLeast } from '../protocol/revisions.js';
import type { HeldBytes } from './byteBudget.js';
import type { ConnectionInfo } from './clientGate.js';
import type { ClientConnection } from './clientConnection.js';
import { ServedEventStream } from './servedEventStream.js';
import type { EventKeeper, KeptEvents } from './keptEvents.js';
import type { McpServer } from './mcpServer.js';
import { PostExchange } from './postExchange.js';
import type { UnsentBytes } from './unsentBytes.js';

export interface HttpSessionOptions {
  unsent: UnsentBytes;
  kept: KeptEvents;
  id: string;
  server: McpServer;
  clock: Clock;
  keepAliveMs: number;
  principal?: string;
  connectionInfo: ConnectionInfo;
  onClosed: () => void;
}

/** Maximum size of the events that one session stores for resumption, in characters of JSON. */
const maxKept = 8 * 1024 * 1024;

/** Maximum number of finished streams that are kept so that they can be resumed. */
const maxFinished = 32;

const standaloneName = 'get';

export class HttpSession implements EventKeeper {
  readonly id: string;
  private readonly connection: ClientConnection;
  private readonly exchanges = new Map<RequestId, PostExchange>();
  /** The streams by name, oldest first. */
  private readonly streams = new Map<string, ServedEventStream>();
  private readonly standalone: ServedEventStream;
  private nextStream = 1;
  private usedAt: number;

  constructor(private readonly options: HttpSessionOptions) {
    this.id = options.id;
    this.usedAt = options.clock.now();
    this.standalone = this.createStream(standaloneName);
    this.connection = options.server.accept(
      {
        send: (message, relatedTo) => this.route(message as JsonRpcMessage, relatedTo),
        ended: (id) => this.exchanges.get(id)?.settle(id),
        release: (id, retryMs) => this.exchanges.get(id)?.release(retryMs),
      },
      { era: 'legacy', principal: options.principal, connectionInfo: options.connectionInfo },
      () => {
        for (const stream of this.streams.values()) stream.finish();
        this.streams.clear();
        options.kept.changed(this, 0);
        options.onClosed();
      },
    );
  }

  /** True after `initialize` has succeeded. */
  get isOpen(): boolean {
    return this.connection.revision !== undefined;
  }

  /** Whether the client has sent a request that the gate of the server let pass. */
  get isAdmitted(): boolean {
    return this.connection.isAdmitted;
  }

  /** The client as it introduced itself. */
  get client(): Implementation | undefined {
    return this.connection.client;
  }

  /** True for 2025-03-26, the only revision with batches over HTTP. */
  get takesBatches(): boolean {
    return this.connection.revision === '2025-03-26';
  }

  /** Milliseconds since the last activity; 0 while a request or the GET stream is open. */
  idleMs(now: number): number {
    return this.connection.openCount > 0 || this.standalone.isAttached ? 0 : now - this.usedAt;
  }

  /** True while a request with this ID is in progress. */
  hasOpen(id: RequestId): boolean {
    return this.connection.hasOpen(id);
  }

  /** Receives the messages of one POST and answers on `response`. */
  post(
    messages: readonly unknown[],
    isBatch: boolean,
    response: ServerResponse,
    headers?: Record<string, string>,
    bytes?: HeldBytes,
  ): void {
    this.touch();
    const ids = messages.flatMap((message) => requestId(message) ?? []);
    const size = bytes?.size ?? 0;
    if (ids.length === 0) {
      for (const message of messages) this.connection.receive(message, size);
      response.writeHead(202, headers).end();
      return;
    }
    // In this era, a request continues after its client has disconnected, so its bytes stay counted.
    bytes?.hold();
    const exchange: PostExchange = new PostExchange({
      response,
      openStream: () => this.createStream(`post${this.nextStream++}`),
      ids,
      isBatch,
      headers,
      unsent: this.options.unsent,
      clock: this.options.clock,
      keepAliveMs: this.options.keepAliveMs,
      onDone: () => {
        bytes?.release();
        for (const id of ids) if (this.exchanges.get(id) === exchange) this.exchanges.delete(id);
        this.touch();
        this.forget();
      },
    });
    for (const id of ids) this.exchanges.set(id, exchange);
    for (const message of messages) this.connection.receive(message, size);
  }

  /**
   * Opens the stream for messages that belong to no request, or resumes a stream. A second connection replaces the
   * first one, because the client knows best which of its connections is alive.
   * @returns `lost` if the events after `lastEventId` are no longer stored, and `complete` if the stream has ended and
   * nothing follows. In both cases, nothing was written.
   */
  listen(response: ServerResponse, lastEventId: string | undefined): 'attached' | 'complete' | 'lost' {
    this.touch();
    if (lastEventId === undefined) {
      this.standalone.attach(response);
      return 'attached';
    }
    const dot = lastEventId.lastIndexOf('.');
    const stream = this.streams.get(lastEventId.slice(0, dot));
    const after = Number(lastEventId.slice(dot + 1));
    if (!stream?.canResume(after)) return 'lost';
    if (stream.isCompleteAfter(after)) return 'complete';
    stream.attach(response, {}, after);
    return 'attached';
  }

  /** Ends the session: aborts open requests and ends all streams. */
  close(): void {
    this.connection.close();
  }

  private route(message: JsonRpcMessage, relatedTo: RequestId | undefined): void {
    const exchange = relatedTo === undefined ? undefined : this.exchanges.get(relatedTo);
    if (!exchange || relatedTo === undefined) this.standalone.push(exactJson(message));
    else if ('method' in message) exchange.say(message);
    else exchange.answer(relatedTo, message);
    this.forget();
  }

  private createStream(name: string): ServedEventStream {
    const { unsent, clock, keepAliveMs } = this.options;
    const stream = new ServedEventStream({
      name,
      // Older clients would try to parse the empty first event as JSON, so they do not get it.
      isPrimed: () => this.connection.revision !== undefined && isAtLeast(this.connection.revision, '2025-11-25'),
      unsent,
      clock,
      keepAliveMs,
    });
    this.streams.set(name, stream);
    return stream;
  }

  forgetOldest(): number {
    return this.forgetAbove(this.keptSize - 1);
  }

  private get keptSize(): number {
    let size = 0;
    for (const stream of this.streams.values()) size += stream.keptSize;
    return size;
  }

  private forget(): void {
    this.options.kept.changed(this, this.forgetAbove(maxKept));
  }

  /**
   * Keeps the stored events within the limit. Removes finished streams first, then the oldest events of open streams.
   * Returns the size of the events that are left.
   */
  private forgetAbove(maxSize: number): number {
    let size = 0;
    let finished = 0;
    for (const stream of this.streams.values()) {
      size += stream.keptSize;
      if (stream.isFinished) finished++;
    }
    for (const [name, stream] of this.streams) {
      if (size <= maxSize && finished <= maxFinished) return size;
      if (!stream.isFinished) continue;
      this.streams.delete(name);
      size -= stream.keptSize;
      finished--;
    }
    for (const stream of this.streams.values()) {
      while (size > maxSize) {
        const before = stream.keptSize;
        if (!stream.forgetOldest()) break;
        size -= before - stream.keptSize;
      }
    }
    return size;
  }

  private touch(): void {
    this.usedAt = this.options.clock.now();
  }
}

/** The ID of a request; undefined for any other message. */
export function requestId(message: unknown): RequestId | undefined {
  if (!isObject(message) || typeof message['method'] !== 'string') return undefined;
  const { id } = message;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

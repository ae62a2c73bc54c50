import type { Clock } from '../base/clock.js';
import { systemClock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { toDisposable } from '../base/disposable.js';
import { HostError, messageOf } from '../base/hostError.js';
import type { Remark } from '../base/remark.js';
import { remarkOnNetworkText, remarkOnOutput } from '../base/remark.js';
import { ErrorCode, ProtocolError } from '../protocol/jsonRpc.js';
import type { TimeoutHold, PeerHandler } from '../protocol/jsonRpcPeer.js';
import type { Outgoing, Params, Result } from '../protocol/jsonRpc.js';
import { JsonRpcPeer } from '../protocol/jsonRpcPeer.js';
import type { SessionListener } from './codec.js';
import type { TrafficCounts } from '../stats/serverStats.js';
import { noTraffic } from '../stats/serverStats.js';
import type { MessageTap, TapHolder } from '../trace/messageTap.js';
import { MessagePacer } from './messagePacer.js';
import type { HttpExchange, Transport, TransportSink } from '../transport/transport.js';

export interface WireOptions {
  timeoutMs?: number;
  maxTotalMs?: number;
  /** See `PeerOptions`. */
  hold?: TimeoutHold | undefined;
  /** Maximum number of messages sent per second; default no limit. */
  maxMessagesPerSecond?: number | undefined;
  clock?: Clock | undefined;
  /** The holder of the tap, which receives every message. Without a tap, no message is recorded. */
  tap?: TapHolder | undefined;
  /** Counts the messages. */
  traffic?: TrafficCounts | undefined;
}

/** Defaults for connections without a tap or counters. */
const noTap: TapHolder = { current: undefined };
const uncounted = noTraffic();

/** Requests that are answered at once or never end. All others may take long and report progress. */
const withoutProgress: ReadonlySet<string> = new Set(['initialize', 'server/discover', 'ping', 'subscriptions/listen']);

/** Receives the reports of a connection other than messages. */
export type WireListener = Pick<SessionListener, 'onWarning' | 'onStderr' | 'onRemark' | 'onUnanswered'>;

/** The codec's handler for requests and notifications of the server. */
export interface InboundHandler {
  /** Answers a request of the server; absent if requests are not allowed. A thrown error becomes the error response. */
  answer?(method: string, params: Params, signal: AbortSignal): Promise<Result>;
  receive(method: string, params: Params): void;
}

/** Handles messages until the era is known. */
const early: InboundHandler = {
  answer: (method) =>
    method === 'ping'
      ? Promise.resolve({})
      : Promise.reject(new ProtocolError(ErrorCode.invalidRequest, 'The session is not initialized yet.')),
  receive: () => undefined,
};

/**
 * One open transport with its JSON-RPC peer, before and after the era is known. The codec of the detected era becomes
 * the handler. Until then, only `ping` is answered (specification 2025-11-25, lifecycle: nothing but pings before
 * initialization).
 */
export class Wire implements PeerHandler, TransportSink {
  readonly peer: JsonRpcPeer;
  speaker = early;
  /** Whether the server has sent any data on the message channel. */
  hasHeard = false;
  /** Whether requests of this era are canceled by closing their stream instead of by a notification. */
  cancelsByClosing = false;
  private readonly tap: TapHolder;
  private readonly traffic: TrafficCounts;
  private readonly pacer: MessagePacer | undefined;
  private closeListeners: ((reason?: Error) => void)[] = [];
  /** The error for open requests when MCP Deck closes the connection. */
  private closeWhy: HostError | undefined;
  private isTraceBroken = false;
  private closed: { reason: Error | undefined } | undefined;

  constructor(
    readonly transport: Transport,
    public listener: WireListener,
    options: WireOptions,
  ) {
    this.peer = new JsonRpcPeer(this, { ...options, asksForProgress: (method) => !withoutProgress.has(method) });
    this.tap = options.tap ?? noTap;
    this.traffic = options.traffic ?? uncounted;
    if (options.maxMessagesPerSecond !== undefined) {
      this.pacer = new MessagePacer(
        options.maxMessagesPerSecond,
        options.clock ?? systemClock,
        (message) => this.deliver(message),
        (error) => this.onClose(error),
      );
    }
  }

  get isClosed(): boolean {
    return this.closed !== undefined;
  }

  /** Opens the transport. Rejects with the transport's HostError. */
  open(signal?: AbortSignal): Promise<void> {
    this.trace((tap) => tap.opened(this.transport.kind));
    return this.transport.open(this, signal);
  }

  /** Runs `listener` once when the connection ends, or at once if it has ended. */
  whenClosed(listener: (reason?: Error) => void): Disposable {
    if (this.closed) {
      listener(this.closed.reason);
      return toDisposable(() => undefined);
    }
    this.closeListeners = [...this.closeListeners, listener];
    return toDisposable(() => {
      this.closeListeners = this.closeListeners.filter((other) => other !== listener);
    });
  }

  send(message: Outgoing): void {
    if (this.pacer) this.pacer.send(message);
    else this.deliver(message);
  }

  abandon(id: number, reason: string): void {
    if (this.pacer?.drop(id)) return;
    if (!this.cancelsByClosing) this.peer.notify('notifications/cancelled', { requestId: id, reason });
    this.transport.cancel?.(id);
  }

  onRequest(method: string, params: Params, signal: AbortSignal): Promise<Result> | undefined {
    return this.speaker.answer?.(method, params, signal);
  }

  onNotification(method: string, params: Params): void {
    this.speaker.receive(method, params);
  }

  onMessage(message: unknown, text?: string, exchange?: HttpExchange): void {
    this.hasHeard = true;
    const { received } = this.traffic;
    received.messages++;
    if (text !== undefined) received.characters += text.length;
    if (this.tap.current !== undefined) this.trace((tap) => tap.received(message, text, exchange));
    this.peer.receive(message);
  }

  onUnreadable(text: string): void {
    this.hasHeard = true;
    this.trace((tap) => tap.unreadable(text));
    if (text.trim() !== '')
      this.listener.onRemark?.(this.transport.kind === 'stdio' ? remarkOnOutput(text) : remarkOnNetworkText(text));
  }

  onClose(reason?: Error): void {
    if (this.closed) return;
    this.trace((tap) => tap.closed(reason?.message));
    this.closed = { reason };
    this.pacer?.dispose();
    this.peer.end(
      reason ??
        this.closeWhy ??
        new HostError('closed', 'MCP Deck closed the connection before the server answered.', {
          data: { by: 'host', why: 'host-early' },
          hint: 'Send the request again.',
        }),
    );
    for (const listener of this.closeListeners) listener(reason);
    this.closeListeners = [];
  }

  onUnanswered(error: HostError, id: number): void {
    this.trace((tap) => tap.unanswered(id, error.message));
    this.listener.onUnanswered?.(error);
  }

  onCancelled(id: number): void {
    this.trace((tap) => tap.unanswered(id, undefined));
  }

  onWarning(line: string): void {
    this.listener.onWarning?.(line);
  }

  onStderr(line: string): void {
    this.listener.onStderr?.(line);
  }

  onRemark(remark: Remark): void {
    this.listener.onRemark?.(remark);
  }

  private deliver(message: Outgoing): void {
    const { sent } = this.traffic;
    sent.messages++;
    sent.characters += message.text.length;
    if (this.tap.current !== undefined)
      this.trace((tap) => tap.sent(message.text, this.transport.protocolHeaders?.(message) ?? {}));
    this.transport.send(message);
  }

  /**
   * Records an event in the tap. An error in the tap must not stop a message, so it is not rethrown. Only the first one
   * is logged.
   */
  private trace(record: (tap: MessageTap) => void): void {
    const tap = this.tap.current;
    if (!tap) return;
    try {
      record(tap);
    } catch (error) {
      if (!this.isTraceBroken) this.listener.onWarning?.(`A message is missing from the trace: ${messageOf(error)}`);
      this.isTraceBroken = true;
    }
  }

  /**
   * Orderly shutdown of the transport; resolves when everything is closed.
   * @param options.why the error for open requests.
   * @param options.graceMs see `Transport.close`.
   */
  async close({ why, graceMs }: { why?: HostError | undefined; graceMs?: number } = {}): Promise<void> {
    this.closeWhy ??= why;
    await this.transport.close(graceMs);
    this.onClose();
  }
}

import type { Clock } from '../base/clock.js';
import { systemClock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { toDisposable } from '../base/disposable.js';
import { HostError } from '../base/hostError.js';
import type { Remark } from '../base/remark.js';
import { remarkOnNetworkText, remarkOnOutput } from '../base/remark.js';
import { ErrorCode, ProtocolError } from '../protocol/jsonRpc.js';
import type { TimeoutHold, Params, PeerHandler, Result } from '../protocol/jsonRpcPeer.js';
import { JsonRpcPeer } from '../protocol/jsonRpcPeer.js';
import type { Outgoing } from '../protocol/jsonRpc.js';
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
  /** Messages sent per second at most; default no limit. */
  maxMessagesPerSecond?: number | undefined;
  clock?: Clock | undefined;
  /** Where somebody may listen to every message, from whenever on. */
  tap?: TapHolder | undefined;
  /** Where messages are counted. */
  traffic?: TrafficCounts | undefined;
}

/** For all connections that nobody listens to or counts. */
const nobody: TapHolder = { current: undefined };
const uncounted = noTraffic();

/**
 * Requests that are answered at once or never end. All others may take their time, and their server may say how far
 * it is.
 */
const withoutProgress: ReadonlySet<string> = new Set(['initialize', 'server/discover', 'ping', 'subscriptions/listen']);

/** Who hears what a connection tells beside its messages. */
export type WireListener = Pick<SessionListener, 'onWarning' | 'onStderr' | 'onRemark' | 'onUnanswered'>;

/** What comes unasked on a connection, for the codec that speaks on it. */
export interface InboundHandler {
  /** Answers a request of the other side; absent where it may send none. What it throws becomes the error answer. */
  answer?(method: string, params: Params, signal: AbortSignal): Promise<Result>;
  receive(method: string, params: Params): void;
}

/** Before it is known which era speaks. */
const early: InboundHandler = {
  answer: (method) =>
    method === 'ping'
      ? Promise.resolve({})
      : Promise.reject(new ProtocolError(ErrorCode.invalidRequest, 'The session is not initialized yet.')),
  receive: () => undefined,
};

/**
 * One open transport with the peer that speaks over it, before and after it is known which era the other side is of. The
 * codec that wins the handshake speaks from then on; until then only `ping` is answered (specification 2025-11-25,
 * lifecycle: nothing but pings before initialization).
 */
export class Wire implements PeerHandler, TransportSink {
  readonly peer: JsonRpcPeer;
  speaker = early;
  /** True when the other side has sent anything where messages belong. */
  hasHeard = false;
  /** True when a request of this era is given up by closing its stream instead of by a notification. */
  givesUpByClosing = false;
  private readonly tap: TapHolder;
  private readonly traffic: TrafficCounts;
  private readonly pacer: MessagePacer | undefined;
  private closeListeners: ((reason?: Error) => void)[] = [];
  /** Why this side closes it: what open requests are told. */
  private closeWhy: HostError | undefined;
  private closed: { reason: Error | undefined } | undefined;

  constructor(
    readonly transport: Transport,
    public listener: WireListener,
    options: WireOptions,
  ) {
    this.peer = new JsonRpcPeer(this, { ...options, asksForProgress: (method) => !withoutProgress.has(method) });
    this.tap = options.tap ?? nobody;
    this.traffic = options.traffic ?? uncounted;
    if (options.maxMessagesPerSecond !== undefined) {
      this.pacer = new MessagePacer(options.maxMessagesPerSecond, options.clock ?? systemClock, (message) =>
        this.deliver(message),
      );
    }
  }

  get isClosed(): boolean {
    return this.closed !== undefined;
  }

  /** Why it ended; undefined while open and after an orderly close. */
  get closeReason(): Error | undefined {
    return this.closed?.reason;
  }

  /** Rejects with the transport's HostError. */
  open(signal?: AbortSignal): Promise<void> {
    this.tap.current?.opened(this.transport.kind);
    return this.transport.open(this, signal);
  }

  /** Runs `listener` once when the connection ended; at once when it already has. */
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
    if (this.pacer?.withdraw(id)) return;
    if (!this.givesUpByClosing) this.peer.notify('notifications/cancelled', { requestId: id, reason });
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
    if (this.tap.current !== undefined) this.tap.current.received(message, text, exchange);
    this.peer.receive(message);
  }

  onUnreadable(text: string): void {
    this.hasHeard = true;
    this.tap.current?.unreadable(text);
    if (text.trim() !== '')
      this.listener.onRemark?.(this.transport.kind === 'stdio' ? remarkOnOutput(text) : remarkOnNetworkText(text));
  }

  onClose(reason?: Error): void {
    if (this.closed) return;
    this.tap.current?.closed(reason?.message);
    this.closed = { reason };
    this.pacer?.dispose();
    this.peer.end(
      reason ??
        this.closeWhy ??
        new HostError('closed', 'MCP Deck closed the connection before the server answered.', {
          data: { by: 'host', why: 'host-early' },
          hint: 'Run it again.',
        }),
    );
    for (const listener of this.closeListeners) listener(reason);
    this.closeListeners = [];
  }

  onUnanswered(error: HostError, id: number): void {
    this.tap.current?.unanswered(id, error.message);
    this.listener.onUnanswered?.(error);
  }

  onCancelled(id: number): void {
    this.tap.current?.unanswered(id, undefined);
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
    if (this.tap.current !== undefined) this.record(this.tap.current, message);
    this.transport.send(message);
  }

  private record(tap: MessageTap, message: Outgoing): void {
    tap.sent(message.text, this.transport.protocolHeaders?.(message) ?? {});
  }

  /**
   * Orderly shutdown of the transport; resolves when nothing is left of it.
   * @param options.why what requests that are still open reject with. @param options.graceMs see `Transport.close`.
   */
  async close({ why, graceMs }: { why?: HostError | undefined; graceMs?: number } = {}): Promise<void> {
    this.closeWhy ??= why;
    await this.transport.close(graceMs);
    this.onClose();
  }
}

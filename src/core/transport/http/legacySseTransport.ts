/**
 * HTTP+SSE of 2024-11-05 (specification 2024-11-05: basic/transports): one GET stream delivers everything; its first
 * event names the URL for POST requests. The URL must have the same origin, and later events cannot change it (security
 * requirement E6). The package `eventsource` reads the stream (`EventSourceCall`).
 */
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../base/clock.js';
import { systemClock } from '../../base/clock.js';
import { Deferred } from '../../base/deferred.js';
import type { Disposable } from '../../base/disposable.js';
import { durationText } from '../../../shared/amountText.js';
import { isObject } from '../../base/guards.js';
import { HostError, messageOf } from '../../base/hostError.js';
import { visibleLine } from '../../base/hostileText.js';
import { remarkOf } from '../../base/remark.js';
import type { Outgoing } from '../../protocol/jsonRpc.js';
import type { SseEvent } from '../../protocol/sseParser.js';
import { CallSweep } from './callSweep.js';
import { CallsInFlight } from './callsInFlight.js';
import { EventSourceCall } from './eventSourceCall.js';
import { discardBody } from './httpBody.js';
import type { HttpClientOptions } from './httpClient.js';
import { HttpClient, clientOptionsOf } from './httpClient.js';
import { HttpConnections } from './httpConnections.js';
import type { FailedResponse } from './httpErrors.js';
import { statusError } from './httpErrors.js';
import type { RemoteAddress } from './remoteAddress.js';
import { baseUrl, withUrl } from './remoteAddress.js';
import type { RemoteOptions } from '../remoteOptions.js';
import { defaultConnectTimeoutMs } from '../remoteOptions.js';
import { SentCall } from './sentCall.js';
import { Undelivered } from './undelivered.js';
import type { Transport, TransportSink } from '../transport.js';

/** Time until a missing "endpoint" event is reported as a remark, ms. */
const endpointRemarkMs = 1_000;
const closedWhileOpening = 'The connection was closed while it was being opened.';

export class LegacySseTransport implements Transport {
  readonly kind = 'sse';
  private readonly clock: Clock;
  private readonly connections: HttpConnections;
  private readonly clientOptions: HttpClientOptions;
  /** Ends messages without a response, which have no timeout of their own. */
  private readonly sweep: CallSweep;
  private readonly undelivered: Undelivered;
  /** Set once the server has named the URL for POST requests. */
  private posts: CallsInFlight<SendCall> | undefined;
  /** Settled by the first `endpoint` event, or by the end of the stream. */
  private ready: Deferred<void> | undefined;
  private endpointTimer: Disposable | undefined;
  private endpointRemark: Disposable | undefined;
  private sink: TransportSink | undefined;
  private use: Disposable | undefined;
  private stream: EventSourceCall | undefined;
  /** The headers of every POST. Has every property that a message can need (see `HttpClient.blank`). */
  private headersOfPost: Record<string, string | number> = {};
  private isClosed = false;
  private warnedOfEndpoint = false;

  /** Throws HostError `bad-configuration`. */
  constructor(
    private readonly address: RemoteAddress,
    private readonly options: RemoteOptions = {},
  ) {
    const clock = options.clock ?? systemClock;
    const sweep = new CallSweep(clock);
    const connections = options.connections ?? new HttpConnections();
    this.clock = clock;
    this.undelivered = new Undelivered(clock, (error) => this.end(error));
    this.sweep = sweep;
    this.connections = connections;
    this.clientOptions = clientOptionsOf(address, options, { connections, clock, sweep });
  }

  async open(sink: TransportSink, signal?: AbortSignal): Promise<void> {
    const client = new HttpClient(this.clientOptions);
    // The package is loaded with the first server that uses this transport.
    const [library] = await Promise.all([import('eventsource'), client.load()]);
    signal?.throwIfAborted();
    if (this.isClosed) throw new HostError('closed', closedWhileOpening, { data: { why: 'opening' } });
    this.sink = sink;
    this.use = this.connections.use(this.address);
    this.ready = new Deferred<void>();
    const onAbort = () => this.end(signal?.reason as Error);
    signal?.addEventListener('abort', onAbort, { once: true });
    this.stream = new EventSourceCall(library.EventSource, client, this.options, this.undelivered, {
      onOpen: () => this.expectEndpoint(),
      onMessage: (message, text) => this.receive(message, text),
      onUnreadableEvent: (text) => this.receiveUnreadable(text),
      onOther: (event, address) => this.receiveOther(event, address),
      onWarning: (line) => this.warn(line),
      onClosed: (error) => this.end(error),
    });
    this.stream.open();
    try {
      await this.ready.promise;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  send(message: Outgoing): void {
    if (!this.posts || this.isClosed) {
      message.fail?.(new HostError('closed', 'The connection to the server is closed.', { data: { why: 'gone' } }));
      return;
    }
    this.posts.send(message);
  }

  cancel(id: number): void {
    this.posts?.cancel(id);
  }

  handshakeDone(revision: string): void {
    this.headersOfPost = { ...this.headersOfPost, 'mcp-protocol-version': revision };
  }

  close(): Promise<void> {
    this.end(undefined);
    return Promise.resolve();
  }

  describe(): { address: string } {
    return { address: this.address.label };
  }

  private expectEndpoint(): void {
    const waitMs = this.options.connectTimeoutMs ?? defaultConnectTimeoutMs;
    this.endpointRemark = this.clock.after(endpointRemarkMs, () => this.sink?.onRemark?.({ kind: 'no-endpoint' }));
    this.endpointTimer = this.clock.after(waitMs, () => {
      const text = `${this.address.label} opened an event stream, but sent no "endpoint" event within ${durationText(waitMs)}.`;
      this.end(
        new HostError('timeout', text, {
          data: { why: 'endpoint', place: this.address.label, waitedMs: waitMs, method: 'endpoint' },
          hint: 'Is this the URL of an HTTP+SSE server?',
        }),
      );
    });
  }

  private receive(message: unknown, text: string): void {
    if (isObject(message) && message['method'] === undefined) this.settle(message['id']);
    try {
      this.sink?.onMessage(message, text);
    } catch (error) {
      this.warn(`A message could not be handled: ${messageOf(error)}`);
    }
  }

  /**
   * Reports data that is not JSON. Before the endpoint is known, it may be the URL of the endpoint, sent as a plain
   * message.
   */
  private receiveUnreadable(text: string): void {
    this.sink?.onUnreadable?.(text);
    if (!this.posts) this.sink?.onRemark?.(remarkOf('no-endpoint', text));
  }

  private settle(id: unknown): void {
    const call = this.posts?.get(id);
    if (!call) return;
    call.onAnswered();
    // The POST of the call should end now. From here on, only the sweep limits its time.
    this.posts?.onLingering(call);
  }

  private receiveOther(event: SseEvent, address: RemoteAddress): void {
    if (event.type !== 'endpoint') {
      this.warn(`Skipped an event of the unknown type "${visibleLine(event.type, 40)}".`);
      if (!this.posts) this.sink?.onRemark?.(remarkOf('no-endpoint', `${event.type}: ${event.data}`));
      return;
    }
    if (this.posts) {
      if (!this.warnedOfEndpoint) this.warn('The server named another URL for POST requests, which was ignored.');
      this.warnedOfEndpoint = true;
      return;
    }
    const verdict = judgeEndpoint(event.data, address);
    if ('problem' in verdict) {
      this.end(
        new HostError('invalid-message', `The "endpoint" event of the server cannot be used: ${verdict.problem}.`, {
          data: { method: 'endpoint', problem: 'endpoint', detail: verdict.problem },
        }),
      );
      return;
    }
    const endpoint = new HttpClient({ ...this.clientOptions, address: withUrl(address, verdict.target) });
    this.headersOfPost = { ...endpoint.commonHeaders, 'content-type': 'application/json', 'content-length': 0 };
    const posts: CallsInFlight<SendCall> = new CallsInFlight(
      this.clock,
      this.sweep,
      this.undelivered,
      (message) => new SendCall(endpoint, message, this.headersOfPost, posts),
    );
    this.posts = posts;
    this.endpointTimer?.dispose();
    this.endpointRemark?.dispose();
    this.ready?.resolve();
  }

  private warn(line: string): void {
    this.sink?.onWarning(line);
  }

  private end(reason: Error | undefined): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.endpointTimer?.dispose();
    this.endpointRemark?.dispose();
    this.stream?.cancel();
    this.posts?.cancelAll();
    this.undelivered.dispose();
    this.sweep.dispose();
    this.use?.dispose();
    if (!this.options.connections) this.connections.dispose();
    if (this.posts) this.sink?.onClose(reason);
    else this.ready?.reject(reason ?? new HostError('closed', closedWhileOpening, { data: { why: 'opening' } }));
  }
}

/** Maximum length of the URL in an `endpoint` event, in UTF-16 code units: it is sent with each message. */
const maxEndpointLength = 8_192;

/** Validates the URL of an `endpoint` event: at most 8,192 characters, same origin. */
export function judgeEndpoint(data: string, from: RemoteAddress): { target: URL } | { problem: string } {
  if (data.length > maxEndpointLength)
    return { problem: `its URL has ${data.length} characters, and the limit is ${maxEndpointLength}` };
  let target: URL;
  try {
    target = new URL(data.trim(), baseUrl(from));
  } catch {
    return { problem: `"${visibleLine(data, 100)}" is not a URL` };
  }
  if (target.protocol !== 'http:' && target.protocol !== 'https:')
    return { problem: `its scheme is "${visibleLine(target.protocol, 30)}"` };
  if (target.origin !== from.origin)
    return { problem: `it leads to another origin, ${visibleLine(target.origin, 100)}` };
  return { target };
}

/** One message that is being sent; its answer arrives on the stream. */
class SendCall extends SentCall {
  constructor(
    client: HttpClient,
    message: Outgoing,
    private readonly fixedHeaders: Record<string, string | number>,
    private readonly posts: CallsInFlight<SendCall>,
  ) {
    super(client, message);
  }

  onAnswered(): void {
    this.isAnswered = true;
  }

  override cancel(): void {
    super.cancel();
    this.posts.onOver(this);
  }

  protected override headers(): Record<string, string | number> {
    const headers = { ...this.fixedHeaders };
    headers['content-length'] = Buffer.byteLength(this.message.text);
    return headers;
  }

  protected override onResponse(response: IncomingMessage): void {
    discardBody(response, this.client.sweep);
    this.finish();
    this.posts.onOver(this);
  }

  protected override onRefusal(refusal: FailedResponse): void {
    this.fail(statusError(this.what, refusal));
  }
}

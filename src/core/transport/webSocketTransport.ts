/**
 * MCP over WebSocket: one JSON-RPC message per text frame, subprotocol `mcp`. No revision of the specification defines
 * this transport; existing servers implement it this way. A server that does not accept the subprotocol is refused, and
 * unencrypted ws is allowed on this machine only (security requirement W1).
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { ClientOptions, RawData, WebSocket } from 'ws';
import type { Clock } from '../base/clock.js';
import { systemClock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { durationText } from '../../shared/amountText.js';
import { HostError, messageOf } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import type { Outgoing } from '../protocol/jsonRpc.js';
import { notJson, parseMessage } from '../protocol/parseMessage.js';
import { authRequired, maxChallenges, readChallenge } from './http/authChallenge.js';
import { readExcerpt } from './http/httpBody.js';
import type { FailedResponse } from './http/httpErrors.js';
import { statusError } from './http/httpErrors.js';
import type { RemoteAddress } from './http/remoteAddress.js';
import { baseUrl } from './http/remoteAddress.js';
import type { HeaderMap } from './http/remoteHeaders.js';
import { checkedHeaders } from './http/remoteHeaders.js';
import type { RemoteOptions } from './remoteOptions.js';
import { defaultConnectTimeoutMs, defaultMaxMessageBytes } from './remoteOptions.js';
import type { Transport, TransportSink } from './transport.js';
import { brokenError, closeError, handshakeError, refusalError, subprotocol } from './webSocketErrors.js';

/** Ping interval and timeout of the pong, ms. */
const pingMs = 30_000;
const pongMs = 10_000;
/** Maximum wait for the close frame of the server, ms. */
const closeMs = 2_000;
/** Maximum time that the processing of messages may block the event loop, ms. */
const sliceMs = 8;
/** Maximum number of messages that wait until they are sent. Each needs about 350 bytes, even if it has no content. */
const maxWaiting = 100_000;

type WebSocketClass = new (
  address: URL,
  protocols: string[],
  options: ClientOptions & { closeTimeout: number },
) => WebSocket;

export class WebSocketTransport implements Transport {
  readonly kind = 'ws';
  private readonly clock: Clock;
  private readonly headers: HeaderMap;
  private readonly maxMessageBytes: number;
  private sink: TransportSink | undefined;
  private socket: WebSocket | undefined;
  /** The underlying connection; used to write several frames at once and to detect incoming data. */
  private connection: Socket | undefined;
  private isCorked = false;
  private heartbeat: Disposable | undefined;
  private received = 0;
  private isTurnOpen = false;
  private deadline = 0;
  private isOpen = false;
  private isClosed = false;
  private closing: Promise<void> | undefined;
  /** Number of messages that the socket has not sent yet. */
  private waiting = 0;
  private readonly onSent = () => void this.waiting--;

  /** Throws HostError `bad-configuration`. */
  constructor(
    private readonly address: RemoteAddress,
    private readonly options: RemoteOptions = {},
  ) {
    if (address.protocol === 'ws:' && !address.isLoopback) {
      throw new HostError(
        'bad-configuration',
        `The connection to ${address.label} would not be encrypted. MCP Deck allows ws: on this machine only.`,
        {
          data: { problem: 'plain-websocket', subject: address.label },
          hint: 'Use a URL that begins with wss:.',
        },
      );
    }
    this.clock = options.clock ?? systemClock;
    this.maxMessageBytes = options.maxMessageBytes ?? defaultMaxMessageBytes;
    this.headers = {
      ...(options.userAgent === undefined ? {} : { 'user-agent': options.userAgent }),
      ...checkedHeaders(options.headers ?? {}),
    };
  }

  async open(sink: TransportSink, signal?: AbortSignal): Promise<void> {
    // Loaded on first use. The default export is the client class, so a build may omit the server part.
    const { default: client } = (await import('ws')) as { default: WebSocketClass };
    this.sink = sink;
    for (let challenges = 0; ; challenges++) {
      signal?.throwIfAborted();
      if (this.closing)
        throw new HostError('closed', 'The connection was closed while it was being opened.', {
          data: { why: 'opening' },
        });
      const auth = (await this.options.authorizer?.headers({ method: 'GET', url: this.httpUrl })) ?? {};
      const refused = await this.connect(client, auth, signal);
      if (!refused) return;
      await this.answerChallenge(refused, auth, challenges);
    }
  }

  send(message: Outgoing): void {
    const { socket } = this;
    if (!socket || !this.isOpen || this.isClosed || this.closing) {
      message.fail?.(new HostError('closed', 'The connection to the server is closed.', { data: { why: 'gone' } }));
      return;
    }
    if (socket.bufferedAmount > this.maxMessageBytes || this.waiting >= maxWaiting) {
      const error = new HostError('send-failed', 'The server does not read its messages, and too many are waiting.', {
        data: { why: 'not-reading', bufferedBytes: socket.bufferedAmount },
      });
      if (message.fail) message.fail(error);
      else {
        // A response or a notification. Without it, the server would wait forever or have an outdated state.
        this.end(error);
        socket.terminate();
      }
      return;
    }
    this.cork();
    this.waiting++;
    // Sent messages are not compressed, because compression would take longer than sending the additional bytes.
    socket.send(message.text, { compress: false }, this.onSent);
  }

  close(): Promise<void> {
    this.closing ??= new Promise<void>((resolve) => {
      const { socket } = this;
      this.heartbeat?.dispose();
      const leave = () => {
        this.end(undefined);
        resolve();
      };
      if (!socket || socket.readyState === socket.CLOSED) {
        leave();
        return;
      }
      const timer = this.clock.after(closeMs, () => socket.terminate());
      socket.once('close', () => {
        timer.dispose();
        leave();
      });
      if (socket.readyState === socket.CONNECTING) socket.terminate();
      else socket.close(1000);
    });
    return this.closing;
  }

  kill(): void {
    this.socket?.terminate();
  }

  describe(): { address: string } {
    return { address: this.address.label };
  }

  /** The address as an http URL, for the authorizer, which accepts no other scheme. */
  private get httpUrl(): string {
    return baseUrl(this.address).href.replace(/^ws/, 'http');
  }

  /**
   * Makes one attempt to connect. Resolves to undefined when connected, or to the response if the server requires a
   * sign-in; rejects for any other failure.
   */
  private connect(
    client: WebSocketClass,
    auth: HeaderMap,
    signal: AbortSignal | undefined,
  ): Promise<Refused | undefined> {
    return new Promise((resolve, reject) => {
      const headers = { ...this.headers };
      for (const name of Object.keys(auth)) headers[name.toLowerCase()] = auth[name] as string;
      const connectMs = this.options.connectTimeoutMs ?? defaultConnectTimeoutMs;
      let socket: WebSocket;
      try {
        socket = new client(baseUrl(this.address), [subprotocol], {
          headers,
          maxPayload: this.maxMessageBytes,
          perMessageDeflate: this.options.compression === true ? { clientNoContextTakeover: true } : false,
          followRedirects: false,
          closeTimeout: closeMs,
          ...(this.options.ca === undefined ? {} : { ca: this.options.ca }),
        });
      } catch (error) {
        reject(
          new HostError(
            'send-failed',
            `Connecting to ${this.address.label} failed: ${visibleLine(messageOf(error))}.`,
            { cause: error, data: { why: 'not-connected', place: this.address.label, detail: messageOf(error) } },
          ),
        );
        return;
      }
      this.socket = socket;
      let state: 'connecting' | 'open' | 'over' = 'connecting';
      const leave = (next: 'open' | 'over') => {
        state = next;
        timer.dispose();
        signal?.removeEventListener('abort', onAbort);
      };
      const fail = (error: Error) => {
        if (state !== 'connecting') return;
        leave('over');
        reject(error);
        socket.terminate();
      };
      const onAbort = () => fail(signal?.reason as Error);
      const timer = this.clock.after(connectMs, () =>
        fail(
          new HostError(
            'timeout',
            `${this.address.label} did not open a WebSocket within ${durationText(connectMs)}.`,
            { data: { why: 'websocket', place: this.address.label, waitedMs: connectMs } },
          ),
        ),
      );
      signal?.addEventListener('abort', onAbort, { once: true });
      socket.on('upgrade', (response: IncomingMessage) => {
        this.connection = response.socket;
      });
      socket.on('unexpected-response', (request, response: IncomingMessage) => {
        readExcerpt(response, this.clock, (text) => {
          if (state !== 'connecting') return;
          const status = response.statusCode ?? 0;
          const refusal: FailedResponse = {
            status,
            contentType: response.headers['content-type'] ?? '',
            text,
            retryAfter: response.headers['retry-after'],
          };
          if (status === 401 || status === 403) {
            leave('over');
            resolve({ status, response, refusal });
            request.destroy();
          } else fail(refusalError(refusal, response.headers.location));
        });
      });
      socket.on('open', () => {
        leave('open');
        this.isOpen = true;
        this.watch();
        resolve(undefined);
      });
      socket.on('error', (error: NodeJS.ErrnoException) => {
        if (state === 'open') this.end(brokenError(error, this.maxMessageBytes));
        else fail(handshakeError(error, this.address.label));
      });
      socket.on('close', (code, reason) => {
        if (state === 'open') this.end(closeError(code, reason));
        else
          fail(
            new HostError('closed', `${this.address.label} closed the connection while it was being opened.`, {
              data: { why: 'peer-opening', place: this.address.label },
            }),
          );
      });
      // Registered at once: the first message may arrive in the same packet as the end of the handshake.
      socket.on('message', (data, isBinary) => this.receive(data, isBinary));
    });
  }

  private async answerChallenge(
    { status, response, refusal }: Refused,
    auth: HeaderMap,
    challenges: number,
  ): Promise<void> {
    const { authorizer } = this.options;
    const challenge = readChallenge(status, response, 'GET', this.httpUrl, auth, refusal.text);
    if (authorizer && challenges < maxChallenges && (await authorizer.handleChallenge(challenge))) return;
    throw status === 401
      ? authRequired(this.address.label, challenge)
      : statusError('the WebSocket handshake', refusal);
  }

  private receive(data: RawData, isBinary: boolean): void {
    if (this.isClosed) return;
    if (isBinary) {
      this.socket?.close(1003);
      this.end(
        new HostError('invalid-message', 'The server sent a binary WebSocket message; MCP messages are text.', {
          data: { problem: 'binary' },
        }),
      );
      return;
    }
    if ((++this.received & 15) === 0) this.yieldWhenLate();
    const text = (data as Buffer).toString('utf8');
    let message: unknown;
    try {
      message = parseMessage(text, this.maxMessageBytes);
    } catch (error) {
      this.socket?.close(1009);
      this.end(error instanceof Error ? error : new Error(messageOf(error)));
      return;
    }
    if (message === notJson) {
      this.sink?.onUnreadable?.(text);
      this.sink?.onWarning(`Skipped a WebSocket message that is not JSON: ${visibleLine(text, 80)}`);
      return;
    }
    try {
      this.sink?.onMessage(message, text);
    } catch (error) {
      this.sink?.onWarning(`A message could not be handled: ${messageOf(error)}`);
    }
  }

  /** Lets other work run when many messages arrive. While the socket is paused, the server has to wait as well. */
  private yieldWhenLate(): void {
    if (!this.isTurnOpen) {
      this.isTurnOpen = true;
      this.deadline = performance.now() + sliceMs;
      setImmediate(() => {
        this.isTurnOpen = false;
      });
    } else if (performance.now() > this.deadline) {
      const { socket } = this;
      socket?.pause();
      setImmediate(() => socket?.resume());
    }
  }

  /** Writes all frames of one turn of the event loop at once. */
  private cork(): void {
    const { connection } = this;
    if (this.isCorked || !connection) return;
    this.isCorked = true;
    connection.cork();
    queueMicrotask(() => {
      this.isCorked = false;
      connection.uncork();
    });
  }

  /** Sends pings. Without them, a connection that was lost without notice seems open for hours. */
  private watch(): void {
    this.heartbeat = this.clock.after(pingMs, () => {
      const { socket, connection } = this;
      if (!socket || this.isClosed) return;
      const before = connection?.bytesRead;
      socket.ping();
      this.heartbeat = this.clock.after(pongMs, () => {
        // Any received data shows that the server is alive, because the pong may be delayed by a long message.
        if (connection?.bytesRead !== before) {
          this.watch();
          return;
        }
        this.end(
          new HostError('closed', `The server did not respond for ${durationText(pongMs)}.`, {
            data: { why: 'no-pong', reason: 'no pong', waitedMs: pongMs },
          }),
        );
        socket.terminate();
      });
    });
  }

  private end(reason: Error | undefined): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.heartbeat?.dispose();
    if (this.isOpen) this.sink?.onClose(this.closing ? undefined : reason);
  }
}

interface Refused {
  status: 401 | 403;
  response: IncomingMessage;
  refusal: FailedResponse;
}

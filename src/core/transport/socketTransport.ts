/**
 * MCP over a Unix socket or a named pipe: one JSON-RPC message per line, as over stdio. No revision of the
 * specification defines this transport; 2025-11-25, transports, "Custom Transports" permits it. The server is not a
 * child process: other clients may share it, and it outlives the connection. So stopping it only closes the connection.
 */
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import type { Clock } from '../base/clock.js';
import { systemClock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { durationText } from '../../shared/amountText.js';
import { HostError, messageOf } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import type { Outgoing } from '../protocol/jsonRpc.js';
import { notJson, parseMessage } from '../protocol/parseMessage.js';
import { readInSlices } from '../protocol/slicedReader.js';
import { frameWithLength } from './contentLengthFraming.js';
import type { FramedTextListener } from './framingDetector.js';
import { FramingDetector } from './framingDetector.js';
import { connectionError } from './http/httpErrors.js';
import type { RemoteAddress } from './http/remoteAddress.js';
import type { RemoteOptions } from './remoteOptions.js';
import { defaultConnectTimeoutMs, defaultMaxMessageBytes } from './remoteOptions.js';
import { StrayLines } from './strayLines.js';
import type { Transport, TransportSink } from './transport.js';

/** Maximum wait for the server to close its side of the connection, ms. */
const closeMs = 2_000;

export class SocketTransport implements Transport, FramedTextListener {
  readonly kind = 'socket';
  private readonly clock: Clock;
  private readonly maxMessageBytes: number;
  private sink: TransportSink | undefined;
  private stray: StrayLines | undefined;
  private socket: Socket | undefined;
  private usesContentLength = false;
  private hasMessage = false;
  private outbox = '';
  private isOpen = false;
  private isEnded = false;
  private closing: Promise<void> | undefined;

  /** Throws HostError `bad-configuration` if the address is not a socket. */
  constructor(
    private readonly address: RemoteAddress,
    private readonly options: RemoteOptions = {},
  ) {
    if (address.socketPath === undefined) {
      throw new HostError(
        'bad-configuration',
        `A server of type "socket" needs a URL that begins with unix: or pipe:, not ${address.protocol}`,
        { data: { problem: 'socket-address', subject: address.protocol } },
      );
    }
    this.clock = options.clock ?? systemClock;
    this.maxMessageBytes = options.maxMessageBytes ?? defaultMaxMessageBytes;
  }

  async open(sink: TransportSink, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (this.closing)
      throw new HostError('closed', 'The connection was closed before it was opened.', { data: { why: 'opening' } });
    this.sink = sink;
    await this.connect(signal);
  }

  send(message: Outgoing): void {
    const { socket } = this;
    if (!socket || !this.isOpen || this.isEnded || this.closing) {
      message.fail?.(new HostError('closed', 'The connection to the server is closed.', { data: { why: 'gone' } }));
      return;
    }
    const waiting = socket.writableLength + this.outbox.length;
    if (waiting > this.maxMessageBytes) {
      message.fail?.(
        new HostError('send-failed', 'The server does not read its messages, and too many are waiting.', {
          hint: 'Restart the server.',
          data: { why: 'not-reading', bufferedBytes: waiting },
        }),
      );
      return;
    }
    // Messages of one turn of the event loop are written together.
    if (this.outbox === '') queueMicrotask(() => this.flush());
    this.outbox += this.usesContentLength ? frameWithLength(message.text) : `${message.text}\n`;
  }

  close(): Promise<void> {
    this.closing ??= this.shutDown();
    return this.closing;
  }

  kill(): void {
    this.socket?.destroy();
  }

  describe(): { address: string } {
    return { address: this.address.label };
  }

  onText(text: string): boolean {
    const { sink } = this;
    if (!sink || this.isEnded) return false;
    const message = parseMessage(text, this.maxMessageBytes);
    if (message === notJson) {
      this.unreadable(text, sink);
      return false;
    }
    const isMessage = typeof message === 'object' && message !== null;
    this.hasMessage ||= isMessage;
    sink.onMessage(message, text);
    return isMessage;
  }

  onContentLength(): void {
    this.usesContentLength = true;
    this.sink?.onWarning('The server uses Content-Length framing, which is not MCP; MCP Deck uses it too.');
  }

  private connect(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const connectMs = this.options.connectTimeoutMs ?? defaultConnectTimeoutMs;
      const socket = connect({ path: this.address.socketPath ?? '' });
      this.socket = socket;
      const leave = () => {
        timer.dispose();
        signal?.removeEventListener('abort', onAbort);
        socket.off('close', onClose);
      };
      const fail = (error: Error) => {
        leave();
        this.isEnded = true;
        socket.destroy();
        reject(error);
      };
      const onAbort = () => fail(signal?.reason as Error);
      const onClose = () =>
        fail(
          new HostError('closed', 'The connection was closed while it was being opened.', { data: { why: 'opening' } }),
        );
      const onRefused = (error: Error) => fail(connectionError(error, this.address.label));
      const timer: Disposable = this.clock.after(connectMs, () =>
        fail(
          new HostError(
            'timeout',
            `${this.address.label} did not accept a connection within ${durationText(connectMs)}.`,
            { data: { why: 'socket', place: this.address.label, waitedMs: connectMs } },
          ),
        ),
      );
      signal?.addEventListener('abort', onAbort, { once: true });
      socket.once('error', onRefused);
      socket.once('close', onClose);
      socket.once('connect', () => {
        leave();
        socket.off('error', onRefused);
        this.isOpen = true;
        this.listenTo(socket);
        resolve();
      });
    });
  }

  private listenTo(socket: Socket): void {
    let broken: NodeJS.ErrnoException | undefined;
    socket.on('error', (error) => (broken ??= error));
    readInSlices(
      socket,
      new FramingDetector(this, this.maxMessageBytes),
      (error) => this.fail(error instanceof Error ? error : new Error(messageOf(error))),
      // Called after all data that arrived before the end of the stream has been delivered.
      () =>
        this.end(
          broken
            ? brokenError(broken)
            : new HostError('closed', 'The server closed the connection.', { data: { why: 'peer', reason: 'end' } }),
        ),
    );
  }

  private unreadable(text: string, sink: TransportSink): void {
    if (text.trim() === '') return;
    sink.onUnreadable?.(text);
    const problem = this.hasMessage ? undefined : otherProtocol(text, this.address.label);
    if (problem) this.fail(problem);
    else (this.stray ??= new StrayLines(sink, this.clock, 'socket')).add(text);
  }

  private flush(): void {
    const text = this.outbox;
    this.outbox = '';
    if (!this.isEnded) this.socket?.write(text);
  }

  /** Ends the connection with an error, because the received data cannot be read. */
  private fail(reason: Error): void {
    this.end(reason);
    this.socket?.destroy();
  }

  /**
   * Reports the end of the connection once.
   * @param reason ignored if MCP Deck closed the connection.
   */
  private end(reason: Error | undefined): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.sink?.onClose(this.closing ? undefined : reason);
  }

  private async shutDown(): Promise<void> {
    const { socket } = this;
    if (socket && !socket.destroyed) {
      this.flush();
      const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
      const timer = this.clock.after(closeMs, () => socket.destroy());
      // If the connection was never open, there is nothing to close gracefully.
      if (this.isOpen) socket.end();
      else socket.destroy();
      await closed;
      timer.dispose();
    }
    if (this.isOpen) this.end(undefined);
  }
}

/** The error for a line that shows that the server uses HTTP; undefined for any other line. */
function otherProtocol(line: string, label: string): HostError | undefined {
  if (!/^HTTP\/\d/.test(line)) return undefined;
  return new HostError('invalid-message', `${label} uses HTTP, not JSON lines: ${visibleLine(line, 80)}.`, {
    data: { problem: 'http', place: label, detail: visibleLine(line, 80) },
    hint: 'Change the "type" of the server to "http".',
  });
}

function brokenError(error: NodeJS.ErrnoException): HostError {
  return new HostError('closed', `The connection broke: ${visibleLine(error.message)}.`, {
    cause: error,
    data: { why: 'broken', reason: error.code, detail: error.message },
  });
}

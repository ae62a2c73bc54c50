/**
 * A stream of server-sent events with messages to one client. It outlives the HTTP responses that it is written to.
 * Stored events have IDs. A client that lost its response, or was disconnected on purpose, resumes after the last ID
 * that it received (specification 2025-11-25, basic/transports, "Resumability and redelivery").
 */
import type { ServerResponse } from 'node:http';
import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import type { UnsentBytes } from './unsentBytes.js';

/** Maximum size of the data that a client has not read, bytes. Beyond it, the response of the client is closed. */
export const maxUnread = 16 * 1024 * 1024;

/** Headers of every stream. The last one tells nginx and similar proxies not to buffer events. */
const streamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

export interface ServedEventStreamOptions {
  /** Prefix of event IDs. If it is absent, events have no ID and are not stored. */
  name?: string;
  /**
   * Whether to send an empty first event, so that the client has an ID to resume from before the first message
   * (2025-11-25).
   */
  isPrimed?: () => boolean;
  unsent: UnsentBytes;
  clock: Clock;
  /** Interval between comments, so that no intermediary closes the connection. Milliseconds. */
  keepAliveMs: number;
}

export class ServedEventStream {
  private events: { number: number; json: string }[] = [];
  private keptLength = 0;
  private lastNumber = 0;
  private lastRead = 0;
  private response: ServerResponse | undefined;
  private keepAlive: Disposable | undefined;
  private isDone = false;

  constructor(private readonly options: ServedEventStreamOptions) {}

  /** True after the last event was added. */
  get isFinished(): boolean {
    return this.isDone;
  }

  /** True while a client is connected. */
  get isAttached(): boolean {
    return this.response !== undefined;
  }

  /** Size of the stored events, in characters. */
  get keptSize(): number {
    return this.keptLength;
  }

  /**
   * Writes to this response from now on, and ends the previous one.
   * @param after number of the last event that the client has; the stored events after it are written at once. By
   * default, only stored events that were never written to a client are written.
   */
  attach(response: ServerResponse, headers: Record<string, string> = {}, after = this.lastRead): void {
    this.detach();
    this.response = response;
    response.writeHead(200, { ...streamHeaders, ...headers });
    response.flushHeaders();
    response.once('close', () => {
      if (this.response === response) this.letGo();
    });
    this.armKeepAlive();
    if (this.lastNumber === 0 && this.options.isPrimed?.()) this.prime();
    for (const event of this.events) if (event.number > after) this.write(event.number, event.json);
    if (this.isDone) this.detach();
  }

  push(json: string): void {
    if (this.isDone) return;
    this.lastNumber++;
    if (this.options.name !== undefined) {
      this.events.push({ number: this.lastNumber, json });
      this.keptLength += json.length;
    }
    this.write(this.lastNumber, json);
  }

  /** Ends the stream and its response. */
  finish(): void {
    this.isDone = true;
    this.detach();
  }

  /** Ends the response but not the stream; the client is expected to reconnect. */
  release(retryMs?: number): void {
    if (retryMs !== undefined) this.response?.write(`retry: ${Math.round(retryMs)}\n\n`);
    this.detach();
  }

  /** Drops the oldest stored event; returns false if there was none. */
  forgetOldest(): boolean {
    const event = this.events.shift();
    this.keptLength -= event?.json.length ?? 0;
    return event !== undefined;
  }

  /** Whether every event after `number` is still stored. */
  canResume(after: number): boolean {
    const oldest = this.events[0]?.number ?? this.lastNumber + 1;
    return Number.isInteger(after) && after >= oldest - 1 && after <= this.lastNumber;
  }

  /** Whether the stream has ended and has no event after `number`. */
  isCompleteAfter(number: number): boolean {
    return this.isDone && number >= this.lastNumber;
  }

  private prime(): void {
    this.lastNumber++;
    this.lastRead = this.lastNumber;
    this.response?.write(`id: ${this.options.name ?? ''}.${this.lastNumber}\ndata:\n\n`);
  }

  private write(number: number, json: string): void {
    const { response } = this;
    if (!response) return;
    this.lastRead = number;
    const id = this.options.name === undefined ? '' : `id: ${this.options.name}.${number}\n`;
    // Checked before the event is added, so that one large event can be sent.
    if (response.writableLength > maxUnread) {
      response.destroy();
      return;
    }
    response.write(`${id}event: message\ndata: ${json}\n\n`);
    this.options.unsent.wrote(response);
  }

  private armKeepAlive(): void {
    this.keepAlive = this.options.clock.after(this.options.keepAliveMs, () => {
      this.response?.write(':\n\n');
      this.armKeepAlive();
    });
  }

  private detach(): void {
    this.response?.end();
    this.letGo();
  }

  private letGo(): void {
    this.response = undefined;
    this.keepAlive?.dispose();
    this.keepAlive = undefined;
  }
}

/**
 * The GET stream of Streamable HTTP up to 2025-11-25 (transports, "Listening for messages from the server" and
 * "Resumability and redelivery"): kept open, and reopened from the last received event after it is lost.
 */
import type { IncomingMessage } from 'node:http';
import type { Disposable } from '../../base/disposable.js';
import { HostError, messageOf } from '../../base/hostError.js';
import type { ReadGate } from '../../protocol/slicedReader.js';
import type { BodyBudget } from './bodyBudget.js';
import { readExcerpt } from './httpBody.js';
import { HttpCall } from './httpCall.js';
import type { HttpClient } from './httpClient.js';
import type { FailedResponse } from './httpErrors.js';
import { contentError, mediaKind, statusError } from './httpErrors.js';
import { MessageStream } from './messageStream.js';
import type { StreamOutcome } from './reconnectSchedule.js';
import { ReconnectSchedule } from './reconnectSchedule.js';
import type { HeaderMap } from './remoteHeaders.js';

const neverOpened: StreamOutcome = { uptimeMs: 0, hadMessage: false, hadId: false };

export interface EventStreamOptions {
  client: HttpClient;
  /** The current session ID and revision. */
  headers: () => HeaderMap;
  maxMessageBytes: number;
  /** Pauses the event streams of the server. */
  gate: ReadGate;
  /** The bytes of all unfinished bodies of the server. */
  bodies: BodyBudget;
  /** Timeout of the response headers, ms. */
  connectTimeoutMs: number;
  random: (() => number) | undefined;
  onMessage: (message: unknown, text: string) => void;
  /** Receives the data of an event that is not JSON. */
  onUnreadableEvent?: (text: string) => void;
  onWarning: (line: string) => void;
  /** Called when no further attempt to reopen the stream is made. Not called after `stop`. */
  onGiveUp: (error: HostError) => void;
}

export class EventStream {
  private lastEventId: string | undefined;
  private readonly schedule: ReconnectSchedule;
  private call: StreamCall | undefined;
  private timer: Disposable | undefined;
  /** Time limit for the server to repeat an event that was cut off, ms; undefined if none was cut off. */
  private replayWithinMs: number | undefined;
  private replayTimer: Disposable | undefined;
  private isStopped = false;

  constructor(private readonly options: EventStreamOptions) {
    this.schedule = new ReconnectSchedule(options.random);
  }

  start(): void {
    this.open();
  }

  /**
   * Resumes another stream of the server after its end.
   * @param replayWithinMs time limit for the next event, if the server had already begun to send it.
   */
  resume(ended: MessageStream, uptimeMs: number, retryMs: number | undefined, replayWithinMs?: number): void {
    this.lastEventId = ended.lastEventId;
    if (retryMs !== undefined) this.schedule.suggest(retryMs);
    this.replayWithinMs = replayWithinMs;
    this.openLater({ uptimeMs, hadMessage: ended.hadMessage, hadId: ended.hadId }, undefined);
  }

  stop(): void {
    this.isStopped = true;
    this.timer?.dispose();
    this.replayTimer?.dispose();
    this.call?.cancel();
  }

  private open(): void {
    const { options } = this;
    this.call = new StreamCall(options, this.lastEventId, {
      onOpen: () => this.expectReplay(),
      onMessage: (message, text) => {
        this.replayWithinMs = undefined;
        this.replayTimer?.dispose();
        options.onMessage(message, text);
      },
      onRetry: (ms) => this.schedule.suggest(ms),
      onEnd: (outcome, lastEventId, error) => {
        this.lastEventId = lastEventId;
        this.openLater(outcome, error);
      },
      onRefuse: (error) => this.giveUp(error),
    });
    this.call.start();
  }

  private expectReplay(): void {
    if (this.replayWithinMs === undefined || this.replayTimer) return;
    this.replayTimer = this.options.client.clock.after(this.replayWithinMs, () =>
      this.giveUp(
        new HostError('closed', 'the server did not repeat the event that was cut off', {
          data: { why: 'no-replay', reason: 'no replay' },
        }),
      ),
    );
  }

  private openLater(outcome: StreamOutcome, error: HostError | undefined): void {
    if (this.isStopped) return;
    const waitMs = this.schedule.next(outcome);
    if (waitMs === undefined) {
      this.giveUp(
        error ??
          new HostError('closed', 'The server ended the event stream repeatedly.', {
            data: { why: 'flapping', reason: 'flapping' },
          }),
      );
      return;
    }
    this.timer = this.options.client.clock.after(waitMs, () => this.open());
  }

  private giveUp(error: HostError): void {
    if (this.isStopped) return;
    this.stop();
    this.options.onGiveUp(error);
  }
}

interface StreamCallListener {
  onOpen(): void;
  onMessage(message: unknown, text: string): void;
  onRetry(ms: number): void;
  /** Called when the stream ended, or could not be opened for now. */
  onEnd(outcome: StreamOutcome, lastEventId: string | undefined, error?: HostError): void;
  /** Called when another attempt would fail as well: the server does not offer the stream, or sends unreadable data. */
  onRefuse(error: HostError): void;
}

/** One request for the stream. */
class StreamCall extends HttpCall {
  protected readonly what = 'the request for an event stream';
  private readonly stream: MessageStream;
  private openedAt: number | undefined;

  constructor(
    private readonly options: EventStreamOptions,
    lastEventId: string | undefined,
    private readonly listener: StreamCallListener,
  ) {
    super(options.client, 'GET');
    this.stream = new MessageStream(
      {
        onMessage: (message, text) => listener.onMessage(message, text),
        onUnreadableEvent: (text) => options.onUnreadableEvent?.(text),
        onEnd: () => this.end(),
        onUnreadable: (error) => {
          // A reconnect would receive the same oversized or unreadable data.
          this.fail(
            error instanceof HostError
              ? error
              : new HostError('invalid-message', `The event stream cannot be read: ${messageOf(error)}.`, {
                  data: { problem: 'event-stream', detail: messageOf(error) },
                }),
          );
        },
        onWarning: options.onWarning,
        onRetry: (ms) => listener.onRetry(ms),
      },
      options,
      lastEventId,
    );
  }

  override cancel(): void {
    super.cancel();
    this.stream.stop();
  }

  protected override get responseMs(): number {
    return this.options.connectTimeoutMs;
  }

  protected override get isStream(): boolean {
    return true;
  }

  protected override headers(): Record<string, string | number> {
    const headers: HeaderMap = { ...this.options.headers(), accept: 'text/event-stream' };
    // Compression is not offered, because compressing proxies tend to delay events.
    delete headers['accept-encoding'];
    if (this.stream.lastEventId !== undefined) headers['last-event-id'] = this.stream.lastEventId;
    return headers;
  }

  protected override onResponse(response: IncomingMessage): void {
    const contentType = response.headers['content-type'] ?? '';
    if (response.statusCode !== 200 || mediaKind(contentType) !== 'events') {
      readExcerpt(response, this.client.clock, (text) => {
        if (this.isOpen) this.fail(contentError(this.what, response.statusCode ?? 0, contentType, text));
      });
      return;
    }
    this.openedAt = this.client.clock.now();
    this.listener.onOpen();
    this.stream.read(response);
  }

  protected override onRefusal(refusal: FailedResponse): void {
    this.finish();
    const error = statusError(this.what, refusal);
    if (refusal.status < 500 && refusal.status !== 429) {
      this.listener.onRefuse(error);
      return;
    }
    const { retryAfterMs } = error.data;
    if (retryAfterMs !== undefined) this.listener.onRetry(retryAfterMs);
    this.listener.onEnd(neverOpened, this.stream.lastEventId, error);
  }

  protected override onFail(error: HostError): void {
    const isPassing = error.code === 'connection-refused' || error.code === 'closed' || error.code === 'timeout';
    if (isPassing) this.listener.onEnd(neverOpened, this.stream.lastEventId, error);
    else this.listener.onRefuse(error);
  }

  private end(): void {
    if (!this.isOpen) return;
    this.finish();
    const { stream } = this;
    const uptimeMs = this.client.clock.now() - (this.openedAt ?? 0);
    this.listener.onEnd({ uptimeMs, hadMessage: stream.hadMessage, hadId: stream.hadId }, stream.lastEventId);
  }
}

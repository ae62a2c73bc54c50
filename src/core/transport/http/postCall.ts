import type { IncomingMessage } from 'node:http';
import { isObject } from '../../base/guards.js';
import { HostError, messageOf } from '../../base/hostError.js';
import type { Outgoing } from '../../protocol/jsonRpc.js';
import { notJson, parseMessage } from '../../protocol/parseMessage.js';
import type { ReadGate } from '../../protocol/slicedReader.js';
import type { BodyBudget } from './bodyBudget.js';
import type { EventStream } from './eventStream.js';
import { discardBody, openBody, readExcerpt, readText } from './httpBody.js';
import type { HttpClient } from './httpClient.js';
import type { FailedResponse } from './httpErrors.js';
import { brokenAnswer, contentError, mediaKind, notResumed, statusError, streamEnded } from './httpErrors.js';
import type { MessageStreamListener } from './messageStream.js';
import { MessageStream } from './messageStream.js';
import { SentCall } from './sentCall.js';
import type { HttpExchange } from '../transport.js';

/** The functions of the transport that its POST calls use. */
export interface PostOwner {
  readonly client: HttpClient;
  readonly maxMessageBytes: number;
  /** Pauses the event streams of the server. */
  readonly gate: ReadGate;
  /** The bytes of all unfinished bodies of the server. */
  readonly bodies: BodyBudget;
  postHeaders(message: Outgoing): Record<string, string | number>;
  /** Delivers any message. If it answers a call, `onAnswered` of that call is called. */
  receive(message: unknown, text?: string, exchange?: HttpExchange): void;
  /** Receives data that is not JSON. */
  unreadable(text: string): void;
  warn(line: string): void;
  /** Stores the session ID of a response to `initialize`; returns the problem if the ID is invalid. */
  startSession(sessionId: string | string[] | undefined): string | undefined;
  /** Whether the refusal of a request means that the server does not know the session. */
  isSessionLost(refusal: FailedResponse, sessionId: string | number | undefined): boolean;
  /** Continues an ended stream with a GET request. Returns undefined if that is not possible. */
  resume(
    ended: MessageStream,
    uptimeMs: number,
    retryMs: number | undefined,
    onGiveUp: (error: HostError) => void,
  ): EventStream | undefined;
  /** Called when the server accepted the message. */
  onAccepted(message: Outgoing): void;
  /**
   * Called when the server accepted a request without answering it; returns whether the session's GET stream may
   * deliver the answer.
   */
  mayAnswerByStream(): boolean;
  /** Called when the request was answered but its stream continues; the stream is ended later. */
  onLingering(call: PostCall): void;
  /** Called when the exchange has ended, in any way. */
  onOver(call: PostCall): void;
}

/** One message over Streamable HTTP. It ends when its answer has arrived and its stream has ended. */
export class PostCall extends SentCall implements MessageStreamListener {
  private stream: MessageStream | undefined;
  private resumed: EventStream | undefined;
  private openedAt = 0;
  private retryMs: number | undefined;
  /** Whether the server accepted the message and is expected to answer on the session's GET stream. */
  private isElsewhere = false;
  private sentSessionId: string | number | undefined;
  private exchange: HttpExchange | undefined;

  constructor(
    private readonly owner: PostOwner,
    message: Outgoing,
  ) {
    super(owner.client, message);
  }

  /** Records that the answer was delivered, from any stream, and ends or releases the streams of this call. */
  onAnswered(): void {
    this.isAnswered = true;
    if (this.resumed || this.isElsewhere) {
      this.resumed?.stop();
      this.end();
    } else if (this.stream) {
      // The server should end the stream now; it gets some time, so that the connection can be reused.
      this.owner.onLingering(this);
    }
  }

  /** Fails the call if its answer was expected on the session's GET stream, which can deliver no more answers. */
  onStreamLost(): void {
    if (this.isElsewhere) this.fail(contentError(this.what, 202, '', ''));
  }

  override cancel(): void {
    super.cancel();
    this.stream?.stop();
    this.resumed?.stop();
    this.owner.onOver(this);
  }

  // The following methods receive the events of the response stream.

  onMessage(message: unknown, text: string): void {
    this.owner.receive(message, text, this.exchange);
  }

  onUnreadableEvent(text: string): void {
    this.owner.unreadable(text);
  }

  onWarning(line: string): void {
    this.owner.warn(line);
  }

  onRetry(ms: number): void {
    this.retryMs = ms;
  }

  onUnreadable(error: unknown): void {
    this.fail(error instanceof HostError ? error : brokenAnswer(this.what, messageOf(error), error));
  }

  onEnd(): void {
    if (!this.isOpen) return;
    const { stream } = this;
    if (this.isAnswered || !stream) {
      this.end();
      return;
    }
    const uptimeMs = this.client.clock.now() - this.openedAt;
    this.resumed = this.owner.resume(stream, uptimeMs, this.retryMs, (error) =>
      this.fail(notResumed(this.what, error)),
    );
    if (!this.resumed) this.fail(streamEnded(this.what));
  }

  protected override get isStream(): boolean {
    return this.message.method === 'subscriptions/listen';
  }

  protected override headers(): Record<string, string | number> {
    const headers = this.owner.postHeaders(this.message);
    this.sentSessionId = headers['mcp-session-id'];
    return headers;
  }

  protected override onResponse(response: IncomingMessage): void {
    const { message, owner } = this;
    this.exchange = { status: response.statusCode ?? 0, headers: response.headers };
    if (message.method === 'initialize') {
      const problem = owner.startSession(response.headers['mcp-session-id']);
      if (problem !== undefined) {
        this.fail(
          new HostError('invalid-message', `The server answered initialize with ${problem}.`, {
            data: { method: 'initialize', problem: 'session-id', detail: problem },
          }),
        );
        return;
      }
    }
    if (message.id === undefined) {
      discardBody(response, this.client.sweep);
      this.finish();
      owner.onAccepted(message);
      owner.onOver(this);
      return;
    }
    if (response.statusCode === 202 && owner.mayAnswerByStream()) {
      discardBody(response, this.client.sweep);
      this.isElsewhere = true;
      owner.onAccepted(message);
      return;
    }
    const contentType = response.headers['content-type'] ?? '';
    const kind = mediaKind(contentType);
    if (kind === 'json') this.readJson(response, contentType);
    else if (kind === 'events') this.readEvents(response);
    else {
      readExcerpt(response, this.client.clock, (text) =>
        this.fail(contentError(this.what, response.statusCode ?? 0, contentType, text)),
      );
    }
  }

  protected override onRefusal(refusal: FailedResponse): void {
    // Only refused requests indicate a lost session: some servers refuse notifications but answer requests of the same
    // session.
    if (this.message.id !== undefined && this.owner.isSessionLost(refusal, this.sentSessionId)) {
      this.fail(
        new HostError('session-expired', `The server has ended the session; ${this.what} was not processed.`, {
          data: { status: refusal.status, method: this.message.method },
        }),
      );
      return;
    }
    const answer = this.errorIn(refusal);
    const isNamed = answer !== undefined && answer['id'] === this.message.id;
    // A JSON-RPC error without an ID also answers the request, unless the status indicates another failure.
    const isMeant =
      answer !== undefined && (answer['id'] ?? null) === null && refusal.status < 500 && refusal.status !== 429;
    if (isNamed || isMeant) {
      this.exchange = {
        status: refusal.status,
        headers: { 'content-type': refusal.contentType, 'retry-after': refusal.retryAfter },
      };
      this.deliver(answer, refusal.text);
    } else this.fail(statusError(this.what, refusal));
  }

  private end(): void {
    this.finish();
    this.owner.onOver(this);
  }

  private readJson(response: IncomingMessage, contentType: string): void {
    openBody(
      response,
      (body) =>
        readText(
          body,
          this.owner.maxMessageBytes,
          (error, text) => {
            if (!this.isOpen) return;
            if (error) {
              this.onUnreadable(error);
              return;
            }
            this.readBody(text, response.statusCode ?? 0, contentType);
          },
          this.owner.bodies,
        ),
      (error) => this.onUnreadable(error),
    );
  }

  private readBody(text: string, status: number, contentType: string): void {
    let message: unknown;
    try {
      message = parseMessage(text, this.owner.maxMessageBytes);
    } catch (error) {
      this.onUnreadable(error);
      return;
    }
    if (message === notJson) {
      this.owner.unreadable(text);
      this.fail(contentError(this.what, status, contentType, text));
      return;
    }
    this.owner.onAccepted(this.message);
    this.deliver(message, text);
  }

  /** Delivers the message of a response that contains only one, and ends the exchange. */
  private deliver(message: unknown, text?: string): void {
    this.finish();
    // An error without an ID can only refer to the request of this POST.
    if (isObject(message) && isObject(message['error']) && (message['id'] ?? null) === null)
      message['id'] = this.message.id;
    this.owner.receive(message, text, this.exchange);
    this.owner.onOver(this);
    if (this.isAnswered) return;
    this.message.fail?.(
      new HostError(
        'invalid-message',
        `The server answered ${this.what} with a message that is not the answer to it.`,
        {
          data: { method: this.message.method, problem: 'wrong-id', request: this.what },
        },
      ),
    );
  }

  private readEvents(response: IncomingMessage): void {
    this.openedAt = this.client.clock.now();
    this.stream = new MessageStream(this, this.owner);
    this.owner.onAccepted(this.message);
    this.stream.read(response);
  }

  /** The JSON-RPC error in the body of a refusal. */
  private errorIn(refusal: FailedResponse): Record<string, unknown> | undefined {
    if (this.message.id === undefined || mediaKind(refusal.contentType) !== 'json') return undefined;
    try {
      const message: unknown = JSON.parse(refusal.text);
      return isObject(message) && message['jsonrpc'] === '2.0' && isObject(message['error']) ? message : undefined;
    } catch {
      // The body is not JSON, so the status and the excerpt are reported instead.
      return undefined;
    }
  }
}

/**
 * The GET stream of HTTP+SSE, read by the package `eventsource`. The package decodes and parses; the HTTP request is
 * made here, so that proxies, certificate authorities, sign-in, redirects and timeouts work as in all requests. The
 * package is closed before it can detect an end or an error, so it never reconnects. The connection layer reconnects.
 */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { EventSource, FetchLikeResponse } from 'eventsource';
import { Deferred } from '../../base/deferred.js';
import { HostError, messageOf } from '../../base/hostError.js';
import type { ReadGate } from '../../protocol/slicedReader.js';
import type { SseEvent } from '../../protocol/sseParser.js';
import type { RemoteOptions } from '../remoteOptions.js';
import { defaultConnectTimeoutMs, defaultMaxMessageBytes } from '../remoteOptions.js';
import { EventMessages } from './eventMessages.js';
import { EventSourceBody } from './eventSourceBody.js';
import { openBody, readExcerpt } from './httpBody.js';
import { HttpCall } from './httpCall.js';
import type { HttpClient } from './httpClient.js';
import type { FailedResponse } from './httpErrors.js';
import { contentError, mediaKind, statusError } from './httpErrors.js';
import type { RemoteAddress } from './remoteAddress.js';
import { baseUrl } from './remoteAddress.js';
import type { HeaderMap } from './remoteHeaders.js';

export interface EventSourceCallListener {
  onOpen(): void;
  onMessage(message: unknown, text: string): void;
  onUnreadableEvent(text: string): void;
  /** Receives an event of a type other than `message`, with the final address of the stream. */
  onOther(event: SseEvent, address: RemoteAddress): void;
  onWarning(line: string): void;
  /** Called when the stream ended or failed permanently. Not called after `cancel`. */
  onClosed(error: HostError): void;
}

export class EventSourceCall extends HttpCall {
  protected readonly what = 'the request for the event stream';
  private readonly messages: EventMessages;
  private readonly maxMessageBytes: number;
  private readonly response = new Deferred<FetchLikeResponse>();
  private source: EventSource | undefined;
  private events: EventSourceBody | undefined;

  /** @param library the class of the package, which is loaded on first use. */
  constructor(
    private readonly library: typeof EventSource,
    client: HttpClient,
    private readonly options: RemoteOptions,
    private readonly gate: ReadGate,
    private readonly listener: EventSourceCallListener,
  ) {
    super(client, 'GET');
    this.maxMessageBytes = options.maxMessageBytes ?? defaultMaxMessageBytes;
    this.messages = new EventMessages(
      {
        onMessage: (message, text) => listener.onMessage(message, text),
        onUnreadableEvent: (text) => listener.onUnreadableEvent(text),
        onOtherEvent: (event) => listener.onOther(event, this.address),
        onWarning: (line) => listener.onWarning(line),
      },
      this.maxMessageBytes,
    );
  }

  /** Opens the stream; call it once. */
  open(): void {
    let requests = 0;
    const source = new this.library(baseUrl(this.address), {
      // A second request means that the package tries to reconnect, so the request is rejected.
      fetch: () => (++requests === 1 ? this.response.promise : Promise.reject(aborted())),
    });
    // Intercepts all events, because a listener needs the name of the event type, and a server can use any name.
    source.dispatchEvent = (event) => {
      if ('data' in event) this.dispatch({ type: event.type, data: event.data as string });
      return true;
    };
    // Receives errors of the package itself. An event that a server names "error" has data and does not arrive here.
    source.onerror = ({ message }) => this.fail(unreadable(message ?? 'an error without a message'));
    this.source = source;
    this.start();
  }

  override cancel(): void {
    super.cancel();
    this.source?.close();
    this.events?.stop();
    if (this.source) this.response.reject(aborted());
  }

  protected override get isStream(): boolean {
    return true;
  }

  protected override get responseMs(): number {
    return this.options.connectTimeoutMs ?? defaultConnectTimeoutMs;
  }

  protected override headers(): Record<string, string | number> {
    const headers: HeaderMap = { ...this.client.commonHeaders, accept: 'text/event-stream' };
    // Compression is not offered, because compressing proxies tend to delay events.
    delete headers['accept-encoding'];
    return headers;
  }

  protected override onResponse(response: IncomingMessage): void {
    const contentType = response.headers['content-type'] ?? '';
    if (response.statusCode !== 200 || mediaKind(contentType) !== 'events') {
      readExcerpt(response, this.client.clock, (text) =>
        this.fail(contentError(this.what, response.statusCode ?? 0, contentType, text)),
      );
      return;
    }
    this.listener.onOpen();
    openBody(
      response,
      (body) => this.hand(body),
      (error) => this.fail(unreadable(error)),
    );
  }

  protected override onRefusal(refusal: FailedResponse): void {
    this.fail(statusError(this.what, refusal));
  }

  protected override onFail(error: HostError): void {
    this.listener.onClosed(error);
  }

  /** Gives the package the response that it waits for, with a size-limited body. */
  private hand(body: Readable): void {
    this.events = new EventSourceBody(
      body,
      this.maxMessageBytes,
      {
        onEnd: () =>
          this.fail(
            new HostError('closed', 'The server ended the event stream.', {
              data: { why: 'stream-ended', reason: 'stream ended' },
            }),
          ),
        onUnreadable: (error) => this.fail(unreadable(error)),
      },
      this.gate,
    );
    if (!this.isOpen) {
      this.events.stop();
      return;
    }
    // Status, content type and redirects have already been checked.
    this.response.resolve({
      status: 200,
      redirected: false,
      url: baseUrl(this.address).href,
      headers: { get: () => 'text/event-stream' },
      body: this.events,
    });
  }

  /** Handles one event. Never throws, because an exception would make the package reconnect. */
  private dispatch(event: SseEvent): void {
    if (!this.isOpen) return;
    try {
      this.messages.read(event);
    } catch (error) {
      this.fail(unreadable(error));
    }
  }
}

function unreadable(error: unknown): HostError {
  if (error instanceof HostError) return error;
  return new HostError('invalid-message', `The event stream cannot be read: ${messageOf(error)}.`, {
    data: { problem: 'event-stream', detail: messageOf(error) },
  });
}

/** The error that the package treats as its own abort. */
function aborted(): Error {
  return Object.assign(new Error('The event stream is closed.'), { name: 'AbortError' });
}

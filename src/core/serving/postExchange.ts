/**
 * One POST and its response. The response is a JSON body if only the answers are sent. It becomes an event stream if
 * another message is sent first, or if the answers take so long that an intermediary might close the connection.
 */
import { exactJson } from '../base/jsonTokens.js';
import type { ServerResponse } from 'node:http';
import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import type { JsonRpcMessage, RequestId } from '../protocol/jsonRpc.js';
import type { ServedEventStream } from './servedEventStream.js';
import type { UnsentBytes } from './unsentBytes.js';

export interface PostExchangeOptions {
  response: ServerResponse;
  /** Creates the stream when the response becomes one. */
  openStream: () => ServedEventStream;
  /** The IDs of the requests in the POST, without duplicates. */
  ids: readonly RequestId[];
  /** Whether the POST was an array. If so, the response is an array as well. */
  isBatch: boolean;
  headers?: Record<string, string>;
  /** Returns the HTTP status for a single answer; default 200. */
  statusOf?: (answer: JsonRpcMessage) => number;
  unsent: UnsentBytes;
  clock: Clock;
  keepAliveMs: number;
  /** Called when every request was answered or ended without an answer. */
  onDone: () => void;
}

export class PostExchange {
  /** The IDs of the open requests; an array, because most POSTs have one. */
  private readonly open: RequestId[];
  private readonly answers: JsonRpcMessage[] = [];
  private stream: ServedEventStream | undefined;
  private isDone = false;
  private readonly patience: Disposable;

  constructor(private readonly options: PostExchangeOptions) {
    this.open = [...options.ids];
    this.patience = options.clock.after(options.keepAliveMs, () => this.becomeStream());
  }

  /** Sends a message that is not an answer: a notification or a request to the client. */
  say(message: JsonRpcMessage): void {
    this.becomeStream()?.push(exactJson(message));
  }

  answer(id: RequestId, message: JsonRpcMessage): void {
    if (!this.open.includes(id)) return;
    if (this.stream) this.stream.push(exactJson(message));
    else this.answers.push(message);
    this.settle(id);
  }

  /** Records that no more messages follow for this request. After the last open request, the exchange is finished. */
  settle(id: RequestId): void {
    const at = this.open.indexOf(id);
    if (at === -1) return;
    this.open.splice(at, 1);
    if (this.open.length === 0) this.finish();
  }

  /** Lets the client disconnect; it can resume the stream. */
  release(retryMs: number | undefined): void {
    this.becomeStream()?.release(retryMs);
  }

  /** Turns the response into a stream. Returns undefined if the exchange is complete. */
  private becomeStream(): ServedEventStream | undefined {
    if (this.stream || this.isDone) return this.stream;
    this.patience.dispose();
    const { response, headers } = this.options;
    const stream = this.options.openStream();
    this.stream = stream;
    if (!response.destroyed) stream.attach(response, headers);
    for (const message of this.answers.splice(0)) stream.push(exactJson(message));
    return stream;
  }

  private finish(): void {
    this.isDone = true;
    this.patience.dispose();
    const { response, headers, isBatch, statusOf, unsent, onDone } = this.options;
    const [first] = this.answers;
    if (this.stream) this.stream.finish();
    else if (!first) response.writeHead(202, headers).end();
    else {
      // Node sends a string in one write with the headers, but a buffer in a second write.
      const body = exactJson(isBatch ? this.answers : first);
      const status = isBatch ? 200 : (statusOf?.(first) ?? 200);
      response
        .writeHead(status, {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          ...headers,
        })
        .end(body);
      unsent.wrote(response);
    }
    onDone();
  }
}

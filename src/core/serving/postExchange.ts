/**
 * One POST and what comes back for it: a JSON body when the answers are all there is to say, a stream of events as soon
 * as something else is said first, or when it takes so long that somebody in between might hang up.
 */
import type { ServerResponse } from 'node:http';
import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import type { JsonRpcMessage, RequestId } from '../protocol/jsonRpc.js';
import type { EventStream } from './eventStream.js';

export interface PostExchangeOptions {
  response: ServerResponse;
  /** Makes the stream, once this is to be one. */
  openStream: () => EventStream;
  /** The requests that were posted. */
  ids: readonly RequestId[];
  /** They came in an array, and so do their answers. */
  isBatch: boolean;
  headers?: Record<string, string>;
  /** The status of a single answer; default 200. */
  statusOf?: (answer: JsonRpcMessage) => number;
  clock: Clock;
  keepAliveMs: number;
  /** Everything was answered, or will not be. */
  onDone: () => void;
}

export class PostExchange {
  private readonly open: Set<RequestId>;
  private readonly answers: JsonRpcMessage[] = [];
  private stream: EventStream | undefined;
  private isDone = false;
  private readonly patience: Disposable;

  constructor(private readonly options: PostExchangeOptions) {
    this.open = new Set(options.ids);
    this.patience = options.clock.after(options.keepAliveMs, () => this.becomeStream());
  }

  /** Sends what is no answer: a notification, or a question to the client. */
  say(message: JsonRpcMessage): void {
    this.becomeStream()?.push(JSON.stringify(message));
  }

  answer(id: RequestId, message: JsonRpcMessage): void {
    if (!this.open.has(id)) return;
    if (this.stream) this.stream.push(JSON.stringify(message));
    else this.answers.push(message);
    this.settle(id);
  }

  /** Nothing more comes for this request. */
  settle(id: RequestId): void {
    if (!this.open.delete(id) || this.open.size > 0) return;
    this.finish();
  }

  /** Lets the client hang up; it can come back to the stream. */
  release(retryMs: number | undefined): void {
    this.becomeStream()?.release(retryMs);
  }

  /** The stream from now on; undefined when everything was said. */
  private becomeStream(): EventStream | undefined {
    if (this.stream || this.isDone) return this.stream;
    this.patience.dispose();
    const { response, headers } = this.options;
    const stream = this.options.openStream();
    this.stream = stream;
    if (!response.destroyed) stream.attach(response, headers);
    for (const message of this.answers.splice(0)) stream.push(JSON.stringify(message));
    return stream;
  }

  private finish(): void {
    this.isDone = true;
    this.patience.dispose();
    const { response, headers, isBatch, statusOf, onDone } = this.options;
    const [first] = this.answers;
    if (this.stream) this.stream.finish();
    else if (!first) response.writeHead(202, headers).end();
    else {
      const body = Buffer.from(JSON.stringify(isBatch ? this.answers : first));
      const status = isBatch ? 200 : (statusOf?.(first) ?? 200);
      response
        .writeHead(status, { ...headers, 'content-type': 'application/json', 'content-length': body.length })
        .end(body);
    }
    onDone();
  }
}

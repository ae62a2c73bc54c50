import { Backoff } from '../base/backoff.js';
import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { isObject } from '../base/guards.js';
import { messageOf } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import { ProtocolError } from '../protocol/jsonRpc.js';
import type { Params, Result } from '../protocol/jsonRpc.js';
import type { RequestOptions } from '../protocol/pendingRequest.js';
import type { ServerCapabilities } from '../protocol/mcp.js';
import { metaKeys } from '../protocol/mcp.js';
import type { SessionListener } from './codec.js';

/** Minimum duration of a stream, ms, that resets the reconnect delay. */
const goodStreamMs = 10_000;

/** Number of consecutive short streams after which no more are opened. */
const maxAttempts = 8;

interface Stream {
  filter: string;
  abort: AbortController;
  /** The ID of the stream's request, which is also the ID of the subscription. */
  id: number | undefined;
}

/**
 * The one open `subscriptions/listen` request of a session (specification 2026-07-28, basic/patterns/subscriptions). It
 * delivers the changes that older revisions send as plain notifications. It is opened only for subscriptions that the
 * server declares and a caller wants. When it ends, it is reopened with growing delays, until eight streams in a row
 * were short. When the wanted subscriptions change, it is replaced.
 */
export class ListenStream {
  private readonly resources = new Set<string>();
  /** The next update for changed resources; many changes in one turn of the event loop cause one update. */
  private nextUpdate: Promise<void> | undefined;
  private current: Stream | undefined;
  private retry: Disposable | undefined;
  private readonly backoff = new Backoff({ initialMs: 1_000, maxMs: 60_000 });
  private isDisposed = false;

  constructor(
    private readonly send: (params: Params, options: RequestOptions) => Promise<Result>,
    private readonly capabilities: ServerCapabilities,
    private readonly listener: SessionListener,
    private readonly clock: Clock,
  ) {}

  /** Adds or removes a resource. Resolves when the stream has been requested with it. */
  setResource(uri: string, isWanted: boolean): Promise<void> {
    if (isWanted) this.resources.add(uri);
    else this.resources.delete(uri);
    return (this.nextUpdate ??= new Promise((resolve) => {
      setImmediate(() => {
        this.nextUpdate = undefined;
        this.update();
        resolve();
      });
    }));
  }

  /** Opens, replaces or closes the stream, so that it delivers the notifications that are wanted now. */
  update(): void {
    if (this.isDisposed) return;
    const filter = this.filter();
    const key = JSON.stringify(filter);
    if (this.current?.filter === key) return;
    const previous = this.current;
    this.current = undefined;
    this.retry?.dispose();
    if (filter) this.open(filter, key);
    // The new stream is requested before the old one is ended, so that no change is missed.
    previous?.abort.abort(new Error('The subscription was replaced.'));
  }

  /** Handles a notification that belongs to a listen stream. It may lack an ID, because some servers omit it. */
  receive(method: string, params: Params): void {
    switch (method) {
      case 'notifications/tools/list_changed':
        this.listener.onListChanged?.('tools');
        return;
      case 'notifications/resources/list_changed':
        this.listener.onListChanged?.('resources');
        return;
      case 'notifications/prompts/list_changed':
        this.listener.onListChanged?.('prompts');
        return;
      case 'notifications/resources/updated':
        if (typeof params['uri'] === 'string') this.listener.onResourceUpdated?.(params['uri']);
        return;
      case 'notifications/tasks':
        this.listener.onTaskStatus?.(params);
        return;
      case 'notifications/subscriptions/acknowledged': {
        if (!this.isOwn(subscriptionOf(params) ?? this.current?.id)) return;
        const agreed = isObject(params['notifications']) ? params['notifications'] : {};
        if (this.resources.size > 0 && !Array.isArray(agreed['resourceSubscriptions'])) {
          this.listener.onWarning?.('The server does not report updates of resources.');
        }
        return;
      }
      case 'notifications/cancelled': {
        // The server ended the stream, so the request will not be answered.
        if (this.isOwn(params['requestId'] ?? subscriptionOf(params)))
          this.current?.abort.abort(new Error('The server ended the subscription.'));
        return;
      }
      default:
        return;
    }
  }

  dispose(): void {
    this.isDisposed = true;
    this.retry?.dispose();
    this.current?.abort.abort(new Error('The session ended.'));
    this.current = undefined;
  }

  /**
   * Whether this is the ID of the current stream. Other listen streams, for tasks, may be open at the same time. Some
   * servers send the ID as text.
   */
  private isOwn(id: unknown): boolean {
    return (
      this.current?.id !== undefined &&
      (typeof id === 'number' || typeof id === 'string') &&
      String(id) === String(this.current.id)
    );
  }

  private filter(): Params | undefined {
    const { tools, resources, prompts } = this.capabilities;
    const filter: Params = {
      ...(tools?.listChanged === true ? { toolsListChanged: true } : {}),
      ...(resources?.listChanged === true ? { resourcesListChanged: true } : {}),
      ...(prompts?.listChanged === true ? { promptsListChanged: true } : {}),
      ...(resources?.subscribe === true && this.resources.size > 0
        ? { resourceSubscriptions: [...this.resources] }
        : {}),
    };
    return Object.keys(filter).length === 0 ? undefined : filter;
  }

  private open(filter: Params, key: string): void {
    const stream: Stream = { filter: key, abort: new AbortController(), id: undefined };
    this.current = stream;
    const openedAt = this.clock.now();
    this.send(
      { notifications: filter },
      { signal: stream.abort.signal, timeoutMs: Infinity, onId: (id) => (stream.id = id) },
    ).then(
      () => this.ended(stream, openedAt, undefined),
      (error: unknown) => this.ended(stream, openedAt, error),
    );
  }

  private ended(stream: Stream, openedAt: number, error: unknown): void {
    if (this.isDisposed || this.current !== stream) return;
    this.current = undefined;
    if (error instanceof ProtocolError) {
      this.listener.onWarning?.(
        `The server does not report changes: ${visibleLine(error.message)}. Use "Refresh Tools, Resources, and Prompts".`,
      );
      return;
    }
    if (this.clock.now() - openedAt > goodStreamMs) this.backoff.reset();
    if (this.backoff.attempts >= maxAttempts) {
      const reason = error === undefined ? '' : ` (${visibleLine(messageOf(error))})`;
      this.listener.onWarning?.(
        `Listening for changes ended ${maxAttempts} times in a row${reason}; no further attempt is made.`,
      );
      return;
    }
    this.retry = this.clock.after(this.backoff.nextMs(), () => this.update());
  }
}

function subscriptionOf(params: Params): unknown {
  return isObject(params['_meta']) ? params['_meta'][metaKeys.subscriptionId] : undefined;
}

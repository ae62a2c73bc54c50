/**
 * The connection between the extension and a page. Both ends use the same class: `Mine` is the contract of the messages
 * that this end sends, and `Theirs` the contract of those that it receives. Each request has an ID and settles exactly
 * once: with the reply, with an error of the other end, or when the channel closes. A message that does not match the
 * contract is reported to `onBadFrame` and not handled; a request is then answered with an error. The extension checks
 * every message from a page with a guard, because pages show server content (security requirement V5).
 */

/** The messages that one end can send: notices with their body, and requests with body and reply. */
export interface ChannelContract {
  notices: Record<string, object>;
  requests: Record<string, { body: object; reply: unknown }>;
}

/** The handlers of received messages. */
export type Handlers<V extends ChannelContract> = {
  notices: { [K in keyof V['notices']]: (body: V['notices'][K]) => void };
  requests: {
    [K in keyof V['requests']]: (
      body: V['requests'][K]['body'],
    ) => V['requests'][K]['reply'] | Promise<V['requests'][K]['reply']>;
  };
};

/** Guards that check message bodies, by message name. A name without a guard is not part of the contract. */
export type Guards<V extends ChannelContract> = {
  notices: { [K in keyof V['notices']]: (body: unknown) => body is V['notices'][K] };
  requests: { [K in keyof V['requests']]: (body: unknown) => body is V['requests'][K]['body'] };
};

export interface ChannelOptions<Theirs extends ChannelContract> {
  /** Sends a frame to the other end. Lost frames are not detected. */
  post: (frame: unknown) => void;
  handlers: Handlers<Theirs>;
  /** The guards for received messages. Absent if the other end is the extension, which is trusted. */
  guards?: Guards<Theirs>;
  /**
   * The notice that the other end sends first. Frames that arrive earlier are dropped, because they come from the
   * previous page of the same webview. Default: any frame can be the first.
   */
  firstNotice?: string;
  /** Called with the reason when a frame does not match the contract. */
  onBadFrame: (reason: string) => void;
  /** Returns the message of an error that is sent to the other end. Default: the message of the error. */
  errorText?: (error: unknown) => string;
}

type Frame =
  | { kind: 'notice'; name: string; body: unknown }
  | { kind: 'request'; id: string; name: string; body: unknown }
  | { kind: 'reply'; id: string; body: unknown }
  | { kind: 'error'; id: string; message: string };

interface Pending {
  resolve: (reply: unknown) => void;
  reject: (error: Error) => void;
}

export class Channel<Mine extends ChannelContract, Theirs extends ChannelContract> {
  private readonly pending = new Map<string, Pending>();
  /** Part of the request IDs, so that a reloaded page does not receive the replies to its predecessor. */
  private readonly seed = Math.random().toString(36).slice(2);
  private count = 0;
  /** Whether the first notice has arrived. */
  private hasBegun = false;
  private isClosed = false;

  constructor(private readonly options: ChannelOptions<Theirs>) {}

  notify<K extends keyof Mine['notices'] & string>(name: K, body: Mine['notices'][K]): void {
    if (!this.isClosed) this.post({ kind: 'notice', name, body });
  }

  /** Sends a request. Rejects with the error message of the other end, or when the channel is closed. */
  request<K extends keyof Mine['requests'] & string>(
    name: K,
    body: Mine['requests'][K]['body'],
  ): Promise<Mine['requests'][K]['reply']> {
    if (this.isClosed) return Promise.reject(new Error(`The channel is closed: "${name}" was not sent.`));
    const id = `${this.seed}-${++this.count}`;
    return new Promise<Mine['requests'][K]['reply']>((resolve, reject) => {
      this.pending.set(id, { resolve, reject });
      this.post({ kind: 'request', id, name, body });
    });
  }

  /** Handles a frame from the other end. */
  receive(data: unknown): void {
    if (this.isClosed) return;
    const frame = readFrame(data);
    if (!frame) return this.options.onBadFrame('not a frame');
    const { firstNotice } = this.options;
    if (firstNotice !== undefined && !this.hasBegun) {
      if (frame.kind !== 'notice' || frame.name !== firstNotice) return;
      this.hasBegun = true;
    }
    switch (frame.kind) {
      case 'notice':
        return this.hearNotice(frame.name, frame.body);
      case 'request':
        void this.hearRequest(frame.id, frame.name, frame.body);
        return;
      case 'reply':
        return this.settle(frame.id, (waiting) => waiting.resolve(frame.body));
      case 'error':
        return this.settle(frame.id, (waiting) => waiting.reject(new Error(frame.message)));
    }
  }

  /** Rejects all pending requests. Nothing is sent or received afterward. */
  close(): void {
    this.isClosed = true;
    const waiting = [...this.pending.values()];
    this.pending.clear();
    for (const { reject } of waiting) reject(new Error('The channel was closed before the response arrived.'));
  }

  private hearNotice(name: string, body: unknown): void {
    const { notices } = this.options.handlers;
    const guard = this.options.guards ? own(this.options.guards.notices, name) : anything;
    const handle = own(notices, name);
    if (!handle || !guard) return this.options.onBadFrame(`there is no notice "${name.slice(0, 80)}"`);
    if (!guard(body)) return this.options.onBadFrame(`the body of the notice "${name}" is invalid`);
    handle(body as never);
  }

  private async hearRequest(id: string, name: string, body: unknown): Promise<void> {
    const { requests } = this.options.handlers;
    const guard = this.options.guards ? own(this.options.guards.requests, name) : anything;
    const handle = own(requests, name);
    const refuse = (reason: string) => {
      this.options.onBadFrame(reason);
      this.post({ kind: 'error', id, message: reason });
    };
    if (!handle || !guard) return refuse(`there is no request "${name.slice(0, 80)}"`);
    if (!guard(body)) return refuse(`the body of the request "${name}" is invalid`);
    try {
      const reply = await handle(body as never);
      if (!this.isClosed) this.post({ kind: 'reply', id, body: reply });
    } catch (error) {
      const { errorText = (thrown: unknown) => (thrown instanceof Error ? thrown.message : String(thrown)) } =
        this.options;
      if (!this.isClosed) this.post({ kind: 'error', id, message: errorText(error) });
    }
  }

  private settle(id: string, end: (waiting: Pending) => void): void {
    const waiting = this.pending.get(id);
    // A reply without a pending request belongs to a request that the page sent before it was reloaded.
    if (!waiting) return;
    this.pending.delete(id);
    end(waiting);
  }

  private post(frame: Frame): void {
    this.options.post(frame);
  }
}

/** Returns an own property. Inherited names such as `constructor` and `__proto__` are not part of a contract. */
function own<T extends object, K extends keyof T>(table: T, name: string): T[K] | undefined {
  return Object.hasOwn(table, name) ? table[name as K] : undefined;
}

const anything = (): boolean => true;

function readFrame(data: unknown): Frame | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const { kind, id, name, body, message } = data as Record<string, unknown>;
  switch (kind) {
    case 'notice':
      return typeof name === 'string' ? { kind, name, body } : undefined;
    case 'request':
      return typeof name === 'string' && typeof id === 'string' ? { kind, id, name, body } : undefined;
    case 'reply':
      return typeof id === 'string' ? { kind, id, body } : undefined;
    case 'error':
      return typeof id === 'string' && typeof message === 'string' ? { kind, id, message } : undefined;
    default:
      return undefined;
  }
}

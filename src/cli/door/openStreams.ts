/** The streams of notifications that a client of 2026-07-28 has opened with `subscriptions/listen`. */
import { isObject } from '../../core/base/guards.js';
import { metaKeys } from '../../core/protocol/mcp.js';
import type { RequestId } from '../../core/protocol/jsonRpc.js';

type Params = Record<string, unknown>;

interface Stream {
  line: string;
  /** The notifications that the server agreed to send. */
  granted: Params;
  /** Whether the client has received the acknowledgement. */
  isAcknowledged: boolean;
}

const kinds = ['tools', 'prompts', 'resources'];

export class OpenStreams {
  private readonly streams = new Map<unknown, Stream>();

  add(id: RequestId, line: string, params: Params): void {
    const { notifications } = params;
    this.streams.set(id, { line, granted: isObject(notifications) ? notifications : {}, isAcknowledged: false });
  }

  has(id: unknown): boolean {
    return this.streams.has(id);
  }

  delete(id: unknown): boolean {
    return this.streams.delete(id);
  }

  /** The requests of all streams, to repeat to another window. */
  repeat(): string[] {
    return [...this.streams.values()].map(({ line }) => line);
  }

  /** Receives the acknowledgement of a window; returns whether the client needs it. */
  acknowledge(id: unknown, granted: unknown): boolean {
    const stream = this.streams.get(id);
    if (!stream || stream.isAcknowledged) return false;
    stream.isAcknowledged = true;
    if (isObject(granted)) stream.granted = granted;
    return true;
  }

  /** The acknowledgement of a stream while no window is open. */
  acknowledgement(id: RequestId): string {
    const stream = this.streams.get(id);
    if (stream) stream.isAcknowledged = true;
    return tagged('notifications/subscriptions/acknowledged', id, { notifications: stream?.granted ?? {} });
  }

  /** A list-changed notification for every list that the client listens to. */
  changes(): string[] {
    return [...this.streams].flatMap(([id, { granted }]) =>
      kinds
        .filter((kind) => granted[`${kind}ListChanged`] === true)
        .map((kind) => tagged(`notifications/${kind}/list_changed`, id, {})),
    );
  }
}

function tagged(method: string, id: unknown, params: Params): string {
  return JSON.stringify({ jsonrpc: '2.0', method, params: { ...params, _meta: { [metaKeys.subscriptionId]: id } } });
}

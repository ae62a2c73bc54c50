import type { Remark } from '../base/remark.js';
import type { Outgoing } from '../protocol/jsonRpc.js';

export type { Outgoing } from '../protocol/jsonRpc.js';

/** The HTTP response that a message came with, for whoever looks at the wire. */
export interface HttpExchange {
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Where a transport delivers. All calls are synchronous and in arrival order. */
export interface TransportSink {
  /**
   * A parsed JSON value: a message, a batch array, or anything at all a server may send.
   * @param text as it came, for whoever looks at the wire; absent where the transport does not have it any more.
   * @param exchange where it is the answer to a POST.
   */
  onMessage(message: unknown, text?: string, exchange?: HttpExchange): void;
  /** What came where a message belongs and is not JSON, as it came; besides the warning. */
  onUnreadable?(text: string): void;
  /** The connection ended, once. `reason` is absent when `close` was called. */
  onClose(reason?: Error): void;
  /**
   * Something odd that does not end the connection: a stray line on stdout, an event of an unknown type. Ready to be
   * logged, already made harmless.
   */
  onWarning(line: string): void;
  /** Something noticed that may be why a request waits in vain. */
  onRemark?(remark: Remark): void;
  /** A line of the server's stderr, made harmless; only from transports that have one. */
  onStderr?(line: string): void;
}

/**
 * A way to exchange messages with one server (specification: basic/transports). Generic over the era: what a revision
 * needs on the wire beyond the message itself comes in `Outgoing.headers` and through `handshakeDone`.
 */
export interface Transport {
  /**
   * For people and logs: `stdio`, `http` (also over a Unix socket or pipe), `sse`, `ws`, `socket` (JSON lines over a
   * Unix socket or pipe), `memory`.
   */
  readonly kind: string;
  /**
   * True when every request has its own answer stream, so that cancelling may close the stream instead of sending a
   * notification; the session does so where the revision says it (2026-07-28).
   */
  readonly cancelsByClosing?: boolean;
  /** Opens; resolves when messages can be sent. Rejects with a HostError. Called once. */
  open(sink: TransportSink, signal?: AbortSignal): Promise<void>;
  /** Queues one message; never throws. Failure goes to `message.fail`, or ends the connection. */
  send(message: Outgoing): void;
  /** Gives up waiting for the answer to `id`: closes that request's stream where there is one. */
  cancel?(id: number): void;
  /** The handshake of the legacy era succeeded: HTTP remembers the revision for its header and opens the GET stream. */
  handshakeDone?(revision: string): void;
  /**
   * Orderly shutdown; resolves when nothing is left (process tree gone, sockets closed). Idempotent, never rejects.
   * @param graceMs longest wait of each step for the other side, in milliseconds, where that is less than the transport's own.
   */
  close(graceMs?: number): Promise<void>;
  /** Cuts the orderly shutdown short: a second Stop forces. */
  kill?(): void;
  /** The protocol's own HTTP headers (`mcp-…`) that a message goes out with, for whoever looks at the wire. */
  protocolHeaders?(message: Outgoing): Record<string, string>;
  /** Facts for tooltips: pid, address. */
  describe?(): { pid?: number; address?: string };
}

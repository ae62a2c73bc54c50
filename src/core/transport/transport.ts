import type { Remark } from '../base/remark.js';
import type { Outgoing } from '../protocol/jsonRpc.js';

export type { Outgoing } from '../protocol/jsonRpc.js';

/** Maximum size of the messages that wait until the server reads them, in bytes. */
export const maxBacklogBytes = 128 * 1024 * 1024;

/** The HTTP response that a message arrived with, for recordings. */
export interface HttpExchange {
  status: number;
  /** Header names are in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Receives the messages and events of a transport. All calls are synchronous and in order of arrival. */
export interface TransportSink {
  /**
   * Receives a parsed JSON value: a message, a batch array, or any other value from the server.
   * @param text the received text, for recordings; absent if the transport no longer has it.
   * @param exchange the HTTP response that contained the message; present only for responses to POST.
   */
  onMessage(message: unknown, text?: string, exchange?: HttpExchange): void;
  /**
   * Receives unchanged data from the message channel that is not JSON. A warning or an error may also report this data.
   */
  onUnreadable?(text: string): void;
  /** Called once when the connection ended. `reason` is absent if `close` was called. */
  onClose(reason?: Error): void;
  /**
   * Receives a problem that does not end the connection: a stray line on stdout, an event of an unknown type. The line
   * is escaped and ready to be logged.
   */
  onWarning(line: string): void;
  /** Receives a possible reason why a request gets no answer. */
  onRemark?(remark: Remark): void;
  /** Receives a line of the server's stderr, escaped; only from transports that have stderr. */
  onStderr?(line: string): void;
}

/**
 * Exchanges messages with one server (specification: basic/transports). Independent of the era: additional data that a
 * revision needs is passed in `Outgoing.headers` and through `handshakeDone`.
 */
export interface Transport {
  /**
   * The kind of transport, for display and logs: `stdio`, `http` (also over a Unix socket or pipe), `sse`, `ws`,
   * `socket` (JSON lines over a Unix socket or pipe), `memory`.
   */
  readonly kind: string;
  /**
   * Whether every request has its own response stream, so that closing the stream can cancel the request. The session
   * cancels this way in revisions that define it (2026-07-28). In other revisions, it sends a notification.
   */
  readonly cancelsByClosing?: boolean;
  /**
   * Opens the connection; resolves when messages can be sent. Rejects with a HostError, or the signal's reason. Called
   * once.
   */
  open(sink: TransportSink, signal?: AbortSignal): Promise<void>;
  /** Queues one message; never throws. A failure is passed to `message.fail`, or ends the connection. */
  send(message: Outgoing): void;
  /** Stops waiting for the response to the request `id`, and closes the request's own stream, if it has one. */
  cancel?(id: number): void;
  /**
   * Called after a successful handshake of the legacy era. From then on, HTTP sends the revision in a header, and
   * Streamable HTTP may open its GET stream.
   */
  handshakeDone?(revision: string): void;
  /**
   * Shuts down in an orderly way. Resolves when the process tree or the sockets have ended. Can be called repeatedly;
   * never rejects.
   * @param graceMs maximum wait after each step, in ms.
   */
  close(graceMs?: number): Promise<void>;
  /** Skips the remaining waits of the shutdown. Called when the user selects Stop a second time. */
  kill?(): void;
  /** The protocol's HTTP headers (`mcp-…`) of a message, for recordings. */
  protocolHeaders?(message: Outgoing): Readonly<Record<string, string>>;
  /** Data for tooltips: process ID, address. */
  describe?(): { pid?: number; address?: string };
}

import type {
  ClientCapabilities,
  CreateMessageRequest,
  CreateMessageResult,
  ElicitRequest,
  ElicitResult,
  Implementation,
  LoggingLevel,
  Meta,
  Progress,
  Root,
} from '../protocol/mcp.js';
import type { Era, Revision } from '../protocol/revisions.js';

/**
 * What a handler knows of the request it answers, and what it can say or ask meanwhile. The same for both eras.
 *
 * **Asking.** `elicit`, `sample` and `listRoots` work while a tool is called, a resource is read or a prompt is got. With
 * a client of the old era each sends a request and waits. In 2026-07-28 there are no such requests: the call is answered
 * with what is missing, and **the handler runs again from its start** when the client comes back. On that run every ask
 * that was answered before yields its stored answer at once, so the handler passes the same points and goes on behind
 * them. Three things follow:
 *
 * - whatever stands before an ask may run several times: ask first, act afterwards;
 * - asks are recognised by `key`, or without one by their kind and order (the second `elicit` of a run gets the second
 *   answer), so the way to an ask may depend on arguments and earlier answers only. An answer to another question than
 *   the one now asked is thrown away, and the question is asked again;
 * - a run that stops at an ask is cancelled: `signal` aborts, the ask rejects with its reason, `finally` blocks run, and
 *   what the handler then does or returns is ignored. Asks begun in the same turn of the event loop travel together.
 */
export interface RequestContext {
  readonly era: Era;
  readonly revision: Revision;
  /** What the client calls itself; display only. */
  readonly client: Implementation | undefined;
  readonly clientCapabilities: ClientCapabilities;
  /** Aborts when the client gave up, the connection ended, or the run stops at an ask. */
  readonly signal: AbortSignal;
  /** `_meta` of the request, untouched: trace context and the like. */
  readonly meta: Meta;
  /** Reports progress, if the client asked for it. Values that do not grow are dropped. */
  progress(progress: Progress): void;
  /** Sends a log message, if the client wants messages of this level. */
  log(level: LoggingLevel, data: unknown, logger?: string): void;
  /** Asks the user. Rejects when the client cannot do that. */
  elicit(request: ElicitRequest, key?: string): Promise<ElicitResult>;
  /** Asks the client's language model. Rejects when the client has none for us. */
  sample(request: CreateMessageRequest, key?: string): Promise<CreateMessageResult>;
  /** Asks for the folders the client works in. Rejects when it tells nobody. */
  listRoots(key?: string): Promise<Root[]>;
  /**
   * Lets the client hang up and come back for the rest of this answer (2025-11-25 over HTTP, "polling"); elsewhere nothing.
   * @param retryMs when it should come back.
   */
  releaseStream(retryMs?: number): void;
}

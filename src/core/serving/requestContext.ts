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
 * What a handler knows about its request, and how it can report or ask meanwhile. The same for both eras.
 *
 * **Asking.** `elicit`, `sample` and `listRoots` work while a tool is called, a resource is read or a prompt is got.
 * With a client of the legacy era, each sends a request and waits. 2026-07-28 has no such requests: the call is
 * answered with the missing questions, and **the handler runs again from its start** when the client returns with the
 * answers. In that run, every question that was answered before returns its stored answer at once, so the handler
 * reaches the same points and continues. Three rules follow:
 *
 * - code before a question may run several times: ask first, act afterward;
 * - questions are identified by `key`, or without one by their kind and order (the second `elicit` of a run gets the
 *   second answer), so the path to a question may depend only on arguments and earlier answers. The answer to a
 *   different question is discarded, and the question is asked again;
 * - a run that stops at a question is canceled: `signal` aborts, the question rejects with its reason, `finally` blocks
 *   run, and later actions and results of the handler are ignored. Questions asked in the same turn of the event loop
 *   are sent together.
 */
export interface RequestContext {
  readonly era: Era;
  readonly revision: Revision;
  /** The client's name for itself, for display only. */
  readonly client: Implementation | undefined;
  readonly clientCapabilities: ClientCapabilities;
  /** Aborted when the client cancels, when the connection ends, or when the run stops at a question. */
  readonly signal: AbortSignal;
  /** `_meta` of the request, unchanged: trace context and other metadata. */
  readonly meta: Meta;
  /** Reports progress, if the client asked for it. Values that do not increase are dropped. */
  progress(progress: Progress): void;
  /** Sends a log message, if the client wants messages of this level. */
  log(level: LoggingLevel, data: unknown, logger?: string): void;
  /** Asks the user. Rejects when the client does not support it. */
  elicit(request: ElicitRequest, key?: string): Promise<ElicitResult>;
  /** Asks the client's language model. Rejects when the client does not support sampling. */
  sample(request: CreateMessageRequest, key?: string): Promise<CreateMessageResult>;
  /** Asks for the client's roots. Rejects when the client does not support roots. */
  listRoots(key?: string): Promise<Root[]>;
  /**
   * Lets the client disconnect and reconnect for the rest of this answer (2025-11-25 over HTTP, "polling"). No effect
   * on other transports.
   * @param retryMs delay before the client reconnects.
   */
  releaseStream(retryMs?: number): void;
}

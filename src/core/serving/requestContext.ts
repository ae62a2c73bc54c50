import type { CallSignal } from '../base/lightAbort.js';
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
import type { CallerLife } from '../base/callerLife.js';
import type { ConnectionInfo } from './clientGate.js';
import type { Era, Revision } from '../protocol/revisions.js';

/**
 * The data of a request for its handler, and the functions with which the handler reports progress or asks the client.
 * It is the same for both eras.
 *
 * **Asking.** `elicit`, `sample` and `listRoots` work while a tool is called, a resource is read, or a prompt is
 * rendered. For a client of the legacy era, each of them sends a request and waits for the answer. 2026-07-28 has no
 * such requests. Instead, the call is answered with the open questions, and **the handler runs again from its start**
 * when the client repeats the call with the answers. In that run, every question that was answered before returns its
 * stored answer at once, so the handler reaches the same points and continues. Three rules follow:
 *
 * - code before a question may run several times, so ask first and act afterward;
 * - questions are identified by `key` or, if they have none, by their kind and order (the second `elicit` of a run gets
 * the second answer). So the path to a question may depend only on arguments and earlier answers. An answer that
 * belongs to a different question is discarded, and the question is asked again;
 * - a run that stops at a question is canceled: `signal` aborts, the question rejects with its reason, `finally` blocks
 * run, and later actions and results of the handler are ignored. Questions asked in the same turn of the event loop are
 * sent together.
 *
 * A server with the option `holdsCalls` runs each handler once in both eras (see `heldCalls.ts`), and none of these
 * rules applies.
 */
export interface RequestContext {
  readonly era: Era;
  readonly revision: Revision;
  /** The name and version that the client states, for display only. */
  readonly client: Implementation | undefined;
  readonly clientCapabilities: ClientCapabilities;
  /** Identifies the session of the client. For a client without sessions, each request has a new object. */
  readonly peer: object;
  /** Identifies the client across its requests. */
  readonly life: CallerLife;
  readonly connectionInfo: ConnectionInfo;
  /** The level of log messages that the client asked for; undefined if it did not ask. */
  readonly logLevel: LoggingLevel | undefined;
  /** Aborted when the client cancels, when the connection ends, or when the run stops at a question. */
  readonly signal: CallSignal;
  /** `_meta` of the request, unchanged: trace context and other metadata. */
  readonly meta: Meta;
  /** Reports progress if the client asked for it. A value that is not larger than the previous one is dropped. */
  progress(progress: Progress): void;
  /** Sends a log message if the client wants messages of this level. */
  log(level: LoggingLevel, data: unknown, logger?: string): void;
  /** Asks the user. Rejects if the client does not support elicitation. `signal` cancels the question. */
  elicit(request: ElicitRequest, key?: string, signal?: CallSignal): Promise<ElicitResult>;
  /** Asks the client's language model. Rejects if the client does not support sampling. */
  sample(request: CreateMessageRequest, key?: string, signal?: CallSignal): Promise<CreateMessageResult>;
  /** Asks for the client's roots. Rejects if the client does not support roots. */
  listRoots(key?: string, signal?: CallSignal): Promise<Root[]>;
  /**
   * Lets the client disconnect and reconnect for the rest of this answer (2025-11-25 over HTTP, "polling"). It has no
   * effect on other transports.
   * @param retryMs delay before the client reconnects.
   */
  releaseStream(retryMs?: number): void;
}

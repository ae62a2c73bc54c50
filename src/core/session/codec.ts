import type { HostError } from '../base/hostError.js';
import type { Remark } from '../base/remark.js';
import type { RequestOptions } from '../protocol/pendingRequest.js';
import type { Params, Result } from '../protocol/jsonRpc.js';
import type { ClientCapabilities, Implementation, ListKind, LogMessage, LoggingLevel } from '../protocol/mcp.js';
import type { Era, Revision } from '../protocol/revisions.js';
import type { ServerIdentity } from './serverIdentity.js';
import type { ServerRequestHandlers } from './serverRequests.js';

/** Notifications of a session to its owner. Called synchronously, in order of arrival; must not throw. */
export interface SessionListener {
  /** The server reported a changed list. Called for every notification. */
  onListChanged?(kind: ListKind): void;
  onResourceUpdated?(uri: string): void;
  onLog?(message: LogMessage): void;
  /** A URL elicitation was completed out of band (2025-11-25). */
  onElicitationComplete?(elicitationId: string): void;
  /** The status of a task that this host started has changed. */
  onTaskStatus?(task: Record<string, unknown>): void;
  /** A problem that did not end the session; ready to be logged. */
  onWarning?(line: string): void;
  onStderr?(line: string): void;
  /** A possible reason why a request gets no answer. The output that it quotes is not escaped yet. */
  onRemark?(remark: Remark): void;
  /** A request ended without an answer; the session continues. */
  onUnanswered?(error: HostError): void;
}

export interface CodecOptions {
  client: Implementation;
  handlers: ServerRequestHandlers;
  listener: SessionListener;
  /** Handshake timeout, ms. */
  startTimeoutMs: number;
}

/** Additional data of a request that only one era needs. */
export interface CodecRequestOptions extends RequestOptions {
  /** Value of `Mcp-Name` (2026-07-28 over HTTP). */
  name?: string;
  /** `Mcp-Param-*` headers of a tool call (2026-07-28 over HTTP). */
  paramHeaders?: Record<string, string>;
  /** Answers the input requests that belong to this request (2026-07-28). Default: the handlers of the session. */
  handlers?: ServerRequestHandlers;
  /** The inputs that the owner of `handlers` can provide (2026-07-28). Default: all that the session can provide. */
  asksFor?: ClientCapabilities | undefined;
}

/**
 * The wire format of one era. Most code above a codec is the same for both eras. The exceptions in a session are in
 * `mcpSession.ts`, `toolCalls.ts` and `urlElicitations.ts`.
 */
export interface Codec {
  readonly era: Era;
  readonly revision: Revision;
  readonly identity: ServerIdentity;
  /**
   * Sends a request and handles the rounds between request and result that this era defines. `read`: see
   * `JsonRpcPeer.request`.
   */
  request(method: string, params: Params | undefined, options?: CodecRequestOptions): Promise<Result>;
  request<T>(
    method: string,
    params: Params | undefined,
    options: CodecRequestOptions | undefined,
    read: (result: Result) => T,
  ): Promise<T>;
  /**
   * Sets the level of log messages that the server sends. Undefined turns them off; the legacy era cannot do that, so
   * it requests `emergency`, the highest level.
   */
  setLogLevel(level: LoggingLevel | undefined): Promise<void>;
  /** Subscribes to updates of a resource, or ends a subscription. Called only if that changes something. */
  setSubscription(uri: string, isWanted: boolean): Promise<void>;
  /** Reports changed roots; does nothing in eras without that notification. */
  rootsChanged(): void;
  /** Checks liveness: resolves when the server answers. */
  ping(timeoutMs: number): Promise<void>;
  /** Stops background work. The session closes the wire. */
  dispose(): void;
}

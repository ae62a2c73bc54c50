import type { HostError } from '../base/hostError.js';
import type { Remark } from '../base/remark.js';
import type { RequestOptions, Params, Result } from '../protocol/jsonRpcPeer.js';
import type { Implementation, LogMessage, LoggingLevel } from '../protocol/mcp.js';
import type { Era, Revision } from '../protocol/revisions.js';
import type { ServerIdentity } from './serverIdentity.js';
import type { ServerRequestHandlers } from './serverRequests.js';

export type ListKind = 'tools' | 'resources' | 'prompts';

/** What a session tells its owner. Called synchronously, in arrival order; must not throw. */
export interface SessionListener {
  /** The server says that a list changed. Not coalesced. */
  onListChanged?(kind: ListKind): void;
  onResourceUpdated?(uri: string): void;
  onLog?(message: LogMessage): void;
  /** A URL elicitation was finished out of band (2025-11-25). */
  onElicitationComplete?(elicitationId: string): void;
  /** State of a task that this host started changed. */
  onTaskStatus?(task: Record<string, unknown>): void;
  /** Something odd that was survived; ready to be logged. */
  onWarning?(line: string): void;
  onStderr?(line: string): void;
  /** Something noticed that may be why a request waits in vain; its quote is as it came. */
  onRemark?(remark: Remark): void;
  /** A request ended without an answer; the session goes on. */
  onUnanswered?(error: HostError): void;
}

export interface CodecOptions {
  client: Implementation;
  handlers: ServerRequestHandlers;
  listener: SessionListener;
  /** Handshake time-out in milliseconds. */
  startTimeoutMs: number;
}

/** Extra facts of a request that only one era needs on the wire. */
export interface CodecRequestOptions extends RequestOptions {
  /** Value of `Mcp-Name` (2026-07-28 over HTTP). */
  name?: string;
  /** `Mcp-Param-*` headers of a tool call (2026-07-28 over HTTP). */
  paramHeaders?: Record<string, string>;
}

/**
 * How one era says the things a session wants to say. Everything above a codec is the same for both eras; nothing above
 * it looks at the era except to show it.
 */
export interface Codec {
  readonly era: Era;
  readonly revision: Revision;
  readonly identity: ServerIdentity;
  /**
   * Sends a request and follows whatever rounds this era puts between request and result. `read`: see
   * `JsonRpcPeer.request`.
   */
  request(method: string, params: Params | undefined, options?: CodecRequestOptions): Promise<Result>;
  request<T>(
    method: string,
    params: Params | undefined,
    options: CodecRequestOptions | undefined,
    read: (result: Result) => T,
  ): Promise<T>;
  /** Undefined: no log messages are wanted. */
  setLogLevel(level: LoggingLevel | undefined): Promise<void>;
  /** Replaces the set of resources whose updates are wanted. */
  setSubscriptions(uris: ReadonlySet<string>): Promise<void>;
  /** The roots changed; eras without that notification do nothing. */
  rootsChanged(): void;
  /** Liveness: resolves when the server answers. */
  ping(timeoutMs: number): Promise<void>;
  /** Stops background work; the wire is closed by the session. */
  dispose(): void;
}

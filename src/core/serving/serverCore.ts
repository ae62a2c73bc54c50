import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import type { Log } from '../base/log.js';
import type { JsonRpcMessage, RequestId } from '../protocol/jsonRpc.js';
import type { Implementation, ServerCapabilities } from '../protocol/mcp.js';
import type { Era, Revision } from '../protocol/revisions.js';
import type { Sealer } from './sealer.js';
import type { ServerMethods, Validate } from './serverMethods.js';

/** How long results may be kept by the client (2026-07-28: server/utilities/caching). */
export interface CachePolicy {
  ttlMs: number;
  scope: 'public' | 'private';
}

/** What all connections of one server share. */
export interface ServerCore {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  readonly methods: ServerMethods;
  capabilities(revision: Revision): ServerCapabilities;
  /** By method; what is not there is stale at once and private. */
  readonly cache: ReadonlyMap<string, CachePolicy>;
  readonly sealer: Sealer;
  readonly validate: Validate | undefined;
  readonly log: Log;
  readonly clock: Clock;
  /** How long a legacy client may take to answer a question; people are slow. */
  readonly askTimeoutMs: number;
  /** Requests of one client that may be open at once. */
  readonly maxOpenRequests: number;
  /** Watches a resource for as long as one connection wants it. */
  watch(uri: string): Disposable;
}

/** Where a connection's messages go. */
export interface ClientChannel {
  /**
   * @param relatedTo the client's request that the message answers or belongs to; absent: none, and any way to the
   * client will do.
   */
  send(message: JsonRpcMessage | readonly JsonRpcMessage[], relatedTo?: RequestId): void;
  /** Nothing more belongs to this request: it was answered, or it was given up and will not be. */
  ended?(id: RequestId): void;
  /** The handler lets the client hang up and come back later. */
  release?(id: RequestId, retryMs: number | undefined): void;
}

/** A request of the client that has not ended. */
export interface OpenRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly era: Era;
  readonly abort: AbortController;
  /** True once it was answered or given up: nothing may be said for it any more. */
  isOver: boolean;
}

/** Resources that one client may subscribe to. */
export const maxSubscriptions = 1_000;

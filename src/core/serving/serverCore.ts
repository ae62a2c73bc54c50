import type { LightAbort } from '../base/lightAbort.js';
import type { CallerLife } from '../base/callerLife.js';
import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import type { Log } from '../base/log.js';
import type { JsonRpcMessage, RequestId } from '../protocol/jsonRpc.js';
import type { Implementation, ServerCapabilities } from '../protocol/mcp.js';
import type { Era, Revision } from '../protocol/revisions.js';
import type { ClientGate } from './clientGate.js';
import type { HeldCalls } from './heldCalls.js';
import type { KnownClients } from './knownClients.js';
import type { ClientAddress } from './servedFeatures.js';
import type { StateSigner } from './stateSigner.js';
import type { ServerMethods, Validate } from './serverMethods.js';

/** How long the client may cache results (2026-07-28: server/utilities/caching). */
export interface CachePolicy {
  ttlMs: number;
  scope: 'public' | 'private';
}

/** The data that all connections of one server share. */
export interface ServerCore {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  readonly methods: ServerMethods;
  capabilities(revision: Revision): ServerCapabilities;
  /** Caching hints by method. If a method is missing, its result is private and becomes stale at once. */
  readonly cache: ReadonlyMap<string, CachePolicy>;
  readonly signer: StateSigner;
  /** Present if handlers run once per request, even in the stateless era. */
  readonly held: HeldCalls | undefined;
  /** The clients without sessions. */
  readonly clients: KnownClients;
  /** Present if not every client may use the server. */
  readonly gate: ClientGate | undefined;
  readonly validate: Validate | undefined;
  readonly log: Log;
  readonly clock: Clock;
  /** Time limit for a legacy client to answer a request, ms. It is long, so that the user can answer. */
  readonly askTimeoutMs: number;
  /** Maximum number of open requests of one client. */
  readonly maxOpenRequests: number;
  /**
   * Watches a resource while a connection subscribes to it.
   * @param onDidUpdate called for updates that only this client receives; all others reach every connection.
   */
  watch(uri: string, life: CallerLife, onDidUpdate: () => void): Disposable;
  /** Whether the client may receive updates of the resource. */
  mayWatch(uri: string, client: ClientAddress): boolean;
}

/** The channel on which a connection sends its messages. */
export interface ClientChannel {
  /**
   * Sends a message to the client.
   * @param relatedTo the client's request that the message answers or belongs to; if it is absent, any stream to the
   * client is suitable.
   */
  send(message: JsonRpcMessage | readonly JsonRpcMessage[], relatedTo?: RequestId): void;
  /** Called when a request has ended: it was answered, or aborted without an answer. */
  ended?(id: RequestId): void;
  /** Called when the handler lets the client disconnect and reconnect later. */
  release?(id: RequestId, retryMs: number | undefined): void;
}

/** A request of the client that has not ended. */
export interface OpenRequest {
  readonly id: RequestId;
  readonly method: string;
  readonly era: Era;
  /** The size of the message with the request, bytes; 0 if it is unknown. */
  readonly size: number;
  readonly abort: LightAbort;
  /** True after the request was answered or aborted. After that, nothing may be sent for it. */
  isOver: boolean;
}

/** Maximum number of resource subscriptions of one client. */
export const maxSubscriptions = 1_000;
/** Maximum length of a subscribed URI, in UTF-16 code units. It is kept until the subscription ends. */
export const maxSubscribedLength = 8_192;

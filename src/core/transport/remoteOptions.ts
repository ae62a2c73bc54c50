import type { Clock } from '../base/clock.js';
import type { Authorizer } from '../auth/authorizer.js';
import type { HttpConnections } from './http/httpConnections.js';

/** What the transports to remote servers share. */
export interface RemoteOptions {
  /** Sockets shared with other transports; default: own ones. */
  connections?: HttpConnections;
  /** Configured headers; sent to the server's own origin only. */
  headers?: Readonly<Record<string, string>>;
  authorizer?: Authorizer;
  /** PEM of a private certificate authority. */
  ca?: string;
  /**
   * Whether compressed answers are offered, on WebSockets compressed messages. Default: no; `openRemote` decides by
   * the address.
   */
  compression?: boolean;
  /** Largest single message after decompression; default 64 MiB. */
  maxMessageBytes?: number;
  /** How long opening a stream or socket may take, in milliseconds; default 30,000. */
  connectTimeoutMs?: number;
  /** Value of `User-Agent`. */
  userAgent?: string;
  clock?: Clock;
  /** Source of randomness in [0, 1) for waits. */
  random?: () => number;
}

export const defaultMaxMessageBytes = 64 * 1024 * 1024;
export const defaultConnectTimeoutMs = 30_000;

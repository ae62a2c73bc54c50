import type { Clock } from '../base/clock.js';
import type { Authorizer } from '../auth/authorizer.js';
import type { HttpConnections } from './http/httpConnections.js';

/** Options of all transports to remote servers. */
export interface RemoteOptions {
  /** Sockets shared with other transports; default: separate sockets. */
  connections?: HttpConnections;
  /** Configured headers; sent only to the server's own origin. */
  headers?: Readonly<Record<string, string>>;
  authorizer?: Authorizer;
  /** A private certificate authority in PEM format. */
  ca?: string;
  /**
   * Whether to offer compressed responses, or compressed messages on WebSockets. Default: no; `openRemote` decides by
   * the address.
   */
  compression?: boolean;
  /** Maximum size of a message after decompression, bytes; default 64 MiB. */
  maxMessageBytes?: number;
  /** Timeout of opening a stream or socket, ms; default 30,000. */
  connectTimeoutMs?: number;
  /** Value of `User-Agent`. */
  userAgent?: string;
  clock?: Clock;
  /** Returns random numbers in [0, 1), for delays. */
  random?: () => number;
}

export const defaultMaxMessageBytes = 64 * 1024 * 1024;
export const defaultConnectTimeoutMs = 30_000;

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
  /** Certificate authorities in PEM format; they replace the built-in list. */
  ca?: string;
  /**
   * Whether to accept compressed HTTP responses and to negotiate compression of WebSocket messages. Default false;
   * `openRemote` sets it to true for addresses that are not loopback.
   */
  compression?: boolean;
  /** Maximum size of a message after decompression, bytes; default 64 MiB. */
  maxMessageBytes?: number;
  /** Timeout of opening a stream or socket, ms; default 30,000. */
  connectTimeoutMs?: number;
  /** Value of `User-Agent`. */
  userAgent?: string;
  clock?: Clock;
  /** Returns a random number in [0, 1), which varies the delays between reconnects. Default `Math.random`. */
  random?: () => number;
}

export const defaultMaxMessageBytes = 64 * 1024 * 1024;
export const defaultConnectTimeoutMs = 30_000;

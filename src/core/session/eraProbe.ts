/**
 * Which era a server speaks (specification 2026-07-28, basic/versioning, "Backward compatibility"; the transports' own
 * pages). The decision is a pure function of what came back; opening transports and sending is the caller's.
 */
import type { HostErrorWith } from '../base/hostError.js';
import { HostError } from '../base/hostError.js';
import { ErrorCode, ProtocolError } from '../protocol/jsonRpc.js';

export type ProbeVerdict =
  /**
   * Speaks the legacy era, and does not know the method, as it should be: nothing shows that the probe changed
   * anything.
   */
  | 'legacy'
  /**
   * Speaks the legacy era, and ended on the unknown first request or failed on it: only a connection without a probe
   * is sound.
   */
  | 'legacy-reconnect'
  /** Speaks the modern era and refused for a reason of its own: that reason is the error. */
  | 'modern-error'
  /** Says nothing about the era (sign-in needed, not reachable, canceled): the error stands. */
  | 'unknown';

/** Errors that only servers of the modern era know. */
const modernCodes: ReadonlySet<number> = new Set([
  ErrorCode.headerMismatch,
  ErrorCode.missingClientCapability,
  ErrorCode.unsupportedProtocolVersion,
]);

/**
 * Reads the failure of `server/discover`; of `initialize` it tells with `unknown` that the server may as well be of the era
 * it was taken for.
 * @param isHttp each request over HTTP stands by itself, and silence is no evidence; on pipes and sockets a legacy server may
 *   never answer what it does not know, and what it made of the probe stays.
 */
export function classifyProbeFailure(error: unknown, isHttp: boolean): ProbeVerdict {
  if (error instanceof ProtocolError) {
    if (modernCodes.has(error.code)) return 'modern-error';
    return isHttp || error.code === ErrorCode.methodNotFound ? 'legacy' : 'legacy-reconnect';
  }
  if (!(error instanceof HostError)) return 'unknown';
  switch (error.code) {
    case 'unsupported-version':
      return 'modern-error';
    case 'timeout':
      return isHttp ? 'unknown' : 'legacy-reconnect';
    case 'exited':
      return isStartFailure(error) ? 'unknown' : 'legacy-reconnect';
    case 'closed':
      return isHttp ? 'legacy' : 'legacy-reconnect';
    case 'handshake-failed':
    case 'invalid-message':
    case 'session-expired':
      return isHttp ? 'legacy' : 'legacy-reconnect';
    case 'http-status': {
      const status = error.data.status;
      // 401, 403, and what stands before the server (502 to 504) say nothing about the era; 429 says later.
      // Frameworks of
      // legacy servers answer a request that their handler cannot take with 500, or have no such method (501).
      if (status === 500 || status === 501) return 'legacy';
      return status >= 400 && status < 500 && ![401, 403, 407, 408, 429].includes(status) ? 'legacy' : 'unknown';
    }
    default:
      return 'unknown';
  }
}

/**
 * True when the exit cannot be an answer to the probe. Only the shell's own codes for "not found" and "cannot be run" say
 * so: servers that end on an unknown first request, which they may, do it with an error code and a message too, and no
 * system tells whether they had read the request. When in doubt they are started once more.
 */
function isStartFailure({ data }: HostErrorWith<'exited'>): boolean {
  return data.code === 126 || data.code === 127;
}

/**
 * True when a failed `initialize` over Streamable HTTP means: try HTTP+SSE of 2024-11-05 (400, 404 or 405 and no
 * modern error).
 */
export function isOlderTransport(error: unknown): boolean {
  if (!(error instanceof HostError) || error.code !== 'http-status') return false;
  return [400, 404, 405].includes(error.data.status);
}

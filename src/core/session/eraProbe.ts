/**
 * Detects the era of a server (specification 2026-07-28, basic/versioning, "Backward compatibility"; and the pages of
 * the transports). The decision is a pure function of the responses. The caller opens the transports and sends the
 * requests.
 */
import type { HostErrorWith } from '../base/hostError.js';
import { HostError } from '../base/hostError.js';
import { ErrorCode, ProtocolError } from '../protocol/jsonRpc.js';

export type ProbeVerdict =
  /**
   * Legacy era: the server rejected the unknown method correctly, and nothing indicates that the probe changed the
   * state of the server.
   */
  | 'legacy'
  /**
   * Legacy era: the server exited or failed because of the unknown first request, so it needs a connection without a
   * probe.
   */
  | 'legacy-reconnect'
  /** Modern era: the server refused the request, and its error is reported. */
  | 'modern-error'
  /** The era is unknown (sign-in needed, not reachable, canceled): the error is reported. */
  | 'unknown';

/** Error codes that only servers of the modern era use. */
const modernCodes: ReadonlySet<number> = new Set([
  ErrorCode.headerMismatch,
  ErrorCode.missingClientCapability,
  ErrorCode.unsupportedProtocolVersion,
]);

/**
 * Classifies the failure of `server/discover`. It is also used for a failure of `initialize`; then `unknown` means that
 * the server may still be of the assumed era.
 * @param isHttp over HTTP each request is independent, and a missing answer proves nothing. On pipes and sockets a
 * legacy server may never answer an unknown method, and a probe may have changed its state.
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
      // 401, 403 and errors of gateways (502 to 504) do not depend on the era; 429 means to retry later. Frameworks of
      // legacy servers return 500 for a request that their handler cannot process, or 501 for an unknown method.
      if (status === 500 || status === 501) return 'legacy';
      return status >= 400 && status < 500 && ![401, 403, 407, 408, 429].includes(status) ? 'legacy' : 'unknown';
    }
    default:
      return 'unknown';
  }
}

/**
 * True if the process cannot have exited because of the probe. That is certain only for the shell's exit codes for "not
 * found" and "cannot be run". Any other exit, even one with an error code and a message, may be the reaction to an
 * unknown first request, which a server is allowed to refuse by exiting. No system reports whether the server had read
 * the request. So in all other cases, the server is started once more.
 */
function isStartFailure({ data }: HostErrorWith<'exited'>): boolean {
  return data.code === 126 || data.code === 127;
}

/**
 * Whether a failed `initialize` over Streamable HTTP means that HTTP+SSE of 2024-11-05 should be tried: the status is
 * 400, 404 or 405, and the server did not answer with a JSON-RPC error (which would be a ProtocolError).
 */
export function isOlderTransport(error: unknown): boolean {
  if (!(error instanceof HostError) || error.code !== 'http-status') return false;
  return [400, 404, 405].includes(error.data.status);
}

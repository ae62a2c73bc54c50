import type { RefusalDetails } from './refusalDetails.js';
import { withSentKey } from './refusalDetails.js';
import type { AuthProblem } from '../base/hostErrorData.js';
import { authError } from './authProblem.js';

/**
 * Authorization for the network transports. A transport calls `headers()` before each request and reports each refusal.
 * It does not need to know about discovery, sign-in and refresh.
 */
export interface Authorizer {
  /** Headers for a request. Synchronous if nothing has to be fetched, because every request waits for them. */
  headers(request: { method: string; url: string }): Record<string, string> | Promise<Record<string, string>>;
  /**
   * Handles a 401 or 403. One request may be refused several times (sign-in, then a DPoP nonce, then more scopes); the
   * limits are enforced here, so a transport repeats the request each time it gets true.
   * @returns true when the request should be sent again with new `headers()`; false to fail it. Rejects with HostError
   * `auth-required` if the user has to sign in, and `auth-failed` if the sign-in did not help.
   */
  handleChallenge(challenge: AuthChallenge): Promise<boolean>;
}

/** A refusal of a request by the server, as received. */
export interface AuthChallenge {
  status: 401 | 403;
  url: string;
  method: string;
  /** All values of `WWW-Authenticate`, unparsed and untrusted. */
  wwwAuthenticate: string[];
  /** Value of `DPoP-Nonce`, if sent. */
  dpopNonce?: string;
  /** The server's own message about the refusal, and the header for an API key that the response names. */
  details?: RefusalDetails;
  /** The headers of the refused request, as `headers()` returned them. */
  sentHeaders: Record<string, string>;
}

/**
 * The authorizer for servers without a sign-in. Such a server has a configured `Authorization` header, is reached
 * through a Unix socket (which has no metadata), or has sign-in disabled in its configuration. A response with status
 * 401 is reported as `problem`.
 * @param server the name of the server in MCP Deck.
 * @param sent the names of the configured headers.
 */
export function configuredCredentials(server: string, problem: AuthProblem, sent: readonly string[] = []): Authorizer {
  return {
    headers: () => ({}),
    handleChallenge: ({ status, details = {} }) =>
      status === 401
        ? Promise.reject(authError(problem, { server, ...withSentKey(details, sent) }))
        : Promise.resolve(false),
  };
}

import type { AuthProblem } from '../base/hostErrorData.js';
import { authError } from './authProblem.js';
import type { Authorizer } from './authorizer.js';

/**
 * The authorizer for servers without a sign-in. Such a server has a configured `Authorization` header, is reached
 * through a Unix socket (which has no metadata), or has sign-in disabled in its configuration. A refusal is reported as
 * `problem`.
 * @param server the name of the server in MCP Deck.
 */
export function configuredCredentials(server: string, problem: AuthProblem): Authorizer {
  return {
    headers: () => ({}),
    handleChallenge: ({ status, words }) =>
      status === 401 ? Promise.reject(authError(problem, { server, ...words })) : Promise.resolve(false),
  };
}

import type { AuthProblem } from '../base/hostErrorData.js';
import { authError } from './authProblem.js';
import type { Authorizer } from './authorizer.js';

/**
 * The authorizer of servers without sign-in: a configured `Authorization` header takes precedence, a Unix socket has no
 * metadata, or the configuration disables sign-in. A refusal reports that problem.
 * @param server the name of the server in MCP Deck.
 */
export function configuredCredentials(server: string, problem: AuthProblem): Authorizer {
  return {
    headers: () => ({}),
    handleChallenge: ({ status, words }) =>
      status === 401 ? Promise.reject(authError(problem, { server, ...words })) : Promise.resolve(false),
  };
}

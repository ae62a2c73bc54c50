import type { AuthProblem } from '../base/hostErrorData.js';
import { authError } from './authProblem.js';
import type { Authorizer } from './authorizer.js';

/**
 * The place of an authorizer where nobody can sign in: a configured `Authorization` header wins, a Unix socket has no
 * metadata, or the configuration says no. A refusal then says so.
 * @param server our name for it.
 */
export function configuredCredentials(server: string, problem: AuthProblem): Authorizer {
  return {
    headers: () => ({}),
    handleChallenge: ({ status }) =>
      status === 401 ? Promise.reject(authError(problem, { server })) : Promise.resolve(false),
  };
}

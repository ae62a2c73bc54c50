import { authError } from './authProblem.js';
import type { Authorizer } from './authorizer.js';

/**
 * The place of an authorizer where the configuration has an `Authorization` header: that one wins, nobody is asked to
 * sign in, and a refusal of it says so.
 * @param server our name for it.
 */
export function configuredCredentials(server: string): Authorizer {
  return {
    headers: () => ({}),
    handleChallenge: ({ status }) => (status === 401 ? Promise.reject(authError('header-refused', { server })) : Promise.resolve(false)),
  };
}

export type { AuthChallenge, Authorizer } from '../auth/authorizer.js';

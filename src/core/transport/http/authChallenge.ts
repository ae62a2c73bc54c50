/** Converts a 401 or 403 response to the data that the authorizer and the error message need. */
import type { IncomingMessage } from 'node:http';
import { HostError } from '../../base/hostError.js';
import { refusalDetails } from '../../auth/refusalDetails.js';
import type { AuthChallenge } from '../../auth/authorizer.js';
import type { HeaderMap } from './remoteHeaders.js';
import { redactedHeaders } from './remoteHeaders.js';

/**
 * Maximum number of refusals of one request that are passed to the authorizer. The authorizer has its own, lower limits
 * (one token refresh, one DPoP nonce, and two step-ups for a grant without a user). This limit protects against an
 * endless loop.
 */
export const maxChallenges = 5;

/** Reads the authorization challenge of a 401 or 403 response. */
export function readChallenge(
  status: 401 | 403,
  response: IncomingMessage,
  method: string,
  url: string,
  sentHeaders: HeaderMap,
  body: string,
): AuthChallenge {
  const challenge: AuthChallenge = {
    status,
    url,
    method,
    wwwAuthenticate: valuesOf(response.rawHeaders, 'www-authenticate'),
    sentHeaders,
  };
  challenge.details = refusalDetails(challenge.wwwAuthenticate, body);
  const nonce = response.headers['dpop-nonce'];
  if (typeof nonce === 'string') challenge.dpopNonce = nonce;
  return challenge;
}

/** Creates the HostError `auth-required`. It omits the sent headers, because the error may be logged. */
export function authRequired(label: string, challenge: AuthChallenge): HostError {
  return new HostError('auth-required', `${label} requires a sign-in.`, {
    data: {
      challenge: { ...challenge, sentHeaders: redactedHeaders(challenge.sentHeaders) },
      status: challenge.status,
      place: label,
      ...challenge.details,
    },
    hint: 'Sign in to this server, or configure its credentials.',
  });
}

/** All values of a header that may be repeated. */
function valuesOf(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.toLowerCase() === name) values.push(rawHeaders[i + 1] ?? '');
  }
  return values;
}

/**
 * The failures of a sign-in, with their English messages for logs. The texts for users are in
 * `core/present/failure/signInTexts.ts`. Values from servers are shortened and made safe to show (security requirement
 * A14).
 */
import { HostError } from '../base/hostError.js';
import type { HostErrorWith } from '../base/hostError.js';
import type { AuthProblem } from '../base/hostErrorData.js';
import type { RefusalDetails } from './refusalDetails.js';
import { visibleLine } from '../base/hostileText.js';

/** Values to insert into the messages. All of them may be untrusted. */
export interface ProblemFacts {
  /** The name of the server in MCP Deck. */
  server: string;
  issuer?: string;
  url?: string;
  /** A precise description of the failure, worded as the end of the message. */
  detail?: string;
  /** The OAuth error code of a refusal, for example `invalid_grant`. */
  error?: string;
  scopes?: readonly string[];
  /** The server's own message when it refused the request (`refusalDetails.ts`). */
  said?: string | undefined;
  keyHeader?: string | undefined;
  /** The configured header with the refused API key. */
  sentHeader?: string | undefined;
}

type Sentence = (facts: Record<'server' | 'issuer' | 'url' | 'detail', string>) => string;

const setClientId =
  'Get a client ID from the operator of the server, and enter it with "MCP Deck: Set OAuth Client ID…".';
const seeTrace = 'The sign-in trace shows each step. The operator of the server can correct the problem.';
const signInAgain = 'Sign in again.';

const problems = {
  'sign-in-needed': [
    ({ server, issuer }) => `${server} requires you to sign in${issuer && ` with ${issuer}`}.`,
    'Select "Sign In…" for the server.',
  ],
  'more-scopes-needed': [
    ({ server, detail }) => `${server} requires additional permissions for this request: ${detail}.`,
    'To grant the permissions, select "Sign In…" for the server.',
  ],
  'header-refused': [
    ({ server }) => `${server} refused the configured Authorization header (401).`,
    'Correct the header in the configuration, or remove it to sign in instead.',
  ],
  'no-sign-in': [
    ({ server }) => `${server} requires a sign-in, which its configuration or its transport does not allow.`,
    'Configure an Authorization header for the server, or remove "oauth": false from its configuration.',
  ],
  'no-metadata': [
    ({ server, detail }) => `${server} refused the request (401) and does not publish where to sign in: ${detail}.`,
    'If you have a token for the server, configure it as an Authorization header.',
  ],
  'bad-metadata': [
    ({ server, url, detail }) => `The sign-in information of ${server} at ${url} cannot be used: ${detail}.`,
    seeTrace,
  ],
  'resource-mismatch': [
    ({ server, detail }) => `${server} requires tokens for another resource, ${detail}. MCP Deck requested no token.`,
    seeTrace,
  ],
  'issuer-mismatch': [
    ({ url, issuer, detail }) =>
      `The document at ${url} describes the issuer ${detail} instead of ${issuer}, so it was not used.`,
    seeTrace,
  ],
  'no-pkce': [
    ({ issuer }) =>
      `${issuer} does not offer PKCE with S256, so MCP Deck did not start a sign-in that could be intercepted.`,
    seeTrace,
  ],
  'unsafe-url': [
    ({ server, url, detail }) => `The sign-in of ${server} leads to ${url}, which was refused: ${detail}.`,
    'If the URL is in your own network, add its host to "oauth.trustedHosts" in the configuration of the server. Otherwise, ask the operator of the server about the URL.',
  ],
  unreachable: [
    ({ url, detail }) => `There is no usable response from ${url}: ${detail}.`,
    'Check the network and the proxy, and then try again.',
  ],
  'registration-refused': [
    ({ issuer, detail }) => `${issuer} did not register MCP Deck as a client: ${detail}.`,
    setClientId,
  ],
  'client-id-needed': [
    ({ server, issuer }) =>
      `${issuer}, the authorization server of ${server}, requires a client ID and does not issue one automatically.`,
    setClientId,
  ],
  'client-moved': [
    ({ server, issuer, detail }) =>
      `${server} now uses the authorization server ${issuer}, but the client ID belongs to ${detail}. Nothing was sent.`,
    'Ask the operator of the server about the change, and then set a client ID for the new issuer.',
  ],
  'answer-refused': [
    ({ issuer, detail }) => `The response to the sign-in with ${issuer} was rejected: ${detail}.`,
    signInAgain,
  ],
  'sign-in-refused': [({ issuer, detail }) => `${issuer} refused the sign-in: ${detail}.`, signInAgain],
  'no-answer': [
    ({ issuer, detail }) => `The sign-in with ${issuer} was not finished in the browser within ${detail}.`,
    signInAgain,
  ],
  'no-receiver': [({ detail }) => `MCP Deck cannot receive the response of the browser: ${detail}.`, signInAgain],
  'unusable-redirect': [
    ({ server, detail }) => `MCP Deck cannot receive the sign-in response for ${server}: ${detail}.`,
    'Change "oauth.redirectUri" of the server to a URI that is registered for the client and that MCP Deck can receive, or use another client.',
  ],
  'token-refused': [
    ({ issuer, detail }) => `${issuer} issued no token: ${detail}.`,
    'Sign in again, or check the configured credentials. The sign-in trace shows the response.',
  ],
  'token-not-accepted': [({ server, issuer }) => `${server} refuses the token that ${issuer} just issued.`, seeTrace],
  'scope-not-granted': [
    ({ server, detail }) => `${server} still requires additional permissions after you granted them: ${detail}.`,
    seeTrace,
  ],
  'bad-key': [
    ({ detail }) => `The private key of the client cannot be used: ${detail}.`,
    'Configure a PEM key for ES256 or RS256.',
  ],
} satisfies Record<AuthProblem, readonly [Sentence, string]>;

/** The names of all problems. */
export const authProblems = Object.keys(problems) as readonly AuthProblem[];

/** The HostError for `problem`: `auth-required` if a sign-in would solve it, otherwise `auth-failed`. */
export function authError(problem: AuthProblem, facts: ProblemFacts, cause?: unknown): HostError {
  const [sentence, hint]: readonly [Sentence, string] = problems[problem];
  const { server, issuer, url, detail, error, scopes, said, keyHeader, sentHeader } = facts;
  const shown = {
    server: visibleLine(server, 100),
    issuer: visibleLine(issuer ?? ''),
    url: visibleLine(url ?? ''),
    detail: visibleLine(detail ?? '', 300),
  };
  return new HostError(
    problem === 'sign-in-needed' || problem === 'more-scopes-needed' ? 'auth-required' : 'auth-failed',
    sentence(shown),
    {
      data: {
        problem,
        server: shown.server,
        issuer,
        error,
        scopes,
        url,
        detail,
        ...details({ said, keyHeader, sentHeader }),
      },
      hint,
      cause,
    },
  );
}

function details({ said, keyHeader, sentHeader }: Pick<ProblemFacts, keyof RefusalDetails>): RefusalDetails {
  return {
    ...(said === undefined ? {} : { said }),
    ...(keyHeader === undefined ? {} : { keyHeader }),
    ...(sentHeader === undefined ? {} : { sentHeader }),
  };
}

/** Whether the error is a missing or failed sign-in, or a failed token request. */
export function isAuthError(error: unknown): error is HostErrorWith<'auth-required' | 'auth-failed'> {
  return error instanceof HostError && (error.code === 'auth-required' || error.code === 'auth-failed');
}

/** The problem of a failed sign-in; undefined for other errors. */
export function problemOf(error: unknown): AuthProblem | undefined {
  return isAuthError(error) ? error.data.problem : undefined;
}

/** The sentences for sign-ins that fail or are needed. */
import { t } from '@vscode/l10n';
import { isAuthError } from '../../auth/authProblem.js';
import type { AuthProblem } from '../../base/hostErrorData.js';
import type { FailureFacts } from './failureFacts.js';
import type { FailureAction } from './failureShape.js';
import type { KindTexts } from './kindText.js';
import { quoted } from './kindText.js';

type SignIn = 'auth-required' | 'auth-failed';
type Facts = FailureFacts<SignIn>;

export const signInKinds: KindTexts<SignIn, AuthProblem> = {
  'sign-in-needed': {
    what: (f) => {
      const issuer = f.text('issuer');
      if (refusedHeader(f) !== undefined) return keyRefused(f);
      if (offersKey(f)) return t('{0} requires credentials.{1}', f.subject, saidBy(f));
      return issuer === undefined
        ? t('{0} requires you to sign in.', f.subject)
        : t('{0} requires you to sign in with {1}.', f.subject, issuer);
    },
    short: (f) => (asksForKey(f.error) ? f.text('said', 120) : undefined) ?? needsSignIn(),
    next: (f) => {
      if (!offersKey(f)) return t('Select "Sign In…" for the server.');
      return asksForKey(f.error) ? addKey(f) : t('Sign in, or set an API key.');
    },
  },
  'more-scopes-needed': {
    what: (f) => t('{0} requires additional permissions for this request: {1}.', f.subject, detail(f)),
    short: needsSignIn,
    next: () => t('To grant the permissions, select "Sign In…" for the server.'),
  },
  'header-refused': {
    what: (f) =>
      isAuthorization(refusedHeader(f))
        ? t('{0} refused the configured Authorization header (401).{1}', f.subject, saidBy(f))
        : keyRefused(f),
    short: (f) =>
      f.text('said', 120) ??
      (isAuthorization(refusedHeader(f)) ? t('refused the configured Authorization header (401)') : keyRefusedShort()),
    next: (f) =>
      isAuthorization(refusedHeader(f))
        ? t('Enter another key, or remove the header from the configuration to sign in instead.')
        : addKey(f),
  },
  'no-sign-in': {
    what: (f) =>
      refusedHeader(f) === undefined
        ? t('{0} requires a sign-in, which its configuration or its transport does not allow.{1}', f.subject, saidBy(f))
        : keyRefused(f),
    short: (f) =>
      f.text('said', 120) ??
      (refusedHeader(f) === undefined
        ? t('requires a sign-in, which its configuration or its transport does not allow')
        : keyRefusedShort()),
    next: (f) =>
      refusedHeader(f) === undefined
        ? t(
            'Configure an Authorization header for the server. If its configuration has "oauth": false, you can remove this field instead.',
          )
        : addKey(f),
  },
  'no-metadata': {
    what: (f) =>
      refusedHeader(f) === undefined
        ? t('{0} refused the request (401) and does not publish where to sign in.{1}', f.subject, saidBy(f))
        : keyRefused(f),
    short: (f) =>
      f.text('said', 120) ??
      (refusedHeader(f) === undefined ? t('needs an API key or a sign-in (401)') : keyRefusedShort()),
    next: addKey,
  },
  'bad-metadata': {
    what: (f) => t('The sign-in information of {0} at {1} cannot be used: {2}.', nameOf(f), f.shown('url'), detail(f)),
    short: () => t('its sign-in information cannot be used'),
    next: seeTrace,
  },
  'resource-mismatch': {
    what: (f) => t('{0} asks for tokens for another resource, {1}. MCP Deck requested no token.', f.subject, detail(f)),
    short: (f) => t('asks for tokens for another resource, {0}', detail(f)),
    next: seeTrace,
  },
  'issuer-mismatch': {
    said: (f) =>
      t(
        'The document at {0} describes the issuer {1} instead of {2}, so it was not used.',
        f.shown('url'),
        detail(f),
        f.shown('issuer'),
      ),
    next: seeTrace,
  },
  'no-pkce': {
    said: (f) =>
      t(
        '{0} does not offer PKCE with S256, so MCP Deck did not start a sign-in that could be intercepted.',
        f.shown('issuer'),
      ),
    next: seeTrace,
  },
  'unsafe-url': {
    what: (f) =>
      t('The sign-in for {0} leads to {1}, which MCP Deck refused: {2}.', nameOf(f), f.shown('url'), detail(f)),
    short: (f) => t('its sign-in leads to {0}, which was refused', f.shown('url')),
    next: () =>
      t(
        'If the address is in your own network, add its host to \"oauth.trustedHosts\" in the configuration of the server. Otherwise, ask the operator of the server about the address.',
      ),
  },
  unreachable: {
    said: (f) => t('There is no usable response from {0}: {1}.', f.shown('url'), detail(f)),
    next: () => t('Check the network and the proxy, and then try again.'),
  },
  'registration-refused': {
    said: (f) => t('{0} did not register MCP Deck as a client: {1}.', f.shown('issuer'), detail(f)),
    next: setClientId,
  },
  'client-id-needed': {
    what: (f) =>
      t(
        '{0}, the authorization server of {1}, requires a client ID and does not issue one automatically.',
        f.shown('issuer'),
        nameOf(f),
      ),
    short: () => t('needs a client ID to sign in'),
    next: setClientId,
  },
  'client-moved': {
    what: (f) =>
      t(
        '{0} now uses the authorization server {1}, but the client ID belongs to {2}. Nothing was sent.',
        f.subject,
        f.shown('issuer'),
        detail(f),
      ),
    short: (f) =>
      t('now uses the authorization server {0}, but the client ID belongs to {1}', f.shown('issuer'), detail(f)),
    next: () => t('Ask the operator of the server about the change, and then set a client ID for the new issuer.'),
  },
  'answer-refused': {
    said: (f) => t('The response to the sign-in with {0} was rejected: {1}.', f.shown('issuer'), detail(f)),
    next: signInAgain,
  },
  'sign-in-refused': {
    said: (f) => t('{0} refused the sign-in: {1}.', f.shown('issuer'), detail(f)),
    next: signInAgain,
  },
  'no-answer': {
    said: (f) => t('The sign-in with {0} was not finished in the browser within {1}.', f.shown('issuer'), detail(f)),
    next: signInAgain,
  },
  'no-receiver': {
    said: (f) => t('The authorization response cannot be received: {0}.', detail(f)),
    next: signInAgain,
  },
  'unusable-redirect': {
    what: (f) => t('MCP Deck cannot receive the sign-in response for {0}: {1}.', nameOf(f), detail(f)),
    short: (f) => t('the response to its sign-in cannot be received: {0}', detail(f)),
    next: () =>
      t(
        'Change "oauth.redirectUri" of the server to a URI that is registered for the client and that MCP Deck can receive, or use another client.',
      ),
  },
  'token-refused': {
    said: (f) => t('{0} issued no token: {1}.', f.shown('issuer'), detail(f)),
    next: () => t('Sign in again, or check the configured credentials. The sign-in trace shows the whole response.'),
  },
  'token-not-accepted': {
    what: (f) => t('{0} refuses the token that {1} just issued.', f.subject, f.shown('issuer')),
    short: (f) => t('refuses the token that {0} just issued', f.shown('issuer')),
    next: seeTrace,
  },
  'scope-not-granted': {
    what: (f) => t('{0} still requires additional permissions after you granted them: {1}.', f.subject, detail(f)),
    short: () => t('still requires additional permissions after you granted them'),
    next: seeTrace,
  },
  'bad-key': {
    said: (f) => t('The private key of the client cannot be used: {0}.', detail(f)),
    next: () => t('Configure a PEM key for ES256 or RS256.'),
  },
};

/** The text for a server that requires a sign-in, before a sign-in was attempted. */
export function signInWhat(f: FailureFacts<'auth-required'>): string | undefined {
  const place = f.text('place');
  return place === undefined ? undefined : f.about(t('{0} requires a sign-in.', place));
}

/** The configured name of the server, for use within a sentence. */
function nameOf({ server }: Facts): string {
  return server ?? t('the server');
}

/** The server's own message as the next sentence; empty without one. */
function saidBy(f: Facts): string {
  const said = f.text('said', 300);
  return said === undefined ? '' : ` ${t('The response says: {0}', quoted(said))}`;
}

/**
 * Whether the server may require an API key: it names no issuer, but explains its refusal or names a header for the
 * key.
 */
function offersKey(f: Facts): boolean {
  return f.text('issuer') === undefined && (f.data.said !== undefined || f.data.keyHeader !== undefined);
}

/** The configured header with an API key that the server refused; undefined if the server wants a sign-in instead. */
function refusedHeader(f: Facts): string | undefined {
  return f.text('issuer') === undefined ? f.text('sentHeader', 80) : undefined;
}

function isAuthorization(header = 'Authorization'): boolean {
  return /^authorization$/i.test(header);
}

function keyRefused(f: Facts): string {
  return t('{0} refused the API key in the header "{1}" (401).{2}', f.subject, refusedHeader(f) ?? '', saidBy(f));
}

function keyRefusedShort(): string {
  return t('refused the API key (401)');
}

function addKey(f: Facts): string {
  if (refusedHeader(f) !== undefined) return t('Enter another key.');
  const header = f.text('keyHeader', 80);
  return header === undefined
    ? t('The server probably needs an API key. Set the API key.')
    : t('Set the API key. MCP Deck sends it in the header "{0}".', header);
}

/**
 * Whether a server that refuses a request without credentials asks for an API key: its message mentions one, or it
 * names a header other than `Authorization`, which can also mean a sign-in.
 */
export function asksForKey(error: unknown): boolean {
  if (!isAuthError(error) || error.data.issuer !== undefined) return false;
  const { said = '', keyHeader } = error.data;
  return !isAuthorization(keyHeader) || /\bapi[ _-]?keys?\b/i.test(said);
}

/** The buttons for a server that refuses a request without credentials. */
export function signInButtons(f: Facts): readonly FailureAction[] | undefined {
  if (refusedHeader(f) !== undefined) return ['replaceSecret', 'editServer', 'diagnoseServer'];
  switch (f.data.problem) {
    case 'no-metadata':
      return ['setSecret', 'signIn', 'diagnoseServer'];
    case 'header-refused':
      return ['replaceSecret', 'editServer', 'openConfiguration'];
    case 'no-sign-in':
      return ['setSecret', 'editServer', 'openConfiguration'];
    case 'sign-in-needed':
      if (!offersKey(f)) return undefined;
      return asksForKey(f.error)
        ? ['setSecret', 'signIn', 'diagnoseServer']
        : ['signIn', 'setSecret', 'diagnoseServer'];
    default:
      return undefined;
  }
}

function detail(f: Facts): string {
  return f.text('detail', 300) ?? t('no reason was given');
}

function needsSignIn(): string {
  return t('needs a sign-in');
}

function seeTrace(): string {
  return t('The sign-in trace shows each step. The operator of the server can correct the problem.');
}

function signInAgain(): string {
  return t('Sign in again.');
}

function setClientId(): string {
  return t('Get a client ID from the operator of the server, and enter it with "MCP Deck: Set OAuth Client ID…".');
}

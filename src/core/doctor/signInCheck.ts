/**
 * Reports which account is signed in to a remote server and, if the server refuses the account, what is missing. The
 * results contain no token.
 */
import { t } from '@vscode/l10n';
import type { AccountInfo } from '../auth/serverRecord.js';
import { defaultAccount } from '../auth/serverRecord.js';
import { readHints } from '../auth/wwwAuthenticate.js';
import { HostError } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import { failureText } from '../present/failure/failureText.js';
import type { Check } from './check.js';
import { failed, ok } from './check.js';
import type { RemoteResponse, RemoteServer, RequestTarget } from './remoteRequest.js';

export interface SignInFacts {
  /** The configured name of the server. */
  name: string;
  target: RequestTarget;
  answer: RemoteResponse;
  /**
   * The account before the request and after it. They can differ, because the request may have renewed or ended the
   * sign-in.
   */
  before: AccountInfo | undefined;
  after: AccountInfo | undefined;
  signal: AbortSignal;
}

const headerExample = '"Authorization": "Bearer ${input:token}"';

function signIn(): string {
  return t('Run "MCP Deck: Sign In…" for the server.');
}

function tokenInHeaders(): string {
  return t('Add a token to "headers", for example {0}.', headerExample);
}

/** Checks the sign-in. Undefined if the server requires no sign-in, or if its response is inconclusive. */
export async function checkSignIn(facts: SignInFacts): Promise<Check | undefined> {
  const { answer, name, target, before } = facts;
  const { server } = target;
  if ('problem' in answer) return answer.error && notRenewed(answer.error, facts);
  if ('redirect' in answer) return undefined;
  const { status, refusal } = answer;
  if (status !== 401 && !refusal?.error) return answer.isSignedIn ? accepted(facts) : undefined;
  if (hasHeader(server))
    return failed(
      'sign-in',
      t('The server refuses the "Authorization" header of the configuration (status {0}).', status),
      t('Renew the token in "headers", or remove the header to sign in instead.'),
    );
  if (status === 403 && refusal?.error) {
    const { what, next } = failureText(refusal.error, name);
    return failed('sign-in', what, next);
  }
  if (before)
    return failed(
      'sign-in',
      t('{0} The server does not accept the sign-in (status {1}).', ended(before), status),
      signIn(),
    );
  if (server.oauth !== false && server.oauth?.grant !== undefined && refusal?.error) {
    const { what, next } = failureText(refusal.error, name);
    return failed(
      'sign-in',
      t(
        'The server needs a token that is requested without a user ("{0}"). The request failed. {1}',
        server.oauth.grant,
        what,
      ),
      next,
    );
  }
  return notSignedIn(facts, refusal?.wwwAuthenticate ?? []);
}

function hasHeader({ headers }: RemoteServer): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
}

function accepted({ target: { server }, before, after }: SignInFacts): Check {
  if (!after)
    return ok(
      'sign-in',
      server.oauth === false || server.oauth?.grant === undefined
        ? t('The server accepts the token that was requested without a user.')
        : t('The server accepts the token that was requested without a user ("{0}").', server.oauth.grant),
    );
  const isRenewed =
    before?.expiresAt !== undefined && before.expiresAt <= Date.now() && after.expiresAt !== before.expiresAt;
  return ok(
    'sign-in',
    t(
      'You are signed in {0}, {1}.{2}',
      who(after),
      until(after),
      isRenewed ? t(' The sign-in had expired and was just renewed.') : '',
    ),
  );
}

function notRenewed(error: HostError, { before, name }: SignInFacts): Check {
  const { what, next } = failureText(error, name);
  return failed('sign-in', before ? t('{0} The sign-in could not be renewed: {1}', ended(before), what) : what, next);
}

/**
 * The account as text, for example `as "ada" at https://login.example`. If the account has no name, the name is left
 * out.
 */
function who({ account, label, issuer }: AccountInfo): string {
  const name = label ?? (account === defaultAccount ? undefined : account);
  return name === undefined
    ? t('at {0}', visibleLine(issuer, 200))
    : t('as "{0}" at {1}', visibleLine(name, 100), visibleLine(issuer, 200));
}

function until({ expiresAt, canRefresh }: AccountInfo): string {
  const end = expiresAt === undefined ? t('for an unknown time') : t('until {0}', utcText(expiresAt));
  return canRefresh ? t('{0}, renewed automatically', end) : end;
}

function ended(account: AccountInfo): string {
  const { expiresAt, canRefresh } = account;
  const isOver = expiresAt !== undefined && expiresAt <= Date.now();
  if (isOver)
    return canRefresh
      ? t('Your sign-in {0} expired at {1}.', who(account), utcText(expiresAt))
      : t('Your sign-in {0} expired at {1} and cannot be renewed.', who(account), utcText(expiresAt));
  return t('You are signed in {0}, {1}.', who(account), until(account));
}

function utcText(ms: number): string {
  return t('{0} UTC', new Date(ms).toISOString().slice(0, 16).replace('T', ' '));
}

/**
 * The check of a server to which the user is not signed in. It states where a sign-in would take place, determined in
 * the same way as by the sign-in itself.
 */
async function notSignedIn({ name, target, signal }: SignInFacts, wwwAuthenticate: readonly string[]): Promise<Check> {
  const { address, server, stepMs } = target;
  const isPossible = server.oauth !== false && address.socketPath === undefined;
  const advice = isPossible
    ? t('Add a token to "headers", for example {0}, or run "MCP Deck: Sign In…" for the server.', headerExample)
    : server.oauth === false
      ? t('Add a token to "headers", for example {0}, or remove "oauth": false to sign in.', headerExample)
      : tokenInHeaders();
  if (address.socketPath !== undefined)
    return failed(
      'sign-in',
      t('The server requires a sign-in, which is not possible over a local socket.'),
      tokenInHeaders(),
    );
  const [{ AuthHttp }, { discover }, { SignInTrace }] = await Promise.all([
    import('../auth/authHttp.js'),
    import('../auth/discovery.js'),
    import('../auth/signInTrace.js'),
  ]);
  const trustedHosts = server.oauth === false ? [] : (server.oauth?.trustedHosts ?? []);
  const http = new AuthHttp(new URL(server.url.replace(/^ws/, 'http')), { timeoutMs: stepMs, trustedHosts });
  try {
    const { issuer, isFallback } = await discover(
      { server: name, http, trace: new SignInTrace(name, Date.now), now: Date.now, signal },
      readHints(wwwAuthenticate),
    );
    // The server publishes no metadata. It may be an older server with its own sign-in, but more often it requires a
    // token.
    if (isFallback)
      return failed(
        'sign-in',
        t('The server responds with status 401 and publishes no OAuth metadata. It probably needs an API key.'),
        advice,
      );
    const where = t('The server requires a sign-in at {0}', visibleLine(issuer.issuer, 200));
    return isPossible
      ? failed('sign-in', t('{0}. You are not signed in.', where), signIn())
      : failed(
          'sign-in',
          t('{0}. The configuration has "oauth": false.', where),
          t('Remove "oauth": false and run "MCP Deck: Sign In…", or add a token to "headers".'),
        );
  } catch (error) {
    signal.throwIfAborted();
    const { what, next } = failureText(error, name);
    return failed(
      'sign-in',
      t('The server requires a sign-in. {0}', what),
      error instanceof HostError ? next : tokenInHeaders(),
    );
  }
}

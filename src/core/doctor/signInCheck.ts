/** Who is signed in to a remote server, and what is missing where it refuses. No token is in what is found. */
import type { AccountInfo } from '../auth/tokenStore.js';
import { defaultAccount } from '../auth/tokenStore.js';
import { readHints } from '../auth/wwwAuthenticate.js';
import { HostError, messageOf } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import { failureText } from '../present/failureText.js';
import type { Localize } from '../present/localize.js';
import type { Check } from './check.js';
import { failed, ok } from './check.js';
import type { Answer, RemoteServer, Target } from './remoteRequest.js';

export interface SignInFacts {
  /** Our name for the server. */
  name: string;
  target: Target;
  answer: Answer;
  /** The account in use, before the request and after it: the request may have renewed or ended it. */
  before: AccountInfo | undefined;
  after: AccountInfo | undefined;
  signal: AbortSignal;
  t: Localize;
}

const signIn = 'Run "MCP Deck: Sign In…" on the server.';
const tokenInHeaders = 'Put a token into "headers", for example "Authorization": "Bearer ${input:token}"';

/** Undefined where the server wants none, or gave no answer that tells. */
export async function checkSignIn(facts: SignInFacts): Promise<Check | undefined> {
  const { answer, name, target, before, t } = facts;
  const { server } = target;
  if ('problem' in answer) return answer.error && notRenewed(answer.error, facts);
  if ('redirect' in answer) return undefined;
  const { status, refusal } = answer;
  if (status !== 401 && !refusal?.error) return answer.isSignedIn ? accepted(facts) : undefined;
  if (hasHeader(server)) return failed('sign-in', `It refuses the "Authorization" header of the configuration (status ${status}).`, 'Renew the token in "headers", or remove the header to sign in instead.');
  if (status === 403 && refusal?.error) {
    const { what, next } = failureText(refusal.error, name, t);
    return failed('sign-in', what, next);
  }
  if (before) return failed('sign-in', `${ended(before)} The server does not take it (status ${status}).`, signIn);
  if (server.oauth !== false && server.oauth?.grant !== undefined && refusal?.error) {
    const { what, next } = failureText(refusal.error, name, t);
    return failed('sign-in', `It gets its token without a person ("${server.oauth.grant}"), and that did not work. ${what}`, next);
  }
  return notSignedIn(facts, refusal?.wwwAuthenticate ?? []);
}

function hasHeader({ headers }: RemoteServer): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
}

function accepted({ target: { server }, before, after }: SignInFacts): Check {
  if (!after) return ok('sign-in', `It takes the token that was got without a person${server.oauth === false || server.oauth?.grant === undefined ? '' : ` ("${server.oauth.grant}")`}.`);
  const isRenewed = before?.expiresAt !== undefined && before.expiresAt <= Date.now() && after.expiresAt !== before.expiresAt;
  return ok('sign-in', `You are signed in ${who(after)}, ${until(after)}.${isRenewed ? ' The sign-in had ended, and was renewed just now.' : ''}`);
}

function notRenewed(error: HostError, { before, name, t }: SignInFacts): Check {
  const { what, next } = failureText(error, name, t);
  return failed('sign-in', before ? `${ended(before)} It could not be renewed: ${what}` : what, next);
}

/** As `as "ada" at https://login.example`; the account that nobody named has no name to show. */
function who({ account, label, issuer }: AccountInfo): string {
  const name = label ?? (account === defaultAccount ? undefined : account);
  return `${name === undefined ? '' : `as "${visibleLine(name, 100)}" `}at ${visibleLine(issuer, 200)}`;
}

function until({ expiresAt, canRefresh }: AccountInfo): string {
  const end = expiresAt === undefined ? 'for an unknown time' : `until ${timeText(expiresAt)}`;
  return canRefresh ? `${end}, and it renews itself` : end;
}

function ended(account: AccountInfo): string {
  const { expiresAt, canRefresh } = account;
  const renewal = canRefresh ? '' : ' and cannot be renewed';
  return expiresAt !== undefined && expiresAt <= Date.now() ? `Your sign-in ${who(account)} ended ${timeText(expiresAt)}${renewal}.` : `You are signed in ${who(account)}, ${until(account)}.`;
}

function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Where the sign-in would lead: found as the sign-in itself finds it. */
async function notSignedIn({ name, target, signal }: SignInFacts, wwwAuthenticate: readonly string[]): Promise<Check> {
  const { address, server, stepMs } = target;
  const isPossible = server.oauth !== false && address.socketPath === undefined;
  const other = isPossible ? `, or run "MCP Deck: Sign In…" on the server` : server.oauth === false ? ', or remove "oauth": false to sign in' : '';
  if (address.socketPath !== undefined) return failed('sign-in', 'It wants a sign-in, and a socket of this machine has none.', `${tokenInHeaders}.`);
  const [{ AuthHttp }, { discover }, { SignInTrace }] = await Promise.all([import('../auth/authHttp.js'), import('../auth/discovery.js'), import('../auth/signInTrace.js')]);
  const trustedHosts = server.oauth === false ? [] : (server.oauth?.trustedHosts ?? []);
  const http = new AuthHttp(new URL(server.url.replace(/^ws/, 'http')), { timeoutMs: stepMs, trustedHosts });
  try {
    const { issuer, isFallback } = await discover({ server: name, http, trace: new SignInTrace(name, Date.now), now: Date.now, signal }, readHints(wwwAuthenticate));
    // Nothing was published: perhaps an older server with a sign-in of its own, more often one that wants a token.
    if (isFallback) return failed('sign-in', 'It wants a sign-in and does not say where: nothing is published about it.', `${tokenInHeaders}${other}.`);
    const where = `It wants a sign-in, at ${visibleLine(issuer.issuer, 200)}`;
    return isPossible ? failed('sign-in', `${where}; you are not signed in.`, signIn) : failed('sign-in', `${where}; the configuration says "oauth": false.`, `Remove "oauth": false and run "MCP Deck: Sign In…", or put a token into "headers".`);
  } catch (error) {
    signal.throwIfAborted();
    const hint = error instanceof HostError ? error.hint : undefined;
    return failed('sign-in', `It wants a sign-in. ${messageOf(error)}`, hint ?? `${tokenInHeaders}.`);
  }
}

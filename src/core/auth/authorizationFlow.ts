/**
 * The sign-in of a user: authorization code with PKCE in the browser. Specification 2026-07-28, basic/authorization:
 * "Scope Selection Strategy", "Authorization Response Validation" (RFC 9207), "Resource Parameter Implementation" (RFC
 * 8707), "Authorization Code Protection". The state is used once, and nothing is sent before the response is known to
 * come from the recorded issuer.
 */
import {
  AuthorizationResponseError,
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomState,
  validateAuthResponse,
} from 'oauth4webapi';
import { wordSet } from '../../shared/wordSet.js';
import type { Clock } from '../base/clock.js';
import { HostError, messageOf } from '../base/hostError.js';
import type { Flow } from './authHttp.js';
import { flowError } from './authHttp.js';
import type { Discovery, IssuerMetadata } from './discovery.js';
import type { DpopProver } from './jwtSigner.js';
import type { PendingRedirect, RedirectReceiver } from './redirectReceiver.js';
import { UnusableRedirect } from './redirectReceiver.js';
import type { ClientIdentity, DpopNonces, TokenAnswer } from './tokenRequest.js';
import { errorText, requestTokens } from './tokenRequest.js';

/** Shown to the user before the browser opens. All fields except `serverName` are untrusted; `host` is ASCII. */
export interface BrowserRequest {
  serverName: string;
  /** The host that the browser opens. */
  host: string;
  issuer: string;
  scopes: readonly string[];
  /** Whether the server asks for more scopes than before. */
  isStepUp: boolean;
}

/**
 * Shows the target of the sign-in, asks the user, and opens the browser without a shell. Resolves to false when the
 * user declines. The URL has already been checked: https, or http on this machine for a server on this machine.
 */
export type OpenBrowser = (url: string, request: BrowserRequest) => Promise<boolean>;

/** Dependencies of the sign-in of a user. */
export interface BrowserSignInPorts {
  openBrowser: OpenBrowser;
  receiver: RedirectReceiver;
  clock: Clock;
  /** Time limit for the browser, ms; default and maximum 300,000. */
  answerTimeoutMs?: number;
}

/** The scopes to choose from. */
export interface ScopeChoice {
  /** The scopes of the challenge, which take precedence. */
  challenged?: readonly string[] | undefined;
  /** The scopes of the configuration. */
  configured?: readonly string[] | undefined;
  /** `scopes_supported` of the server. */
  ofServer?: readonly string[] | undefined;
  /** `scopes_supported` of the issuer; only `offline_access` is used. */
  ofIssuer?: readonly string[] | undefined;
  /** The scopes that were requested before. They are kept, so that a step-up does not lose them. */
  before?: readonly string[] | undefined;
}

/**
 * Chooses the scopes: those of the challenge, otherwise those of the configuration, otherwise those of the server,
 * otherwise none. Adds the scopes that were requested before, and `offline_access` if the issuer supports it;
 * otherwise, `offline_access` is removed.
 */
export function chooseScopes({ challenged, configured, ofServer, ofIssuer, before = [] }: ScopeChoice): string[] {
  const wanted = challenged ?? configured ?? ofServer ?? [];
  const knowsOffline = ofIssuer?.includes('offline_access') === true;
  return [...new Set([...before, ...wanted, ...(knowsOffline ? ['offline_access'] : [])])].filter(
    (scope) => knowsOffline || scope !== 'offline_access',
  );
}

/**
 * Checks that the issuer supports PKCE: throws `no-pkce` unless it advertises S256. Default endpoints (2025-03-26)
 * advertise nothing, but PKCE is used with them anyway.
 */
export function requirePkce(flow: Flow, { issuer, isFallback }: Pick<Discovery, 'issuer' | 'isFallback'>): void {
  if (!isFallback && !issuer.code_challenge_methods_supported?.includes('S256'))
    throw flowError(flow, 'no-pkce', { issuer: issuer.issuer });
}

/**
 * Parameters of an authorization request that only MCP Deck may set (IANA registry "OAuth Parameters", OpenID Connect
 * Core 3.1.2.1). In the query of an endpoint, they could request scopes that the question to the user does not show.
 */
const requestParameters = wordSet(`
  acr_values authorization_details claims claims_locales client_assertion client_assertion_type client_id client_secret
  code_challenge code_challenge_method display dpop_jkt id_token_hint login_hint max_age nonce prompt redirect_uri
  registration request request_uri resource response_mode response_type scope state ui_locales
`);

/**
 * The URL for the browser. Other parameters in the query of the endpoint are kept, because some issuers need them, for
 * example to identify a tenant.
 */
export function authorizationUrl(endpoint: string, params: Record<string, string | undefined>): URL {
  const url = new URL(endpoint);
  for (const name of [...url.searchParams.keys()])
    if (requestParameters.has(name.toLowerCase())) url.searchParams.delete(name);
  for (const [name, value] of Object.entries(params)) if (value) url.searchParams.set(name, value);
  return url;
}

/**
 * Checks a response and returns its parameters, which contain the authorization code. Issuer and state are checked
 * first, so that an error text is used only if it comes from the right issuer. Throws `answer-refused` or
 * `sign-in-refused`.
 */
export function readAnswer(
  flow: Flow,
  issuer: IssuerMetadata,
  clientId: string,
  answer: URLSearchParams,
  state: string,
): URLSearchParams {
  try {
    const checked = validateAuthResponse(issuer, { client_id: clientId }, answer, state);
    flow.trace.add('answer', { received: Object.fromEntries(checked) });
    if (!checked.get('code'))
      throw flowError(flow, 'answer-refused', { issuer: issuer.issuer, detail: 'it contains no code' });
    return checked;
  } catch (error) {
    if (error instanceof HostError) throw error;
    if (error instanceof AuthorizationResponseError) {
      flow.trace.add('answer', { received: Object.fromEntries(answer) });
      throw flowError(
        flow,
        'sign-in-refused',
        { issuer: issuer.issuer, detail: errorText(error.error, error.error_description), error: error.error },
        error,
      );
    }
    // Only the names of the parameters are recorded, because their values come from an unverified sender and must not
    // be shown.
    flow.trace.add('answer', { received: [...answer.keys()], note: messageOf(error) });
    throw flowError(flow, 'answer-refused', { issuer: issuer.issuer, detail: messageOf(error) });
  }
}

/** One flow through the browser. The client is chosen once the redirect URI is known. */
export interface CodeFlow {
  discovery: Discovery;
  scopes: readonly string[];
  isStepUp: boolean;
  /** Whether the issuer should let the user choose an account, because another account is being added. */
  choosesAccount: boolean;
  /** The redirect URI of an existing client. */
  redirectUri: string | undefined;
  /** Whether the client was registered by hand. If so, the issuer would refuse another redirect URI. */
  isRedirectFixed: boolean;
  chooseClient(redirectUri: string): Promise<ClientIdentity>;
  dpop: DpopProver | undefined;
  nonces: DpopNonces;
}

/**
 * Runs the flow until it has tokens. Throws HostError `cancelled` if the user cancels, and `auth-failed` if anything
 * else fails.
 */
export async function signInWithBrowser(
  flow: Flow,
  ports: BrowserSignInPorts,
  run: CodeFlow,
): Promise<{ client: ClientIdentity; answer: TokenAnswer }> {
  const { issuer, resource } = run.discovery;
  requirePkce(flow, run.discovery);
  const endpoint = await flow.http.checked(flow, issuer.authorization_endpoint ?? '');
  // Checked first, so that the user does not complete a sign-in whose token request would be refused.
  await flow.http.checked(flow, issuer.token_endpoint);
  const state = generateRandomState();
  const verifier = generateRandomCodeVerifier();
  const pending = await ports.receiver
    .open({ state, server: flow.server, redirectUri: run.redirectUri, isFixed: run.isRedirectFixed })
    .catch((error: unknown) =>
      Promise.reject(
        flowError(
          flow,
          error instanceof UnusableRedirect ? 'unusable-redirect' : 'no-receiver',
          { detail: messageOf(error) },
          error,
        ),
      ),
    );
  try {
    const client = await run.chooseClient(pending.redirectUri);
    const scope = run.scopes.join(' ');
    const url = authorizationUrl(endpoint.href, {
      response_type: 'code',
      client_id: client.clientId,
      redirect_uri: pending.redirectUri,
      state,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      resource,
      scope,
      // OpenID Connect Core section 11: without `consent`, an issuer may ignore `offline_access`.
      prompt: [
        ...(run.choosesAccount ? ['select_account'] : []),
        ...(run.scopes.includes('offline_access') ? ['consent'] : []),
      ].join(' '),
    });
    flow.trace.add('authorization', {
      request: `${url.origin}${url.pathname}`,
      sent: Object.fromEntries(url.searchParams),
    });
    const answer = awaitAnswer(flow, ports, pending, issuer.issuer);
    // The promise is awaited below, but not if the browser is never opened. This line then prevents an unhandled
    // rejection.
    answer.promise.catch(() => undefined);
    try {
      const request = {
        serverName: flow.server,
        host: url.host,
        issuer: issuer.issuer,
        scopes: run.scopes,
        isStepUp: run.isStepUp,
      };
      // The response may arrive before `openBrowser` returns.
      const isOpen = await Promise.race([ports.openBrowser(url.href, request), answer.promise]);
      if (isOpen === false) throw new HostError('cancelled', 'The sign-in was not started.');
      const code = readAnswer(flow, issuer, client.clientId, await answer.promise, state).get('code') ?? '';
      const tokens = await requestTokens(
        flow,
        {
          endpoint: issuer,
          client,
          grantType: 'authorization_code',
          params: { code, redirect_uri: pending.redirectUri, code_verifier: verifier, resource },
          dpop: run.dpop,
        },
        run.nonces,
      );
      return { client, answer: tokens };
    } finally {
      answer.stop();
    }
  } finally {
    pending.dispose();
  }
}

function awaitAnswer(
  flow: Flow,
  ports: BrowserSignInPorts,
  pending: PendingRedirect,
  issuer: string,
): { promise: Promise<URLSearchParams>; stop: () => void } {
  const timeoutMs = Math.min(ports.answerTimeoutMs ?? 300_000, 300_000);
  let stop = () => undefined as void;
  const promise = new Promise<URLSearchParams>((resolve, reject) => {
    const timer = ports.clock.after(timeoutMs, () =>
      reject(flowError(flow, 'no-answer', { issuer, detail: `${timeoutMs / 60_000} minutes` })),
    );
    const onAbort = () => reject(new HostError('cancelled', 'The sign-in was canceled.'));
    if (flow.signal?.aborted) onAbort();
    flow.signal?.addEventListener('abort', onAbort, { once: true });
    pending.answer.then(resolve, reject);
    stop = () => {
      timer.dispose();
      flow.signal?.removeEventListener('abort', onAbort);
    };
  });
  return { promise, stop };
}

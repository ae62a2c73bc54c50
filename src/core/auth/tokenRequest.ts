/**
 * Requests to a token endpoint: authenticates the client, adds a DPoP proof if there is a key, and reads the response.
 * oauth4webapi is not used here for two reasons:
 * - Some servers report errors with status 200, or as form-encoded or HTML bodies, and the user must see the text of
 *   these errors.
 * - Some servers cannot decode a client ID or secret that is strictly encoded.
 */
import { messageOf } from '../base/hostError.js';
import type { AuthAnswer, Flow } from './authHttp.js';
import { flowError } from './authHttp.js';
import type { DpopProver } from './jwtSigner.js';
import { clientAssertion, readSigningKey } from './jwtSigner.js';
import type { SignInStepKind } from './signInTrace.js';

/** How a client authenticates at the token endpoint. */
export type ClientAuthMethod = 'none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt';

/** A client of one issuer. All of it is secret. */
export interface ClientIdentity {
  clientId: string;
  clientSecret?: string;
  authMethod: ClientAuthMethod;
  /** For private_key_jwt only: the PEM, and the key ID if the issuer knows several keys. Never stored. */
  privateKey?: { pem: string; kid?: string };
}

/** The issuer and its token endpoint. */
type TokenEndpoint = { issuer: string; token_endpoint: string };

/** A successful response, validated. */
export interface TokenAnswer {
  accessToken: string;
  type: 'Bearer' | 'DPoP';
  /** Lifetime in seconds; undefined if the issuer does not state it. */
  expiresInS?: number;
  refreshToken?: string;
  /** The granted scopes, if the issuer states them. */
  scopes?: string[];
  /** The ID token. Only the account name is read from it; its signature is not verified. */
  idToken?: string;
}

export interface TokenRequest {
  endpoint: TokenEndpoint;
  /** The client. Absent for a grant that identifies itself (workload identity). */
  client?: ClientIdentity;
  grantType: string;
  params: Record<string, string | undefined>;
  dpop?: DpopProver;
}

/** The latest DPoP nonce by origin (RFC 9449 section 8). */
export type DpopNonces = Map<string, string>;

/**
 * Requests tokens. Throws HostError `auth-failed` with problem `token-refused` and the OAuth error code in
 * `data.error`, or the errors of `AuthHttp.request`.
 */
export async function requestTokens(
  flow: Flow,
  { endpoint, client, grantType, params, dpop }: TokenRequest,
  nonces: DpopNonces = new Map(),
): Promise<TokenAnswer> {
  const { issuer, token_endpoint: url } = endpoint;
  const { origin } = await flow.http.checked(flow, url);
  const refused = (detail: string, error?: string) => flowError(flow, 'token-refused', { issuer, detail, error });
  for (let isRetry = false; ; isRetry = true) {
    const issuedAt = Math.floor(flow.now() / 1000) + (flow.http.skewOf(origin) ?? 0);
    const proof = dpop?.proof({ method: 'POST', url, issuedAt, nonce: nonces.get(origin) });
    const {
      headers,
      json,
      text: body,
      status,
    } = await post(flow, 'token', url, { ...params, grant_type: grantType }, issuer, client, issuedAt, proof);
    const nonce = headers.get('dpop-nonce');
    if (nonce !== null) nonces.set(origin, nonce);
    const error = json ? text(json['error']) : (new URLSearchParams(body.slice(0, 2_000)).get('error') ?? undefined);
    if (error === 'use_dpop_nonce' && dpop && nonce !== null && !isRetry) continue;
    if (error !== undefined) throw refused(errorText(error, json?.['error_description'] ?? json?.['error_uri']), error);
    if (status !== 200 || !json)
      throw refused(`its response has status ${status}${json ? '' : ' and is not a JSON object'}`);
    const answer = readTokenAnswer(json);
    if (typeof answer === 'string') throw refused(answer);
    if (answer.type === 'DPoP' && !dpop) throw refused('the response contains a DPoP token, which was not requested');
    return answer;
  }
}

/** Asks the issuer to revoke a token (RFC 7009). The response is only recorded in the trace. */
export async function revokeToken(
  flow: Flow,
  issuer: string,
  url: string,
  client: ClientIdentity,
  token: string,
): Promise<void> {
  await post(flow, 'revocation', url, { token }, issuer, client, Math.floor(flow.now() / 1000));
}

/**
 * Posts a form to an endpoint of the issuer with client authentication (RFC 6749 section 2.3, RFC 7523 section 2.2).
 */
function post(
  flow: Flow,
  kind: SignInStepKind,
  url: string,
  params: Record<string, string | undefined>,
  issuer: string,
  client: ClientIdentity | undefined,
  issuedAt: number,
  dpop?: string,
): Promise<AuthAnswer> {
  const body = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) if (value) body.set(name, value);
  const headers: Record<string, string> = {
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
  };
  if (dpop !== undefined) headers['dpop'] = dpop;
  if (client) {
    const { clientId, clientSecret = '', authMethod, privateKey } = client;
    // An issuer may repeat the secret in its response.
    flow.trace.hide(clientSecret);
    if (authMethod === 'client_secret_basic')
      headers['authorization'] = `Basic ${btoa(`${formEncode(clientId)}:${formEncode(clientSecret)}`)}`;
    else body.set('client_id', clientId);
    if (authMethod === 'client_secret_post') body.set('client_secret', clientSecret);
    if (authMethod === 'private_key_jwt') {
      body.set('client_assertion_type', 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
      try {
        body.set(
          'client_assertion',
          clientAssertion(readSigningKey(privateKey?.pem ?? '', privateKey?.kid), clientId, issuer, issuedAt),
        );
      } catch (error) {
        throw flowError(flow, 'bad-key', { detail: messageOf(error) }, error);
      }
    }
  }
  return flow.http.request(flow, kind, url, { method: 'POST', headers, body });
}

/** The code and description of an OAuth error as text. Both are untrusted; `authError` escapes them. */
export function errorText(error: string, description: unknown): string {
  return typeof description === 'string' && description !== '' ? `${description} (${error})` : error;
}

/** Validates the response of a token endpoint. Returns the token data, or a text about the first problem. */
function readTokenAnswer(json: Record<string, unknown>): TokenAnswer | string {
  const accessToken = text(json['access_token']);
  // The rejected characters would make each later request invalid, or inject data into its headers.
  if (accessToken === undefined || !/^[\x21-\x7e]+$/.test(accessToken))
    return 'the response contains no usable access token';
  const type = (text(json['token_type']) ?? 'bearer').toLowerCase();
  if (type !== 'bearer' && type !== 'dpop' && type !== 'n_a') return `the token type "${type}" is not known`;
  const expiresInS = Number(json['expires_in'] ?? Number.NaN);
  const refreshToken = text(json['refresh_token']);
  const scope = text(json['scope']);
  const idToken = text(json['id_token']);
  return {
    accessToken,
    type: type === 'dpop' ? 'DPoP' : 'Bearer',
    expiresInS: Number.isFinite(expiresInS) ? Math.min(Math.max(expiresInS, 0), 315_360_000) : undefined,
    refreshToken,
    scopes: scope?.split(' ').filter(Boolean).slice(0, 200),
    idToken,
  };
}

/**
 * The authentication method for an issuer: that of the registration, otherwise the best one that both the issuer and
 * MCP Deck support (RFC 8414 section 2: the default is basic).
 */
export function chooseAuthMethod(
  supported: readonly string[] | undefined,
  hasSecret: boolean,
  registered?: string,
): ClientAuthMethod {
  const known = (['client_secret_basic', 'client_secret_post', 'none'] as const).filter(
    (method) => hasSecret || method === 'none',
  );
  return (
    known.find((method) => method === registered && (supported?.includes(method) ?? true)) ??
    known.find((method) => supported?.includes(method)) ??
    (hasSecret ? 'client_secret_basic' : 'none')
  );
}

/**
 * Encodes a value as browsers encode forms. A stricter encoding that also escapes hyphens and dots is valid, but some
 * servers cannot decode it.
 */
function formEncode(value: string): string {
  return new URLSearchParams({ '': value }).toString().slice(1);
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

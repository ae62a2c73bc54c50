/**
 * Finds out where a server wants its users to sign in: protected resource metadata (RFC 9728), then the metadata of the
 * authorization server (RFC 8414, OpenID Connect Discovery). Specification 2026-07-28, basic/authorization,
 * "Authorization Server Discovery"; applied to every revision. Without protected resource metadata the rules of
 * 2025-03-26 hold: the server's own origin is the issuer, with default endpoints when it publishes nothing.
 *
 * Not done: signed metadata, and PKCE (only the code flow needs it, and checks it).
 */
import type { AuthorizationServer } from 'oauth4webapi';
import { isStringArray } from '../base/guards.js';
import { HostError } from '../base/hostError.js';
import type { AuthAnswer, Flow } from './authHttp.js';
import { flowError } from './authHttp.js';
import { problemOf } from './authProblem.js';
import { urlFormProblem } from './urlSafety.js';
import type { AuthHints } from './wwwAuthenticate.js';

/**
 * The metadata of an authorization server: `issuer` is verified, `token_endpoint` present, lists are lists of
 * strings.
 */
export type IssuerMetadata = AuthorizationServer & { token_endpoint: string };

/** Where and for what to sign in. */
export interface Discovery {
  /** The `resource` parameter (RFC 8707): exactly as the server's metadata has it, else the server's canonical URL. */
  resource: string;
  /** `scopes_supported` of the server. */
  scopes: string[] | undefined;
  /** The server takes DPoP-bound tokens (RFC 9449, RFC 9728). */
  wantsDpop: boolean;
  issuer: IssuerMetadata;
  /** Nothing was published: the default endpoints of 2025-03-26. PKCE support cannot be known. */
  isFallback: boolean;
}

interface ResourceMetadata {
  resource: string;
  issuers: string[];
  scopes: string[] | undefined;
  wantsDpop: boolean;
}

/**
 * Discovers anew, without any cache.
 * @param prefers true for the issuer to take when the server lists several.
 * Throws HostError `auth-failed`.
 */
export async function discover(
  flow: Flow,
  hints: AuthHints,
  prefers: (issuer: string) => boolean = () => false,
): Promise<Discovery> {
  const server = flow.http.serverUrl;
  const resource = await findResourceMetadata(flow, hints);
  const issuers = resource?.issuers.length ? resource.issuers : [server.origin];
  let failure: unknown;
  for (const issuer of [...issuers.filter(prefers), ...issuers.filter((other) => !prefers(other))].slice(0, 5)) {
    try {
      const metadata = await fetchIssuerMetadata(flow, issuer);
      if (metadata || !resource) {
        return {
          resource: resource?.resource ?? canonicalResource(server),
          scopes: resource?.scopes,
          wantsDpop: resource?.wantsDpop === true || hints.schemes.has('dpop'),
          issuer: metadata ?? defaultEndpoints(server.origin),
          isFallback: !metadata,
        };
      }
      failure ??= flowError(flow, 'bad-metadata', { url: issuer, detail: 'the issuer publishes no metadata' });
    } catch (error) {
      if (error instanceof HostError && error.code === 'cancelled') throw error;
      failure ??= error;
    }
  }
  throw failure;
}

/**
 * The server's URL as resource identifier: no fragment, no slash after a bare host (specification, "Canonical Server
 * URI").
 */
export function canonicalResource(server: URL): string {
  return `${server.origin}${server.pathname === '/' ? '' : server.pathname}${server.search}`;
}

/** Security requirement A5: same origin, and the server's path is at or below the resource's. */
export function resourceMatches(resource: string, server: URL): boolean {
  if (!URL.canParse(resource)) return false;
  const { origin, pathname, hash } = new URL(resource);
  const base = pathname.endsWith('/') ? pathname : `${pathname}/`;
  return origin === server.origin && hash === '' && `${server.pathname}/`.startsWith(base);
}

/** Where protected resource metadata may be, best first. */
export function resourceMetadataUrls(server: URL, fromChallenge?: string): string[] {
  const wellKnown = `${server.origin}/.well-known/oauth-protected-resource`;
  const candidates = [wellKnown + (server.pathname === '/' ? '' : server.pathname) + server.search, wellKnown];
  // On the machine itself a foreign origin is some other program; elsewhere a different host is usual and harmless.
  if (
    fromChallenge !== undefined &&
    URL.canParse(fromChallenge) &&
    (server.protocol === 'https:' || new URL(fromChallenge).origin === server.origin)
  ) {
    candidates.unshift(new URL(fromChallenge).href);
  }
  return [...new Set(candidates)];
}

/** Where an issuer's metadata may be, in the order that the specification demands. */
export function issuerMetadataUrls(issuer: URL): string[] {
  const path = issuer.pathname.replace(/\/$/, '');
  const at = (suffix: string) => `${issuer.origin}/.well-known/${suffix}${path}`;
  return [
    at('oauth-authorization-server'),
    at('openid-configuration'),
    ...(path ? [`${issuer.origin}${path}/.well-known/openid-configuration`] : []),
  ];
}

/** Undefined when every place answers that there is nothing. */
async function findResourceMetadata(flow: Flow, hints: AuthHints): Promise<ResourceMetadata | undefined> {
  const server = flow.http.serverUrl;
  return firstUsable(flow, 'resource-metadata', resourceMetadataUrls(server, hints.resourceMetadata), (json, url) => {
    const bad = (detail: string) => flowError(flow, 'bad-metadata', { url, detail });
    const { resource, authorization_servers: issuers = [], scopes_supported: scopes } = json;
    if (typeof resource !== 'string') throw bad('"resource" is missing');
    if (!isStringArray(issuers)) throw bad('"authorization_servers" is not a list of URLs');
    if (!resourceMatches(resource, server)) throw flowError(flow, 'resource-mismatch', { detail: resource });
    return {
      resource,
      issuers,
      scopes: isStringArray(scopes) ? scopes : undefined,
      wantsDpop:
        json['dpop_bound_access_tokens_required'] === true || isStringArray(json['dpop_signing_alg_values_supported']),
    };
  });
}

/** Undefined when the issuer publishes nothing. */
async function fetchIssuerMetadata(flow: Flow, issuer: string): Promise<IssuerMetadata | undefined> {
  const parsed = URL.canParse(issuer) ? new URL(issuer) : undefined;
  // RFC 8414 section 2: an issuer has no query and no fragment, and the well-known URLs would drop credentials. The
  // characters
  // count, not the parsed form: a bare "?" is one too.
  if (!parsed || /[?#]/.test(issuer) || urlFormProblem(parsed))
    throw flowError(flow, 'unsafe-url', { url: issuer, detail: 'it is not the URL of an issuer' });
  return firstUsable(flow, 'issuer-metadata', issuerMetadataUrls(parsed), (json, url) => {
    const found = json['issuer'];
    if (!isSameIssuer(found, issuer))
      throw flowError(flow, 'issuer-mismatch', { url, issuer, detail: JSON.stringify(found ?? null) });
    if (typeof json['token_endpoint'] !== 'string')
      throw flowError(flow, 'bad-metadata', { url, detail: '"token_endpoint" is missing' });
    const metadata: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(json)) {
      // What has the wrong type is treated as absent, so that no later step meets it.
      const isText = (name === 'issuer' || name.endsWith('_endpoint')) && typeof value === 'string';
      const isSupport = name.endsWith('_supported') && (isStringArray(value) || typeof value === 'boolean');
      if (isText || isSupport) metadata[name] = value;
    }
    return metadata as unknown as IssuerMetadata;
  });
}

/**
 * RFC 8414 section 3.3: identical. Only the slash after a bare host may differ, since both forms lead to the same
 * document.
 */
function isSameIssuer(found: unknown, expected: string): boolean {
  if (found === expected) return true;
  const isBareHost = typeof found === 'string' && URL.canParse(found) && new URL(found).pathname === '/';
  return isBareHost && found.replace(/\/$/, '') === expected.replace(/\/$/, '');
}

/** Specification 2025-03-26, "Fallbacks for Servers without Metadata Discovery". */
function defaultEndpoints(origin: string): IssuerMetadata {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
  };
}

/**
 * The first document that `read` accepts. A client error means that there is nothing at that place. Anything else that
 * is unusable does not end the search, but is thrown when the search finds nothing better.
 */
async function firstUsable<T>(
  flow: Flow,
  kind: 'resource-metadata' | 'issuer-metadata',
  urls: string[],
  read: (json: Record<string, unknown>, url: string) => T,
): Promise<T | undefined> {
  let failure: unknown;
  for (const url of urls) {
    let answer: AuthAnswer;
    try {
      answer = await flow.http.request(flow, kind, url);
      if (answer.status >= 400 && answer.status < 500) continue;
      if (answer.status !== 200 || !answer.json) {
        throw flowError(flow, 'bad-metadata', {
          url,
          detail: answer.status === 200 ? 'it is not a JSON object' : `the answer has status ${answer.status}`,
        });
      }
      return read(answer.json, url);
    } catch (error) {
      if (error instanceof HostError && error.code === 'cancelled') throw error;
      flow.trace.add(kind, { note: error instanceof Error ? error.message : String(error) });
      failure ??= error;
      // A wrong identity is an attack or a grave mistake, and a dead host stays dead: another document does not heal
      // it.
      if (/mismatch|unreachable/.test(String(problemOf(error)))) break;
    }
  }
  if (failure !== undefined) throw failure;
  return undefined;
}

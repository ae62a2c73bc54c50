/**
 * Discovers where users of a server sign in: protected resource metadata (RFC 9728), then the metadata of the
 * authorization server (RFC 8414, OpenID Connect Discovery). Specification 2026-07-28, basic/authorization,
 * "Authorization Server Discovery"; used for every revision. Without protected resource metadata the rules of
 * 2025-03-26 apply: the server's own origin is the issuer, and it has default endpoints if it publishes no metadata.
 *
 * Signed metadata is not supported. The PKCE check is in the code flow, the only flow that needs it.
 */
import type { AuthorizationServer } from 'oauth4webapi';
import { isStringArray } from '../base/guards.js';
import { HostError, messageOf } from '../base/hostError.js';
import { parsedUrl } from '../base/parsedUrl.js';
import type { AuthAnswer, Flow } from './authHttp.js';
import { flowError } from './authHttp.js';
import { problemOf } from './authProblem.js';
import { urlFormProblem } from './urlSafety.js';
import type { AuthHints } from './wwwAuthenticate.js';

/**
 * The metadata of an authorization server: `issuer` is verified, `token_endpoint` is present, lists are lists of
 * strings.
 */
export type IssuerMetadata = AuthorizationServer & { token_endpoint: string };

/** The result of a discovery. */
export interface Discovery {
  /**
   * The `resource` parameter (RFC 8707): the exact value of the server's metadata or, if there is none, the server's
   * canonical URL.
   */
  resource: string;
  /** `scopes_supported` of the server. */
  scopes: string[] | undefined;
  /** Whether the server accepts DPoP-bound tokens (RFC 9449, RFC 9728). */
  wantsDpop: boolean;
  issuer: IssuerMetadata;
  /**
   * Whether no metadata was found. If so, the default endpoints of 2025-03-26 are used, and PKCE support is unknown.
   */
  isFallback: boolean;
}

interface ResourceMetadata {
  resource: string;
  issuers: string[];
  scopes: string[] | undefined;
  wantsDpop: boolean;
}

/**
 * Runs a discovery without a cache. Throws HostError `auth-failed`.
 * @param prefers returns true for the issuer to use if the server lists several.
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
 * The server's URL as resource identifier: no fragment, no slash after the host (specification, "Canonical Server
 * URI").
 */
export function canonicalResource(server: URL): string {
  return `${server.origin}${server.pathname === '/' ? '' : server.pathname}${server.search}`;
}

/**
 * Whether the origin is the same and the server's path is at or below the resource's path (security requirement A5).
 */
export function resourceMatches(resource: string, server: URL): boolean {
  const parsed = parsedUrl(resource);
  if (!parsed) return false;
  const { origin, pathname, hash } = parsed;
  const base = pathname.endsWith('/') ? pathname : `${pathname}/`;
  return origin === server.origin && hash === '' && `${server.pathname}/`.startsWith(base);
}

/** The possible URLs of protected resource metadata, best first. */
export function resourceMetadataUrls(server: URL, fromChallenge?: string): string[] {
  const wellKnown = `${server.origin}/.well-known/oauth-protected-resource`;
  const candidates = [wellKnown + (server.pathname === '/' ? '' : server.pathname) + server.search, wellKnown];
  // A server without TLS is on loopback, where another origin is another program, so metadata at another origin is not
  // used. For other servers, metadata at a different origin is common and harmless.
  const url = fromChallenge === undefined ? undefined : parsedUrl(fromChallenge);
  if (url && (server.protocol === 'https:' || url.origin === server.origin)) candidates.unshift(url.href);
  return [...new Set(candidates)];
}

/** The possible URLs of an issuer's metadata, in the order of the specification. */
export function issuerMetadataUrls(issuer: URL): string[] {
  const path = issuer.pathname.replace(/\/$/, '');
  const at = (suffix: string) => `${issuer.origin}/.well-known/${suffix}${path}`;
  return [
    at('oauth-authorization-server'),
    at('openid-configuration'),
    ...(path ? [`${issuer.origin}${path}/.well-known/openid-configuration`] : []),
  ];
}

/** Fetches the protected resource metadata of the server. Undefined if none of the URLs provides it. */
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

/** Fetches the metadata of an issuer. Undefined if the issuer publishes none. */
async function fetchIssuerMetadata(flow: Flow, issuer: string): Promise<IssuerMetadata | undefined> {
  const parsed = parsedUrl(issuer);
  // RFC 8414 section 2: an issuer has no query and no fragment. Credentials in the URL would be lost in the well-known
  // URLs. The text is checked, not the parsed URL, which drops a bare "?".
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
      // A value of the wrong type is treated as absent, so that later steps need not check the type.
      const isText = (name === 'issuer' || name.endsWith('_endpoint')) && typeof value === 'string';
      const isSupport = name.endsWith('_supported') && (isStringArray(value) || typeof value === 'boolean');
      if (isText || isSupport) metadata[name] = value;
    }
    return metadata as unknown as IssuerMetadata;
  });
}

/**
 * Whether the issuer in the metadata is the expected one. It must be identical (RFC 8414 section 3.3). Only a slash
 * after the host may differ, because both spellings refer to the same document.
 */
function isSameIssuer(found: unknown, expected: string): boolean {
  if (found === expected) return true;
  const isBareHost = typeof found === 'string' && parsedUrl(found)?.pathname === '/';
  return isBareHost && found.replace(/\/$/, '') === expected.replace(/\/$/, '');
}

/**
 * The endpoints of a server without metadata (specification 2025-03-26, "Fallbacks for Servers without Metadata
 * Discovery").
 */
function defaultEndpoints(origin: string): IssuerMetadata {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
  };
}

/**
 * The first document that `read` accepts. A client error means that there is no document at that URL. A document with a
 * wrong identity and an unreachable host end the search; after any other failure, the next URL is tried. If no document
 * is accepted, the first failure is thrown.
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
          detail: answer.status === 200 ? 'it is not a JSON object' : `the response has status ${answer.status}`,
        });
      }
      return read(answer.json, url);
    } catch (error) {
      if (error instanceof HostError && error.code === 'cancelled') throw error;
      flow.trace.add(kind, { note: messageOf(error) });
      failure ??= error;
      // After a document with a wrong identity, or an unreachable host, no other document may be used.
      if (/mismatch|unreachable/.test(String(problemOf(error)))) break;
    }
  }
  if (failure !== undefined) throw failure;
  return undefined;
}

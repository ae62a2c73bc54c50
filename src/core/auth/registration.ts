/**
 * Which client we are at an issuer. Specification 2026-07-28, basic/authorization/client-registration: pre-registered,
 * then client id metadata document, then dynamic registration, then the user is asked. Clients belong to one issuer and
 * never go to another; only a metadata document is portable.
 */
import type { Discovery } from './discovery.js';
import type { Flow } from './authHttp.js';
import { flowError } from './authHttp.js';
import type { ClientIdentity } from './tokenRequest.js';
import { chooseAuthMethod, errorText } from './tokenRequest.js';
import type { DynamicClient, StoredClients } from './tokenStore.js';

/** A client that the operator of the issuer gave to the user, from the configuration or typed in. */
export interface PreRegisteredClient {
  clientId: string;
  clientSecret?: string;
  /** The issuer that it belongs to. Absent: the first that the server leads to, and from then on only that one. */
  issuer?: string;
  /** What was registered with it, for issuers that insist on one port; default: any loopback port. */
  redirectUri?: string;
}

/** How a client came about. */
export type ClientSource = 'configured' | 'entered' | 'metadata-document' | 'dynamic';

/** The client to use, and whether it comes from an earlier sign-in. */
export interface ChosenClient {
  client: ClientIdentity;
  source: ClientSource;
  /** A stored registration, which may be stale. */
  isReused: boolean;
}

/** Where a client may come from, decided without asking anybody. */
export type ClientPlan =
  | { kind: 'use'; chosen: ChosenClient }
  | { kind: 'register'; endpoint: string }
  | { kind: 'ask' }
  /** The configured client belongs to `issuer`, and the server leads elsewhere. */
  | { kind: 'moved'; issuer: string };

/** What there is to choose from. */
export interface ClientChoices {
  configured: PreRegisteredClient | undefined;
  /** The issuer that the configured client is bound to by an earlier sign-in. */
  boundIssuer: string | undefined;
  stored: StoredClients | undefined;
  /** https URL of our client id metadata document; absent: we have none. */
  metadataDocumentUrl: string | undefined;
  redirectUri: string;
  /** Sources that the issuer has just refused. */
  refused: ReadonlySet<ClientSource>;
  /** Milliseconds since the epoch. */
  now: number;
}

/** Chooses by the order of the specification. Pure. */
export function planClient({ issuer }: Pick<Discovery, 'issuer'>, choices: ClientChoices): ClientPlan {
  const { configured, boundIssuer, stored, metadataDocumentUrl, redirectUri, refused, now } = choices;
  const use = (client: Omit<ClientIdentity, 'authMethod'>, source: ClientSource, isReused = false): ClientPlan => ({
    kind: 'use',
    chosen: {
      client: {
        ...client,
        authMethod: chooseAuthMethod(issuer.token_endpoint_auth_methods_supported, client.clientSecret !== undefined),
      },
      source,
      isReused,
    },
  });
  if (stored?.entered) return use(stored.entered, 'entered');
  if (configured) {
    const owner = configured.issuer ?? boundIssuer ?? issuer.issuer;
    if (owner.replace(/\/$/, '') !== issuer.issuer.replace(/\/$/, '')) return { kind: 'moved', issuer: owner };
    const { clientId, clientSecret } = configured;
    return use({ clientId, clientSecret }, 'configured');
  }
  if (
    issuer['client_id_metadata_document_supported'] === true &&
    metadataDocumentUrl !== undefined &&
    !refused.has('metadata-document')
  ) {
    return {
      kind: 'use',
      chosen: {
        client: { clientId: metadataDocumentUrl, authMethod: 'none' },
        source: 'metadata-document',
        isReused: false,
      },
    };
  }
  const known = stored?.dynamic;
  // Issuers may compare the redirect URI to the last character, port included.
  if (
    known &&
    known.redirectUri === redirectUri &&
    (known.secretExpiresAt ?? Infinity) > now &&
    !refused.has('dynamic')
  ) {
    return { kind: 'use', chosen: { client: known, source: 'dynamic', isReused: true } };
  }
  return issuer.registration_endpoint ? { kind: 'register', endpoint: issuer.registration_endpoint } : { kind: 'ask' };
}

/**
 * The body of a dynamic registration (RFC 7591; `application_type` by OpenID Connect Registration, which the
 * specification demands).
 */
export function registrationRequest(
  { issuer }: Pick<Discovery, 'issuer'>,
  redirectUri: string,
  client: { name: string; uri?: string },
): Record<string, unknown> {
  const { token_endpoint_auth_methods_supported: methods } = issuer;
  const usable = (['none', 'client_secret_basic', 'client_secret_post'] as const).find((method) =>
    methods?.includes(method),
  );
  return {
    client_name: client.name,
    client_uri: client.uri,
    application_type: 'native',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: usable ?? 'none',
  };
}

/**
 * Registers dynamically. Throws `registration-refused`, or `no-metadata` when the endpoint was only guessed and is
 * not there.
 */
export async function register(
  flow: Flow,
  discovery: Discovery,
  endpoint: string,
  redirectUri: string,
  client: { name: string; uri?: string },
): Promise<DynamicClient> {
  const { issuer, isFallback } = discovery;
  const asked = registrationRequest(discovery, redirectUri, client);
  const { status, json } = await flow.http.request(flow, 'registration', endpoint, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify(asked),
  });
  const { client_id: clientId, client_secret: secret, client_secret_expires_at: expires } = json ?? {};
  const { token_endpoint_auth_method: method, error, error_description: description } = json ?? {};
  if (status >= 300 || typeof clientId !== 'string' || clientId === '') {
    if (isFallback && (status === 404 || status === 405)) {
      throw flowError(flow, 'no-metadata', { detail: 'no metadata document and no registration at the default place' });
    }
    const shape = json ? 'no client id' : 'is not a JSON object';
    const detail =
      typeof error === 'string' ? errorText(error, description) : `its answer has status ${status} and ${shape}`;
    throw flowError(flow, 'registration-refused', { issuer: issuer.issuer, detail });
  }
  const clientSecret = typeof secret === 'string' && secret !== '' ? secret : undefined;
  // Without a word about the method the request counts, unless a secret came that "none" would not use.
  const registered = typeof method === 'string' ? method : clientSecret === undefined ? 'none' : undefined;
  return {
    clientId,
    clientSecret,
    authMethod:
      registered === undefined && issuer.token_endpoint_auth_methods_supported?.includes('none')
        ? 'none'
        : chooseAuthMethod(issuer.token_endpoint_auth_methods_supported, clientSecret !== undefined, registered),
    redirectUri,
    secretExpiresAt: typeof expires === 'number' && expires > 0 ? expires * 1000 : undefined,
  };
}

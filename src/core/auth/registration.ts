/**
 * Chooses the OAuth client for an issuer. Specification 2026-07-28, basic/authorization/client-registration: a
 * pre-registered client, then a client ID metadata document, then dynamic registration, then a question to the user. A
 * client belongs to one issuer and is never sent to another; only a metadata document is portable.
 */
import type { Discovery } from './discovery.js';
import type { Flow } from './authHttp.js';
import { flowError } from './authHttp.js';
import type { ClientIdentity } from './tokenRequest.js';
import { chooseAuthMethod, errorText } from './tokenRequest.js';
import type { DynamicClient, StoredClients } from './serverRecord.js';

/** A client that the operator of the issuer gave to the user, who configured or entered it. */
export interface PreRegisteredClient {
  clientId: string;
  clientSecret?: string;
  /**
   * The issuer of the client. Default: the first issuer in the server's metadata; after the first use, only that one.
   */
  issuer?: string;
  /** The registered redirect URI, for issuers that require a fixed port. Default: any loopback port. */
  redirectUri?: string;
}

/** How MCP Deck obtained a client. */
export type ClientSource = 'configured' | 'entered' | 'metadata-document' | 'dynamic';

/** The client to use, and whether an earlier sign-in registered it. */
export interface ChosenClient {
  client: ClientIdentity;
  source: ClientSource;
  /** Whether the client is a stored dynamic registration, which may be outdated. */
  isReused: boolean;
}

/** How to obtain a client, decided without asking the user. */
export type ClientPlan =
  | { kind: 'use'; chosen: ChosenClient }
  | { kind: 'register'; endpoint: string }
  | { kind: 'ask' }
  /** The configured client belongs to `issuer`, but the server's metadata now contains a different issuer. */
  | { kind: 'moved'; issuer: string };

/** The clients to choose from. */
export interface ClientChoices {
  configured: PreRegisteredClient | undefined;
  /** The issuer to which an earlier sign-in bound the configured client. */
  boundIssuer: string | undefined;
  stored: StoredClients | undefined;
  /** The https URL of MCP Deck's client ID metadata document; undefined if it has none. */
  metadataDocumentUrl: string | undefined;
  redirectUri: string;
  /** Sources whose client the issuer has just refused. */
  refused: ReadonlySet<ClientSource>;
  /** Milliseconds since the epoch. */
  now: number;
}

/** Chooses a client in the order of the specification. Pure. */
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
  // Issuers may compare the whole redirect URI, including its port.
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
 * The body of a dynamic registration (RFC 7591). The specification requires `application_type`, which OpenID Connect
 * Registration defines.
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

/** The error codes of RFC 7591 section 3.2.2. */
const registrationErrors: ReadonlySet<string> = new Set([
  'invalid_redirect_uri',
  'invalid_client_metadata',
  'invalid_software_statement',
  'unapproved_software_statement',
]);

/**
 * Registers a client dynamically. Throws `registration-refused`, or `no-metadata` if the endpoint was only a default
 * and does not exist.
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
    // Many servers with API keys refuse every path. Only an error code of RFC 7591 shows that the server supports
    // registration.
    const isRegistration = typeof error === 'string' && registrationErrors.has(error);
    if (isFallback && !isRegistration)
      throw flowError(flow, 'no-metadata', {
        detail: 'there is no metadata document and no registration at the default endpoint',
      });
    const shape = json ? 'no client ID' : 'is not a JSON object';
    const detail =
      typeof error === 'string' ? errorText(error, description) : `its response has status ${status} and ${shape}`;
    throw flowError(flow, 'registration-refused', { issuer: issuer.issuer, detail });
  }
  const clientSecret = typeof secret === 'string' && secret !== '' ? secret : undefined;
  // If the response specifies no method, the requested one applies. But if the response contains a secret, "none" does
  // not apply.
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

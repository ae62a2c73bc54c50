/**
 * Grants without a user: client credentials (extension `io.modelcontextprotocol/oauth-client-credentials`),
 * enterprise-managed authorization (`…/enterprise-managed-authorization`: RFC 8693 exchange at the identity provider,
 * then RFC 7523), and workload identity (SEP-1933: RFC 7523 with the workload's JWT). Each is tried once. An error is
 * final, and neither a second attempt nor another grant follows.
 */
import type { Flow } from './authHttp.js';
import { parsedUrl } from '../base/parsedUrl.js';
import type { Discovery } from './discovery.js';
import type { DpopProver } from './jwtSigner.js';
import type { ClientIdentity, DpopNonces, TokenAnswer } from './tokenRequest.js';
import { chooseAuthMethod, requestTokens } from './tokenRequest.js';

const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const tokenType = 'urn:ietf:params:oauth:token-type:';

/**
 * A configured client with a secret or a private key. It belongs to `issuer`, or to the issuer in the server's metadata
 * if `issuer` is absent.
 */
export interface MachineClient {
  clientId: string;
  issuer?: string;
  clientSecret?: string;
  /** PEM of a P-256 (ES256) or RSA (RS256) key; takes precedence over the secret. */
  privateKey?: { pem: string; kid?: string };
}

/** How to obtain the tokens of a server without a user. */
export type MachineGrant =
  | { kind: 'client-credentials'; client: MachineClient }
  | {
      kind: 'enterprise';
      client: MachineClient;
      /** The company's identity provider. The user configured its token endpoint, so its host is trusted. */
      provider: { tokenEndpoint: string; issuer: string; clientId: string; clientSecret?: string };
      /** The user's ID token from single sign-on. */
      idToken: () => Promise<string>;
    }
  | {
      kind: 'workload';
      /** The JWT that the platform issues to the workload, with the issuer as audience. */
      jwt: () => Promise<string>;
      /** The issuer that the JWT is for; the JWT is sent to no other. */
      issuer: string;
      /** Set only for issuers that also require a client ID. */
      clientId?: string;
    };

/** The issuer that the configuration names for the grant. Undefined if it names none. */
export function configuredIssuer(grant: MachineGrant): string | undefined {
  return grant.kind === 'workload' ? grant.issuer : grant.client.issuer;
}

/**
 * Requests tokens with `grant`. The caller has compared the issuer with `configuredIssuer`. Throws HostError
 * `auth-failed`.
 */
export async function requestMachineTokens(
  flow: Flow,
  grant: MachineGrant,
  { issuer, resource }: Discovery,
  scopes: readonly string[],
  nonces: DpopNonces,
  dpop?: DpopProver,
): Promise<TokenAnswer> {
  const scope = scopes.join(' ');
  const ask = (grantType: string, params: Record<string, string>, client?: ClientIdentity) =>
    requestTokens(flow, { endpoint: issuer, grantType, params: { ...params, resource, scope }, client, dpop }, nonces);
  const identity = ({ clientId, clientSecret, privateKey }: MachineClient): ClientIdentity => ({
    clientId,
    clientSecret,
    privateKey,
    authMethod: privateKey
      ? 'private_key_jwt'
      : chooseAuthMethod(issuer.token_endpoint_auth_methods_supported, clientSecret !== undefined),
  });
  switch (grant.kind) {
    case 'client-credentials':
      return ask('client_credentials', {}, identity(grant.client));
    case 'workload':
      return ask(
        jwtBearer,
        { assertion: await grant.jwt() },
        grant.clientId === undefined ? undefined : { clientId: grant.clientId, authMethod: 'none' },
      );
    case 'enterprise': {
      const { provider } = grant;
      const client = identity(grant.client);
      const exchanged = await requestTokens(flow, {
        endpoint: { issuer: provider.issuer, token_endpoint: provider.tokenEndpoint },
        client: {
          clientId: provider.clientId,
          clientSecret: provider.clientSecret,
          authMethod: provider.clientSecret === undefined ? 'none' : 'client_secret_post',
        },
        grantType: 'urn:ietf:params:oauth:grant-type:token-exchange',
        params: {
          requested_token_type: `${tokenType}id-jag`,
          audience: issuer.issuer,
          resource,
          scope,
          subject_token: await grant.idToken(),
          subject_token_type: `${tokenType}id_token`,
        },
      });
      return ask(jwtBearer, { assertion: exchanged.accessToken }, client);
    }
  }
}

/** The key of a grant's client in the stored record of its server. */
export function machineClientId(grant: MachineGrant): string {
  return `${grant.kind} ${grant.kind === 'workload' ? (grant.clientId ?? '') : grant.client.clientId}`;
}

/** The hosts in the configuration of the grant; they may be in a private network. */
export function hostsOf(grant: MachineGrant | undefined): string[] {
  const url = grant?.kind === 'enterprise' ? parsedUrl(grant.provider.tokenEndpoint) : undefined;
  return url ? [url.hostname] : [];
}

import type { MachineClient, MachineGrant } from '../auth/machineGrant.js';
import type { OAuthAuthorizerOptions } from '../auth/oauthOptions.js';
import type { OAuthDefinition } from '../config/oauthDefinition.js';

/**
 * Converts the field `oauth` of a definition to options for the authorizer. The variables in the field are already
 * filled in.
 * @param readFile rejects with HostError `bad-configuration`. A token file is read again for each use, because
 * platforms replace it.
 */
export async function authorizerOptions(
  oauth: OAuthDefinition,
  readFile: (file: string) => Promise<string>,
): Promise<Pick<OAuthAuthorizerOptions, 'client' | 'metadataDocumentUrl' | 'scopes' | 'account' | 'machine' | 'http'>> {
  const { clientId, clientSecret, issuer, redirectUri, clientMetadataUrl, scopes, account, trustedHosts } = oauth;
  const machine = await machineGrant(oauth, readFile);
  return {
    ...(clientId === undefined || machine ? {} : { client: { clientId, clientSecret, issuer, redirectUri } }),
    ...(clientMetadataUrl === undefined ? {} : { metadataDocumentUrl: clientMetadataUrl }),
    ...(scopes === undefined ? {} : { scopes }),
    ...(account === undefined ? {} : { account }),
    ...(trustedHosts === undefined ? {} : { http: { trustedHosts: trustedHosts.map((host) => host.toLowerCase()) } }),
    ...(machine ? { machine } : {}),
  };
}

async function machineGrant(
  oauth: OAuthDefinition,
  readFile: (file: string) => Promise<string>,
): Promise<MachineGrant | undefined> {
  const {
    grant,
    clientId = '',
    clientSecret,
    issuer,
    privateKeyFile,
    keyId,
    provider,
    idTokenFile = '',
    tokenFile = '',
  } = oauth;
  if (grant === undefined) return undefined;
  if (grant === 'workload')
    // `readOAuth` requires the issuer. Without one, no issuer matches.
    return { kind: 'workload', jwt: () => readFile(tokenFile), issuer: issuer ?? '', clientId: oauth.clientId };
  const client: MachineClient = {
    clientId,
    clientSecret,
    issuer,
    privateKey: privateKeyFile === undefined ? undefined : { pem: await readFile(privateKeyFile), kid: keyId },
  };
  if (grant === 'client-credentials') return { kind: 'client-credentials', client };
  return provider && { kind: 'enterprise', client, provider, idToken: () => readFile(idTokenFile) };
}

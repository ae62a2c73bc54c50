/**
 * What a configuration may say about the sign-in of a remote server, field `oauth`. Texts may hold variables; secrets
 * belong into `${input:…}` with `password`, which keeps them in the secret store.
 */
export interface OAuthDefinition {
  /** The client that the operator of the issuer gave out. Absent: MCP Deck registers itself, or asks. */
  clientId?: string;
  clientSecret?: string;
  /** The issuer that the client belongs to; absent: the first one that the server leads to. */
  issuer?: string;
  /** What was registered with the client, where the issuer insists on one address. */
  redirectUri?: string;
  /** https address of a client id metadata document, for issuers that know clients by one. */
  clientMetadataUrl?: string;
  /** Asked for unless the server itself says which it wants. */
  scopes?: string[];
  /** The account to use, by our name for it. */
  account?: string;
  /** Hosts in private networks that the sign-in may lead to. */
  trustedHosts?: string[];
  /** Tokens without a person. */
  grant?: 'client-credentials' | 'enterprise' | 'workload';
  /** PEM file of the client's private key, which proves it instead of a secret. */
  privateKeyFile?: string;
  keyId?: string;
  /** `enterprise`: the identity provider of the company, and the file with the person's ID token. */
  provider?: { issuer: string; tokenEndpoint: string; clientId: string; clientSecret?: string };
  idTokenFile?: string;
  /** `workload`: the file with the JWT that the platform gives to the workload. */
  tokenFile?: string;
}

/** The texts of a definition that variables may stand in, by their field. */
export function oauthTexts(definition: OAuthDefinition): string[] {
  const values = Object.values(definition) as (string | string[] | Record<string, string>)[];
  return values.flatMap((value) =>
    typeof value === 'string' ? [value] : Array.isArray(value) ? value : Object.values(value),
  );
}

/** The same definition with every text replaced. */
export async function mapOAuthTexts(
  definition: OAuthDefinition,
  replace: (text: string) => Promise<string>,
): Promise<OAuthDefinition> {
  const replaced: [string, unknown][] = [];
  // One after the other: a variable may ask the user.
  for (const [name, value] of Object.entries(definition) as [string, string | string[] | Record<string, string>][]) {
    if (typeof value === 'string') replaced.push([name, await replace(value)]);
    else if (Array.isArray(value)) {
      const items: string[] = [];
      for (const item of value) items.push(await replace(item));
      replaced.push([name, items]);
    } else {
      const members: [string, string][] = [];
      for (const [key, text] of Object.entries(value)) members.push([key, await replace(text)]);
      replaced.push([name, Object.fromEntries(members)]);
    }
  }
  return Object.fromEntries(replaced);
}

/**
 * The field `oauth` of a definition: the sign-in to a remote server. Texts may contain variables. Secrets belong in
 * `${input:…}` with `password`, which keeps them in secret storage.
 */
export interface OAuthDefinition {
  /** The client id from the operator of the issuer. Absent: MCP Deck registers itself, or asks the user. */
  clientId?: string;
  clientSecret?: string;
  /** The issuer of the client. Absent: the first issuer that the server names. */
  issuer?: string;
  /** The registered redirect URI, for issuers that require a fixed one. */
  redirectUri?: string;
  /** The https address of a client id metadata document, for issuers that support one. */
  clientMetadataUrl?: string;
  /** The scopes to request, unless the server names the scopes that it needs. */
  scopes?: string[];
  /** The account to use, by its name in MCP Deck. */
  account?: string;
  /** Hosts in private networks that the sign-in may contact. */
  trustedHosts?: string[];
  /** A grant that obtains tokens without a user. */
  grant?: 'client-credentials' | 'enterprise' | 'workload';
  /** PEM file of the client's private key, which is used instead of a secret. */
  privateKeyFile?: string;
  keyId?: string;
  /** `enterprise`: the identity provider of the company, and the file with the user's ID token. */
  provider?: { issuer: string; tokenEndpoint: string; clientId: string; clientSecret?: string };
  idTokenFile?: string;
  /** `workload`: the file with the JWT that the platform issues to the workload. */
  tokenFile?: string;
}

/** The texts of a definition that may contain variables. */
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
  // Sequential, because a variable may ask the user.
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

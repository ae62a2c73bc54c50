/**
 * The field `oauth` of a definition: the sign-in to a remote server. Texts may contain variables. Secrets belong in
 * `${input:…}` with `password`, which keeps the values in secret storage.
 */
export interface OAuthDefinition {
  /**
   * The client ID that the operator of the issuer assigned. If it is absent, MCP Deck uses `clientMetadataUrl`,
   * registers itself, or asks the user.
   */
  clientId?: string;
  clientSecret?: string;
  /**
   * The issuer of the client. Default: the first issuer in the server's metadata. `workload` requires it: the issuer
   * that the JWT is for.
   */
  issuer?: string;
  /** The registered redirect URI, for issuers that require a fixed one. */
  redirectUri?: string;
  /** The https URL of a client ID metadata document, for issuers that support one. */
  clientMetadataUrl?: string;
  /** The scopes to request if the challenge of the server names none. */
  scopes?: string[];
  /** The account to use, by its name in MCP Deck. */
  account?: string;
  /** Hosts in private networks that the sign-in may contact. */
  trustedHosts?: string[];
  /** A grant that obtains tokens without a user. */
  grant?: 'client-credentials' | 'enterprise' | 'workload';
  /** PEM file with the private key of the client, which is used instead of a secret. */
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

/** A copy of the definition in which every text is replaced. */
export async function mapOAuthTexts(
  definition: OAuthDefinition,
  replace: (text: string) => Promise<string>,
): Promise<OAuthDefinition> {
  const replaced: [string, unknown][] = [];
  // The texts are processed in sequence, because a variable may ask the user, and only one question may be open at a
  // time.
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

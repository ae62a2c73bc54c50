/**
 * Parses `WWW-Authenticate` (RFC 9110 section 11.6.1), with several challenges per value, several values per response,
 * quoted strings with escapes, and token68. The grammar is ambiguous at commas: a name followed by `=` is a parameter
 * of the current challenge, any other name begins a new challenge. The input is untrusted, so nothing throws, invalid
 * parts are skipped, the length is limited, and the work is linear in the length.
 */

/** One challenge: an authentication scheme that the server accepts, and its parameters. */
export interface Challenge {
  /** The scheme in lower case, for example `bearer`. */
  scheme: string;
  /** Parameters by lower-case name. If a name is repeated, its first value is used. */
  params: ReadonlyMap<string, string>;
  token68: string | undefined;
}

/** The parts of the challenges that an OAuth client uses. */
export interface AuthHints {
  /** All offered schemes, in lower case. */
  schemes: ReadonlySet<string>;
  /** `resource_metadata` (RFC 9728 section 5.1), unchecked. */
  resourceMetadata?: string;
  /** The scopes in `scope`; undefined if the challenge has none. */
  scopes?: string[];
  /** `error`, for example `invalid_token`. */
  error?: string;
}

const maxLength = 16_384;
const maxChallenges = 32;
const maxScopes = 200;

const separators = /[\s,]*/y;
const name = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y;
const equals = /[ \t]*=[ \t]*/y;
const quoted = /"((?:[^"\\]|\\[^])*)(?:"|\\?$)/y;
// This pattern is more permissive than the token of the grammar, because servers send URLs without quotes.
const bare = /[^\s,"]*/y;
const token68 = /[ \t]+([A-Za-z0-9\-._~+/]+=*)(?=[ \t]*(?:,|$))/y;

/** All challenges in `values`, in order. Never throws. */
export function parseChallenges(values: readonly string[]): Challenge[] {
  const challenges: Challenge[] = [];
  for (const value of values) {
    const text = value.slice(0, maxLength);
    let at = 0;
    let params: Map<string, string> | undefined;
    const take = (pattern: RegExp): RegExpExecArray | null => {
      pattern.lastIndex = at;
      const match = pattern.exec(text);
      if (match) at = pattern.lastIndex;
      return match;
    };
    for (;;) {
      take(separators);
      if (at >= text.length || challenges.length >= maxChallenges) break;
      const word = take(name)?.[0].toLowerCase();
      if (word === undefined) {
        // Skips one stray character, or one quoted string as a whole, so that quoted text is never parsed as a
        // challenge.
        if (!take(quoted)) at++;
        continue;
      }
      if (take(equals)) {
        const inQuotes = take(quoted);
        const content = inQuotes ? (inQuotes[1] ?? '').replace(/\\([^])/g, '$1') : (take(bare)?.[0] ?? '');
        if (params && !params.has(word)) params.set(word, content);
        continue;
      }
      params = new Map();
      const credential = take(token68)?.[1];
      challenges.push({ scheme: word, params, token68: credential });
    }
  }
  return challenges;
}

/** Reads the relevant parameters of the Bearer and DPoP challenges; the first value of each is used. */
export function readHints(values: readonly string[]): AuthHints {
  const challenges = parseChallenges(values);
  const ours = challenges.filter(({ scheme }) => scheme === 'bearer' || scheme === 'dpop');
  const first = (param: string) =>
    ours.map(({ params }) => params.get(param)).find((value) => value !== undefined && value !== '');
  const resourceMetadata = first('resource_metadata');
  const scope = first('scope');
  const error = first('error');
  return {
    schemes: new Set(challenges.map(({ scheme }) => scheme)),
    resourceMetadata,
    scopes: scope === undefined ? undefined : splitScopes(scope),
    error,
  };
}

/**
 * The scope tokens of a space-separated list (RFC 6749 section 3.3), without duplicates and without tokens that contain
 * invalid characters.
 */
export function splitScopes(text: string): string[] {
  return [...new Set(text.split(/\s+/).filter((scope) => /^[\x21\x23-\x5b\x5d-\x7e]{1,300}$/.test(scope)))].slice(
    0,
    maxScopes,
  );
}

/**
 * What the client must obtain after a 401 or 403 response. A 403 without the error `insufficient_scope` is final
 * (`none`), unless the request had no token and the response offers Bearer or DPoP.
 * @param hadToken whether the refused request contained a token.
 */
export function neededAfter(status: 401 | 403, hints: AuthHints, hadToken: boolean): 'none' | 'token' | 'scopes' {
  if (status === 401) return 'token';
  if (hints.error === 'insufficient_scope') return 'scopes';
  return !hadToken && (hints.schemes.has('bearer') || hints.schemes.has('dpop')) ? 'token' : 'none';
}

/** The entries of lists of allowed and denied servers, in the format of VS Code's `chat.mcp.allowedServers`. */
import { isObject, isStringArray } from '../base/guards.js';
import { fitsWildcard } from '../base/wildcard.js';
import { parsedUrl } from '../base/parsedUrl.js';

/** One entry of a list. The name and the command must be equal; the URL may contain `*`. */
export type ServerMatcher =
  | { serverName: string }
  /** `written` is the pattern of the list, if `serverUrl` was made from it. */
  | { serverUrl: string; written?: string }
  | { serverCommand: readonly [string, ...string[]] };

/** A server as lists identify it: by its name, and by its URL or its command line. */
export interface PolicySubject {
  name: string;
  /** The URL of a remote server. May contain variables (`${…}`) if they are not resolved yet. */
  url?: string;
  /** The command and the arguments of a local server. May contain variables. */
  command?: readonly string[];
}

/**
 * The matchers of an entry. VS Code ignores an entry with several fields. Here, each of its fields counts in a list of
 * denied servers, so that a wrong entry never permits more.
 */
export function matchersOf(entry: unknown): ServerMatcher[] {
  if (!isObject(entry)) return [];
  const { serverName, serverUrl, serverCommand } = entry;
  return [
    ...(isText(serverName) ? [{ serverName }] : []),
    ...(isText(serverUrl) ? [{ serverUrl }] : []),
    ...(isStringArray(serverCommand) && serverCommand.length > 0
      ? [{ serverCommand: serverCommand as [string, ...string[]] }]
      : []),
  ];
}

/**
 * The matchers of an entry in a list of denied servers. A pattern without a scheme, such as `evil.example` or
 * `*.evil.example/*`, would match no URL, so it also means the URLs of this host with every scheme.
 */
export function denyingMatchers(entry: unknown): ServerMatcher[] {
  return matchersOf(entry).flatMap((matcher) => {
    if (!('serverUrl' in matcher) || matcher.serverUrl.includes(':/')) return [matcher];
    const written = matcher.serverUrl;
    const pattern = `*://${written}`;
    const whole = written.includes('/') ? [] : [`${pattern}/*`, `${pattern}:*/*`];
    return [matcher, ...[pattern, ...whole].map((serverUrl) => ({ serverUrl, written }))];
  });
}

/** An entry as it is in the list, as JSON. */
export function writtenEntry(matcher: ServerMatcher): string {
  return JSON.stringify('serverUrl' in matcher ? { serverUrl: matcher.written ?? matcher.serverUrl } : matcher);
}

/** Whether the entry matches this server. A part of the server that contains variables matches no entry. */
export function matches(matcher: ServerMatcher, { name, url, command }: PolicySubject): boolean {
  if ('serverName' in matcher) return matcher.serverName === name;
  if ('serverUrl' in matcher) return url !== undefined && !hasVariable(url) && matchesUrl(matcher.serverUrl, url);
  const { serverCommand } = matcher;
  return (
    command !== undefined &&
    !command.some(hasVariable) &&
    command.length === serverCommand.length &&
    serverCommand.every((part, index) => part === command[index])
  );
}

/** Whether the entry may mean this server when its variables are resolved. */
export function mayMatch(matcher: ServerMatcher, { url, command }: PolicySubject): boolean {
  if ('serverUrl' in matcher) return url !== undefined && hasVariable(url);
  return 'serverCommand' in matcher && command?.some(hasVariable) === true;
}

function hasVariable(text: string): boolean {
  return text.includes('${');
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0;
}

/** Schemes whose URLs are compared without credentials, default port and fragment. */
const networkSchemes: ReadonlySet<string> = new Set(['http:', 'https:', 'ws:', 'wss:']);

/** The characters that can follow the host and port of a URL. */
const endOfHost = /[/\\?#]/;

function matchesUrl(pattern: string, url: string): boolean {
  const subject = normalUrl(url);
  if (subject === undefined) return false;
  if (!pattern.includes('*')) return normalUrl(pattern) === subject;
  const normal = normalPattern(pattern);
  if (normal === undefined) return false;
  const [patternHead, patternPath] = split(normal.toLowerCase());
  const [head, path] = split(subject, !normal.includes('://'));
  // A "*" in the host must not match credentials. Only URLs of other schemes can still contain them.
  if (!fitsWildcard(literalQuestions(patternPath), literalQuestions(path)) || head.includes('@')) return false;
  return [patternHead, ...(patternHead.endsWith(':*') ? [patternHead.slice(0, -2)] : [])].some((one) =>
    fitsWildcard(literalQuestions(one), literalQuestions(head)),
  );
}

/** `fitsWildcard` treats `?` as a wildcard, but in URLs it begins the query. */
function literalQuestions(text: string): string {
  return text.replaceAll('?', '\u0000');
}

/** The URL in lower case, without the parts that the comparison ignores. Undefined if it is not a URL. */
function normalUrl(url: string): string | undefined {
  const parsed = parsedUrl(url);
  if (!parsed) return undefined;
  const { protocol, host, pathname, search } = parsed;
  if (!networkSchemes.has(protocol)) return url.toLowerCase();
  return `${protocol}//${withoutFinalDot(host)}${decoded(pathname)}${decoded(search)}`.toLowerCase();
}

/** `example.com.` is the same host as `example.com`. */
function withoutFinalDot(host: string): string {
  return host.replace(/\.(?=:\d+$|$)/, '');
}

/**
 * Text with letters, digits, `-`, `.`, `_` and `~` instead of their escapes, which mean the same (RFC 3986, 6.2.2.2).
 */
function decoded(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (escape, code: string) => {
    const char = String.fromCharCode(Number.parseInt(code, 16));
    return /[\w.~-]/.test(char) ? char : escape;
  });
}

/** A pattern in the same form as `normalUrl`. Undefined if its host cannot be read. */
function normalPattern(pattern: string): string | undefined {
  const at = pattern.indexOf('://');
  const scheme = at < 0 ? '' : pattern.slice(0, at + 1).toLowerCase();
  if (!networkSchemes.has(scheme)) return pattern;
  const rest = pattern.slice(at + 3);
  const end = rest.search(endOfHost);
  const withUser = end < 0 ? rest : rest.slice(0, end);
  const host = withoutFinalDot(withUser.slice(withUser.lastIndexOf('@') + 1));
  const defaultPort = scheme === 'https:' || scheme === 'wss:' ? ':443' : ':80';
  if (host === '' || host.startsWith(':')) return undefined;
  const [path = ''] = decoded(end < 0 ? '' : rest.slice(end))
    .replaceAll('\\', '/')
    .split('#');
  return `${scheme}//${host.endsWith(defaultPort) ? host.slice(0, -defaultPort.length) : host}${path.startsWith('/') ? '' : '/'}${path}`;
}

/**
 * Divides a URL after its host.
 * @param isWhole true if the pattern has no scheme. Then the text is divided at its first slash.
 */
function split(text: string, isWhole = false): [head: string, path: string] {
  const at = isWhole ? -1 : text.indexOf('://');
  const from = at < 0 ? 0 : at + 3;
  const end = text.slice(from).search(endOfHost);
  return end < 0 ? [text, ''] : [text.slice(0, from + end), text.slice(from + end)];
}

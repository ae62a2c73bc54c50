/**
 * Converts resources to paths in the file system `mcpdeck:`, and paths to resources: `demo://docs/a.md` of the server
 * "everything" is `/everything/demo/docs/a.md`. A resource URI is any text that a server chooses, so every part that
 * has a meaning in file systems is escaped: no segment is empty, starts or ends with a dot, or contains a separator, a
 * control character or a hidden character (security requirements D1 and L2). Different URIs always have different
 * paths.
 *
 * `~` begins an escape: `~2F` represents a byte, `~uD800` an unpaired surrogate, and `~` alone an empty segment.
 * Spaces, and letters and digits outside of ASCII, are decoded if they are percent-encoded: `My%20notes.md` becomes `My
 * notes.md`.
 */
import { countHidden } from '../base/hostileText.js';

/** One resource of one server. */
export interface ResourceAddress {
  server: string;
  uri: string;
}

const plain = /^[A-Za-z0-9\-._!$&'()+,;=@]$/;
const schemePattern = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//;
const addedPattern = /^(.*)~\.([a-z0-9]*)$/s;

/**
 * The path of a resource.
 * @param extension added to a name that does not show the type of the resource, as in `42~.json`. It consists of
 * lower-case letters and digits, and is not part of the URI.
 */
export function resourcePath({ server, uri }: ResourceAddress, extension?: string): string {
  const scheme = schemePattern.exec(uri)?.[1];
  const rest = scheme === undefined ? uri : uri.slice(scheme.length + 3);
  const segments = [scheme ?? '', ...segmentsOf(rest)].map(escapeSegment);
  const last = (segments.pop() ?? '').replace(notebookPattern, '~2E$1');
  const name = extension === undefined ? last : `${last === '~' ? '' : last}~.${extension}`;
  return `${serverPath(server)}/${[...segments, name].join('/')}`;
}

/** The extension of notebooks. They are opened as text, because a notebook viewer runs the scripts in saved outputs. */
const notebookPattern = /\.(ipynb)$/i;

/** True for a name that VS Code would open as a notebook. */
export function isNotebook(name: string): boolean {
  return notebookPattern.test(name);
}

/** The folder that contains all resources of a server. */
export function serverPath(server: string): string {
  return `/${escapeSegment(server)}`;
}

/** The resource at a path; undefined for folders and for paths that no resource can have. */
export function resourceAt(path: string): ResourceAddress | undefined {
  const [root, server, scheme, ...names] = path.split('/');
  const last = names.pop();
  if (root !== '' || server === undefined || scheme === undefined || last === undefined) return undefined;
  const [, base, extension] = addedPattern.exec(last) ?? [];
  const segments = [...names, base === '' ? '~' : (base ?? last)].map(unescapeSegment);
  const address = {
    server: unescapeSegment(server),
    uri: `${scheme === '~' ? '' : `${unescapeSegment(scheme)}://`}${segments.join('/')}`,
  };
  // Parsing is lenient, so only paths in the canonical form are accepted.
  return resourcePath(address, extension) === path ? address : undefined;
}

/** The server of a folder or of a path below it; undefined for the root. */
export function serverAt(path: string): string | undefined {
  const segment = path.split('/')[1];
  return segment === undefined || segment === '' ? undefined : unescapeSegment(segment);
}

/** Splits at slashes; slashes in a query belong to the name. */
function segmentsOf(rest: string): string[] {
  const end = rest.search(/[?#]/);
  const segments = (end < 0 ? rest : rest.slice(0, end)).split('/');
  segments.push(`${segments.pop() ?? ''}${end < 0 ? '' : rest.slice(end)}`);
  return segments;
}

function escapeSegment(text: string): string {
  if (text === '') return '~';
  const escaped = text.replace(/(?:%[0-9A-F]{2})+|[^]/gu, (part) =>
    part.length > 1 && part.startsWith('%') ? escapeEncoded(part) : plain.test(part) ? part : escapeChar(part),
  );
  // Some file systems treat names that start or end with a dot or a blank specially.
  return escaped.replace(/^\./, '~2E').replace(/\.$/, '~2E').replace(/^ /, '~2520').replace(/ $/, '~2520');
}

/** Decodes the readable characters in a run of percent escapes, and keeps the rest as written. */
function escapeEncoded(run: string): string {
  const text = decoded(run);
  if (text === undefined) return run.replaceAll('%', '~25');
  return [...text].map((char) => (isReadable(char) ? char : encodeBytes(char).replaceAll('%', '~25'))).join('');
}

function isReadable(char: string): boolean {
  return char === ' ' || (char > '\u007f' && /^[\p{L}\p{N}]$/u.test(char) && countHidden(char) === 0);
}

function escapeChar(char: string): string {
  const isHalf = /^[\ud800-\udfff]$/u.test(char);
  return isHalf ? `~u${char.charCodeAt(0).toString(16).toUpperCase()}` : encodeBytes(char).replaceAll('%', '~');
}

/** Every byte of the character as `%XX`, including ASCII characters. */
function encodeBytes(char: string): string {
  return [...Buffer.from(char, 'utf8')].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}

function unescapeSegment(segment: string): string {
  if (segment === '~') return '';
  return segment.replace(/(?:~[0-9A-F]{2})+|~u[0-9A-F]{4}|[^]/gu, (part) => {
    if (part.startsWith('~u')) return String.fromCharCode(Number.parseInt(part.slice(2), 16));
    if (part.startsWith('~')) return decoded(part.replaceAll('~', '%')) ?? part;
    return isReadable(part) ? encodeBytes(part) : part;
  });
}

function decoded(run: string): string | undefined {
  try {
    return decodeURIComponent(run);
  } catch {
    // The bytes are not UTF-8, so the escapes are kept as written.
    return undefined;
  }
}

/**
 * Where a resource stands in the file system `mcpdeck:`, and back: `demo://docs/a.md` of the server "everything" is
 * `/everything/demo/docs/a.md`. Resource URIs are any text that a server likes, so every part that could mean something to a
 * file system is written out: no segment is empty, `.` or `..`, begins with a dot, or holds a separator, a control or a
 * hidden character (security requirements D1 and L2). Two different URIs never get one path.
 *
 * `~` escapes: `~2F` is a byte, `~uD800` half of a surrogate pair, `~` alone an empty segment. What stands percent-encoded
 * in a URI and is a letter, a digit or a blank is shown as such, so `My%20notes.md` reads `My notes.md`.
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
 * @param extension added to the name, for resources whose own name does not tell their type: `42~.json`. Lower-case letters
 * and digits; it is no part of the URI.
 */
export function resourcePath({ server, uri }: ResourceAddress, extension?: string): string {
  const scheme = schemePattern.exec(uri)?.[1];
  const rest = scheme === undefined ? uri : uri.slice(scheme.length + 3);
  const segments = [scheme ?? '', ...segmentsOf(rest)].map(escapeSegment);
  const last = (segments.pop() ?? '').replace(notebookPattern, '~2E$1');
  const name = extension === undefined ? last : `${last === '~' ? '' : last}~.${extension}`;
  return `${serverPath(server)}/${[...segments, name].join('/')}`;
}

/** A notebook's viewer runs the scripts of saved outputs; what a server sends is opened as the text that it is. */
const notebookPattern = /\.(ipynb)$/i;

/** True for a name that VS Code would open as a notebook. */
export function isNotebook(name: string): boolean {
  return notebookPattern.test(name);
}

/** The folder that holds all resources of a server. */
export function serverPath(server: string): string {
  return `/${escapeSegment(server)}`;
}

/** The resource that stands at a path; undefined for folders and for paths that no resource can have. */
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
  // Reading is lenient; only what writing gives is a path of ours.
  return resourcePath(address, extension) === path ? address : undefined;
}

/** The server whose folder a path is or stands in; undefined for the root. */
export function serverAt(path: string): string | undefined {
  const segment = path.split('/')[1];
  return segment === undefined || segment === '' ? undefined : unescapeSegment(segment);
}

/** A query may hold slashes; it belongs to the name. */
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
  // Names with a blank or a dot at the end, or a dot before them, mean something to some file systems.
  return escaped.replace(/^\./, '~2E').replace(/\.$/, '~2E').replace(/^ /, '~2520').replace(/ $/, '~2520');
}

/** A run of percent escapes: readable characters as such, anything else as it is written. */
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

/** Every byte of the character as `%XX`, of ASCII ones too. */
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
    // No UTF-8: it stays as it is written.
    return undefined;
  }
}

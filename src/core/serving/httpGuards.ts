/**
 * Decides which requests a server on loopback accepts (specification 2026-07-28, basic/transports/streamable-http,
 * "Security & endpoint"; security requirements G1 to G4). Web pages can reach loopback, too. With DNS rebinding, they
 * send a foreign Host. In cross-origin requests, they send a foreign Origin. Without a preflight, they can send only
 * simple content types. All three are refused, and no CORS header is ever sent.
 */
import { parseExact } from '../base/exactNumbers.js';
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { ByteCollector } from '../base/byteCollector.js';

/** Why a request is refused: the status and a short reason. */
export interface Refusal {
  status: number;
  reason: string;
  headers?: Record<string, string>;
}

export interface HttpGuards {
  /** The only path that is served; compared exactly. */
  path: string;
  /** Accepted values of `Host`, in lower case. */
  hosts: ReadonlySet<string>;
  /**
   * Accepted values of `Origin`, in lower case. A request without `Origin` does not come from a web page, and is
   * accepted.
   */
  origins: ReadonlySet<string>;
  /** Digest of the secret that every request must send as a bearer token; undefined if no token is required. */
  tokenDigest: Buffer | undefined;
  /** The `Authorization` header that was accepted last on a connection. */
  acceptedOn: WeakMap<Socket, string>;
}

/** Maximum nesting depth of a body. A deeper body is not legitimate, and would exhaust the stack of recursive code. */
const maxDepth = 256;

/** Maximum number of values in a body. A small value takes 20 times as much memory as its text. */
const maxValues = 200_000;

/** Throws TypeError for bytes that are not UTF-8. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Runs the checks of the client: where it comes from, what it asks for, and whether it has the token. Returns the first
 * refusal, or undefined.
 */
export function refusalOf(request: IncomingMessage, guards: HttpGuards): Refusal | undefined {
  const { headers } = request;
  if (!guards.hosts.has(headers.host?.toLowerCase() ?? ''))
    return { status: 403, reason: 'This host name is not served here.' };
  const { origin } = headers;
  const isKnownOrigin = origin !== undefined && guards.origins.has(origin.toLowerCase());
  if (origin !== undefined && !isKnownOrigin) return { status: 403, reason: 'This origin is not allowed.' };
  const site = headers['sec-fetch-site'];
  if (!isKnownOrigin && site !== undefined && site !== 'none' && site !== 'same-origin')
    return { status: 403, reason: 'Requests from other sites are not allowed.' };
  if (pathOf(request.url ?? '') !== guards.path) return { status: 404, reason: 'Not found.' };
  if (guards.tokenDigest && !isAuthorized(request, guards.tokenDigest, guards.acceptedOn)) {
    return { status: 401, reason: 'A bearer token is required.', headers: { 'www-authenticate': 'Bearer' } };
  }
  return undefined;
}

function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

/** Why a POST is refused because of the headers about its body; undefined if it is accepted. */
export function bodyRefusal({ headers }: IncomingMessage, maxBytes: number): Refusal | undefined {
  const type = headers['content-type'] ?? '';
  if (type !== 'application/json' && !/^application\/json\s*(;|$)/i.test(type))
    return { status: 415, reason: 'The content type must be application/json.' };
  return Number(headers['content-length'] ?? 0) > maxBytes ? tooLarge : undefined;
}

/** Refuses a POST whose client does not accept both kinds of answers of Streamable HTTP. */
export function answersRefusal(request: IncomingMessage): Refusal | undefined {
  if (accepts(request, 'application/json') && accepts(request, 'text/event-stream')) return undefined;
  return { status: 406, reason: 'The client must accept both application/json and text/event-stream.' };
}

const tooManyBytes: Refusal = {
  status: 429,
  reason: 'The open requests are too large together.',
  headers: { 'retry-after': '1' },
};
const tooLarge: Refusal = { status: 413, reason: 'The body is too large.' };

/** The value of `Accept` that the specification requires of clients. */
const usualAccept = 'application/json, text/event-stream';

/** Whether the client accepts this media type; supports wildcards. */
export function accepts(request: IncomingMessage, type: string): boolean {
  if (request.headers.accept === usualAccept && usualAccept.includes(type)) return true;
  const wanted = (request.headers.accept ?? '')
    .toLowerCase()
    .split(',')
    .map((part) => part.split(';', 1)[0]?.trim());
  return wanted.includes(type) || wanted.includes(`${type.split('/', 1)[0] ?? ''}/*`) || wanted.includes('*/*');
}

/**
 * Reads the body as JSON text in UTF-8, or returns why it is refused. Rejects if the client disconnects before the end
 * of the body.
 * @param hasRoom called with the size of each part of the body; if it returns false, the request is refused.
 * @param mayParse called with the whole body; if it returns false, the body is too large for its client.
 */
export async function readJson(
  request: IncomingMessage,
  maxBytes: number,
  hasRoom: (bytes: number) => boolean = () => true,
  mayParse: (body: Buffer) => boolean = () => true,
): Promise<{ value: unknown } | Refusal> {
  const body = await readBody(request, maxBytes, hasRoom);
  if (!Buffer.isBuffer(body)) return body;
  return mayParse(body) ? parseBody(body) : tooLarge;
}

/** Parses a received message as JSON text in UTF-8, or returns why it is refused. */
export function parseBody(body: Buffer): { value: unknown } | Refusal {
  try {
    const text = utf8.decode(body);
    const problem = shapeProblem(text);
    if (problem) return problem;
    return { value: parseExact(text) };
  } catch {
    // The parser's message quotes the body, so it is not used.
    return { status: 400, reason: 'The body is not JSON in UTF-8.' };
  }
}

/**
 * The body, or why it is refused. The rest of a refused body is not read. This is not a `for await` loop, because
 * leaving such a loop would destroy the socket before the refusal is sent.
 */
function readBody(
  request: IncomingMessage,
  maxBytes: number,
  hasRoom: (bytes: number) => boolean,
): Promise<Buffer | Refusal> {
  return new Promise((resolve, reject) => {
    const bytes = new ByteCollector();
    const isWhole = (chunk: Buffer) => chunk.length === Number(request.headers['content-length']);
    let whole: Buffer | undefined;
    const take = (chunk: Buffer): void => {
      const refusal =
        bytes.size + chunk.length > maxBytes ? tooLarge : hasRoom(chunk.length) ? undefined : tooManyBytes;
      if (!refusal) {
        // Most bodies arrive in one chunk, which needs no copy.
        if (isWhole(chunk)) whole = chunk;
        else bytes.push(chunk);
        return;
      }
      request.off('data', take).pause();
      bytes.clear();
      resolve(refusal);
    };
    request.on('data', take);
    request.once('end', () => resolve(whole ?? bytes.take()));
    request.once('error', reject);
  });
}

/**
 * Whether a request contains the token. If a connection repeats the header that was accepted before, the headers are
 * not compared in constant time, because the client knows the token.
 */
function isAuthorized(
  { headers, socket }: IncomingMessage,
  wanted: Buffer,
  acceptedOn: HttpGuards['acceptedOn'],
): boolean {
  const { authorization } = headers;
  if (authorization !== undefined && acceptedOn.get(socket) === authorization) return true;
  if (!isBearer(authorization, wanted)) return false;
  if (authorization !== undefined) acceptedOn.set(socket, authorization);
  return true;
}

/** Whether a header contains the token. Compares in constant time, for tokens of any length. */
function isBearer(header: string | undefined, wanted: Buffer): boolean {
  const given = /^bearer +(\S+) *$/i.exec(header ?? '')?.[1];
  return given !== undefined && timingSafeEqual(digestOfToken(given), wanted);
}

/** Whether a text can be a bearer token. An empty one would be equal to a missing one. */
export function isToken(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

/** The digest by which tokens are compared. */
export function digestOfToken(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Why a JSON text is not parsed. Counts the brackets and commas outside of strings. */
function shapeProblem(text: string): Refusal | undefined {
  // Most bodies are short and have few brackets, which takes much less time to find out.
  if (text.length <= maxValues && count('{', text, maxDepth) + count('[', text, maxDepth) <= maxDepth) return undefined;
  let depth = 0;
  let values = 0;
  let isString = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (isString) {
      if (code === 0x5c) i++;
      else if (code === 0x22) isString = false;
    } else if (code === 0x22) isString = true;
    else if (code === 0x7b || code === 0x5b) {
      depth++;
      values++;
      if (depth > maxDepth) return { status: 400, reason: 'The body is nested too deeply.' };
    } else if (code === 0x7d || code === 0x5d) depth--;
    else if (code === 0x2c) values++;
    if (values > maxValues) return { status: 413, reason: 'The body has too many values.' };
  }
  return undefined;
}

/** The number of occurrences of a character, counted up to `max + 1`. */
function count(character: string, text: string, max: number): number {
  let found = 0;
  for (let at = text.indexOf(character); at !== -1 && found <= max; at = text.indexOf(character, at + 1)) found++;
  return found;
}

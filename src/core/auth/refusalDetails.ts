/**
 * Reads the response with which a server refuses a request (status 401 or 403): the server's message, and the name of
 * the header for an API key. Both are untrusted: the message is reduced to one bounded line, and a header is accepted
 * only if its name suggests that it contains credentials.
 */
import { isObject } from '../base/guards.js';
import { visibleLine } from '../base/hostileText.js';
import { parseChallenges } from './wwwAuthenticate.js';

export interface RefusalDetails {
  /** The message, at most 300 characters, escaped. */
  said?: string;
  /** The name of the header for the API key. */
  keyHeader?: string;
  /** The configured header with the API key that the server refused. */
  sentHeader?: string;
}

const maxBody = 4_000;
const maxSaid = 300;
const messageFields = ['message', 'error_description', 'detail', 'error', 'title', 'reason', 'msg', 'errors'];

/** Reads a refusal. @param body the beginning of the response. */
export function refusalDetails(wwwAuthenticate: readonly string[], body: string): RefusalDetails {
  const said = messageIn(body);
  const keyHeader = headerIn(wwwAuthenticate) ?? (said === undefined ? undefined : headerNamed(said));
  return { ...(said === undefined ? {} : { said }), ...(keyHeader === undefined ? {} : { keyHeader }) };
}

/**
 * Adds the configured header that contained the refused API key: the one that the server names, or one whose name
 * suggests a key.
 * @param sent the names of the configured headers.
 */
export function withSentKey(details: RefusalDetails, sent: readonly string[]): RefusalDetails {
  const { keyHeader } = details;
  const sentHeader = sent.find((header) =>
    keyHeader === undefined ? isKeyHeader(header) : header.toLowerCase() === keyHeader.toLowerCase(),
  );
  return sentHeader === undefined ? details : { ...details, keyHeader: sentHeader, sentHeader };
}

function messageIn(body: string): string | undefined {
  const text = body.slice(0, maxBody).trim();
  if (text === '' || text.startsWith('<')) return undefined;
  const line = visibleLine(/^[{["]/.test(text) ? (messageOfJson(text) ?? '') : text, maxSaid);
  return /\p{L}/u.test(line) ? line : undefined;
}

function messageOfJson(text: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  // In a JSON-RPC error response, the message is inside `error`.
  for (let depth = 0; depth < 4; depth++) {
    if (typeof value === 'string') return value;
    if (Array.isArray(value)) value = value[0];
    else if (isObject(value)) {
      const fields: Readonly<Record<string, unknown>> = value;
      value = messageFields.map((field) => fields[field]).find((inner) => inner !== undefined && inner !== null);
    } else return undefined;
  }
  return undefined;
}

/**
 * The header for the key that a challenge names, as in `ApiKey header="X-Api-Key"` or with a scheme that is the name of
 * a header.
 */
function headerIn(wwwAuthenticate: readonly string[]): string | undefined {
  for (const { scheme, params } of parseChallenges(wwwAuthenticate)) {
    const named = params.get('header') ?? params.get('header_name') ?? params.get('name') ?? params.get('key');
    if (named !== undefined && isKeyHeader(named)) return named;
    if (/^x-/.test(scheme) && isKeyHeader(scheme)) return scheme;
  }
  return undefined;
}

const name = '[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)*';
const namedPatterns: readonly RegExp[] = [
  /\b(X-[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*)\b/i,
  new RegExp(`["'\`]?\\b(${name})["'\`]? (?:request )?header\\b`, 'i'),
  new RegExp(`\\bheader:? (?:named |called )?["'\`]?(${name})\\b`, 'i'),
  /\b(Authorization)\b/,
];

function headerNamed(said: string): string | undefined {
  for (const pattern of namedPatterns) {
    const found = pattern.exec(said)?.[1];
    if (found !== undefined && isKeyHeader(found)) return found;
  }
  return undefined;
}

/** Whether a header may contain an API key. A response must not make MCP Deck suggest any other header. */
export function isKeyHeader(header: string): boolean {
  return (
    /^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(header) &&
    /key|token|auth|secret|credential|pat$/i.test(header) &&
    !/^(?:proxy|sec|mcp|content|access-control|www|set)-/i.test(header)
  );
}

/** What a message on the wire is, read from its JSON (JSON-RPC 2.0 sections 4 to 6). */
import { parseExact } from '../base/exactNumbers.js';
import { isObject } from '../base/guards.js';
import type { RequestId } from '../protocol/jsonRpc.js';

export type Direction = 'sent' | 'received';

/**
 * `invalid`: not JSON, or JSON that is no JSON-RPC 2.0 message. `note`: none at all; the connection opened or closed,
 * or a request ended without an answer.
 */
type MessageKind = 'request' | 'response' | 'notification' | 'invalid' | 'note';

/** One line of a trace. */
export interface TraceEntry {
  /** Grows by one from line to line; never used again. */
  readonly seq: number;
  /** Milliseconds since the epoch, with fractions. */
  readonly at: number;
  readonly direction: Direction;
  readonly kind: MessageKind;
  readonly id?: RequestId | undefined;
  /** Of a response the method of its request, where that is known. */
  readonly method?: string | undefined;
  /** An error response, or a tool's result that says so itself. */
  readonly isError: boolean;
  /** The message, or its beginning. */
  readonly text: string;
  /** Of the whole message, in bytes of UTF-8; of a very long one in characters. */
  readonly size: number;
  /** Of what came from a file and is no line of a trace: where it stands there, from 1. */
  readonly fileLine?: number | undefined;
  /** Characters that `text` leaves out. */
  readonly cut: number;
  /** Of the HTTP response that a message came with. */
  readonly status?: number | undefined;
  /** The protocol's own HTTP headers of a message that was sent, and of the response that one came with. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The request of this response or note, or what ended this request. */
  pair?: number | undefined;
  /** Of a response: milliseconds since its request. */
  latencyMs?: number | undefined;
  /** Of a request: its response is an error. */
  hasFailed?: boolean | undefined;
  /** Of a request: its connection ended before an answer came. */
  isLost?: boolean | undefined;
}

/** The lines of a trace that are held, by number. */
export interface TraceLines {
  /** The oldest line that is held. */
  readonly first: number;
  /** One after the newest line. */
  readonly end: number;
  /** Undefined for a line that is forgotten or has not come. */
  get(seq: number): TraceEntry | undefined;
}

export type MessageFacts = Pick<TraceEntry, 'kind' | 'id' | 'method' | 'isError'>;

/** Reads what a parsed message is; anything that is none is `invalid`. */
export function messageFacts(message: unknown): MessageFacts {
  if (!isObject(message) || message['jsonrpc'] !== '2.0') return invalid;
  const { id, method } = message;
  const isId = typeof id === 'string' || typeof id === 'number';
  if (typeof method === 'string') {
    if (id === undefined) return { kind: 'notification', method, isError: false };
    return isId ? { kind: 'request', id, method, isError: false } : invalid;
  }
  if (method !== undefined || 'result' in message === 'error' in message) return invalid;
  if ('error' in message) return { kind: 'response', ...(isId ? { id } : {}), isError: true };
  if (!isId) return invalid;
  const { result } = message;
  return { kind: 'response', id, isError: isObject(result) && result['isError'] === true };
}

const invalid: MessageFacts = { kind: 'invalid', isError: true };

/** An object or a list that stands there as JSON; undefined for anything else. */
export function parsed(text: string): unknown {
  try {
    const value = parseExact(text);
    return Array.isArray(value) || isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Determines the kind of a message on the wire from its JSON (JSON-RPC 2.0, sections 4 to 6). */
import { parseExact } from '../base/exactNumbers.js';
import { isObject } from '../base/guards.js';
import type { RequestId } from '../protocol/jsonRpc.js';

export type Direction = 'sent' | 'received';

/**
 * `invalid` is text that is not JSON or not a JSON-RPC 2.0 message. `note` is not a message but an event: the
 * connection opened or closed, or a request ended without a response.
 */
type MessageKind = 'request' | 'response' | 'notification' | 'invalid' | 'note';

/** One line of a trace. */
export interface TraceEntry {
  /** The number of the line. It increases by one with each line and is never reused. */
  readonly seq: number;
  /** Milliseconds since the epoch, with fractions. */
  readonly at: number;
  readonly direction: Direction;
  readonly kind: MessageKind;
  readonly id?: RequestId | undefined;
  /** For a response or a note, the method of its request, if known. */
  readonly method?: string | undefined;
  /** True for an error response, a tool result with `isError`, an invalid message, and a note about a failure. */
  readonly isError: boolean;
  /** The text of the message, or its beginning. */
  readonly text: string;
  /** Size of the whole message, in bytes of UTF-8. For a very long message, in characters. */
  readonly size: number;
  /** For a line of a file that is not a line of a trace: its line number in the file, starting at 1. */
  readonly fileLine?: number | undefined;
  /** Number of characters of the message that `text` does not contain. */
  readonly cut: number;
  /** The status of the HTTP response that contained the message. */
  readonly status?: number | undefined;
  /** The protocol's own HTTP headers of a sent message, or of the response that contained the message. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** For a response or a note, the line of its request; for a request, the line that ended it. */
  pair?: number | undefined;
  /** For a response or a note, the milliseconds since its request. */
  latencyMs?: number | undefined;
  /** For a request: whether the line that ended it is an error. */
  hasFailed?: boolean | undefined;
  /** For a request: whether its connection ended before the response arrived. */
  isLost?: boolean | undefined;
}

/** The lines of a trace that were not dropped, by their numbers. */
export interface TraceLines {
  /** The number of the oldest of these lines. */
  readonly first: number;
  /** One more than the number of the newest line. */
  readonly end: number;
  /** The line with this number; undefined if it was dropped or does not exist yet. */
  get(seq: number): TraceEntry | undefined;
}

export type MessageFacts = Pick<TraceEntry, 'kind' | 'id' | 'method' | 'isError'>;

/** Classifies a parsed message; anything that is not a message is `invalid`. */
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

/** The object or array that the JSON text contains; undefined for anything else. */
export function parsed(text: string): unknown {
  try {
    const value = parseExact(text);
    return Array.isArray(value) || isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

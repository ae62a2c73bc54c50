import { compactJson } from '../base/jsonTokens.js';
import type { RequestId } from '../protocol/jsonRpc.js';
import type { MessageTap } from './messageTap.js';
import type { TraceLog } from './traceLog.js';
import type { Direction, MessageFacts } from './traceMessage.js';
import { messageFacts, parsed } from './traceMessage.js';

const maxHeaderLength = 1_000;
const shownHeaders = ['content-type', 'mcp-session-id', 'mcp-protocol-version', 'retry-after'];
/** Number of characters of a sent message in which its ID and method are searched before the whole text is parsed. */
const maxHeadLength = 1_000;
/**
 * Matches the beginning of messages that the host sends. The rest of a request may be megabytes long, and need not be
 * parsed to find the method.
 */
const sentHead =
  /^\{"jsonrpc":"2\.0",(?:"id":(-?\d+(?:\.\d+)?|"(?:[^"\\]|\\.)*"),?)?(?:"method":"([^"\\]*)"|"(result|error)":)/;

/** Records the messages on the wire of one server in its log. */
export class TraceRecorder implements MessageTap {
  /** @param now returns milliseconds since the epoch. */
  constructor(
    private readonly log: TraceLog,
    private readonly now: () => number = () => performance.timeOrigin + performance.now(),
  ) {}

  opened(kind: string): void {
    this.log.forgetOpen();
    this.add('sent', { kind: 'note', isError: false }, `opened ${kind}`);
  }

  closed(reason: string | undefined): void {
    this.log.forgetOpen();
    this.add(
      'received',
      { kind: 'note', isError: reason !== undefined },
      reason === undefined ? 'closed' : `closed: ${reason}`,
    );
  }

  sent(text: string, headers: Record<string, string>): void {
    this.each(text, text.startsWith('[') ? parsed(text) : undefined, (message, part) => {
      const facts = message === undefined ? sentFacts(part) : messageFacts(message);
      this.add('sent', facts, part, Object.keys(headers).length > 0 ? headers : undefined);
    });
  }

  received(message: unknown, text: string | undefined, exchange?: Parameters<MessageTap['received']>[2]): void {
    const http = exchange && { status: exchange.status, headers: headersOf(exchange.headers) };
    this.each(text, message, (one, part) => this.add('received', messageFacts(one), part, http?.headers, http?.status));
  }

  unanswered(id: RequestId, reason: string | undefined): void {
    this.add(
      'received',
      { kind: 'note', id, isError: reason !== undefined },
      reason === undefined ? 'cancelled' : `no answer: ${reason}`,
    );
  }

  unreadable(text: string): void {
    this.add('received', { kind: 'invalid', isError: true }, text);
  }

  /** Adds a message. The members of a batch are added one by one, each with its own text. */
  private each(text: string | undefined, message: unknown, add: (message: unknown, text: string) => void): void {
    if (Array.isArray(message) && message.length > 0)
      for (const one of message as unknown[]) add(one, compactJson(one));
    else add(message, text ?? compactJson(message));
  }

  private add(
    direction: Direction,
    facts: MessageFacts,
    text: string,
    headers?: Record<string, string>,
    status?: number,
  ): void {
    const { kind, id, method, isError } = facts;
    this.log.add({ at: this.now(), direction, kind, id, method, isError, text, headers, status });
  }
}

/** The headers that MCP itself uses over HTTP. */
export function headersOf(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> | undefined {
  let shown: Record<string, string> | undefined;
  for (const name of shownHeaders) {
    const value = headers[name];
    if (value !== undefined) (shown ??= {})[name] = String(value).slice(0, maxHeaderLength);
  }
  return shown;
}

/** Classifies a message that the host sends. */
export function sentFacts(text: string): MessageFacts {
  // An ID of a server may be megabytes long, which a regular expression cannot match.
  const head = sentHead.exec(text.slice(0, maxHeadLength));
  if (!head) return messageFacts(parsed(text));
  const [, idText, method, outcome] = head;
  const id = idText === undefined ? undefined : (JSON.parse(idText) as string | number);
  if (method !== undefined)
    return id === undefined
      ? { kind: 'notification', method, isError: false }
      : { kind: 'request', id, method, isError: false };
  return { kind: 'response', ...(id === undefined ? {} : { id }), isError: outcome === 'error' };
}

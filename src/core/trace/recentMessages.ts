import { compactJson } from '../base/jsonTokens.js';
import type { RequestId } from '../protocol/jsonRpc.js';
import type { MessageTap } from './messageTap.js';
import type { TraceLog } from './traceLog.js';
import { bounded, boundedFacts } from './traceLog.js';
import type { Direction, MessageFacts } from './traceMessage.js';
import { messageFacts, parsed } from './traceMessage.js';
import { headersOf, sentFacts, TraceRecorder } from './traceRecorder.js';

/** Maximum number of messages that are kept. */
const maxMessages = 200;
/** Maximum number of characters of all messages, and of one message. */
const maxCharacters = 512 << 10;
const maxTextLength = 64 << 10;

type Exchange = Parameters<MessageTap['received']>[2];

interface Held {
  event: keyof MessageTap;
  at: number;
  text: string;
  direction: Direction;
  headers: Record<string, string> | undefined;
  status: number | undefined;
  id: RequestId | undefined;
  /** Number of characters that the message keeps in memory. */
  cost: number;
  /** Present if `text` is only the beginning of the message, from which its facts cannot be determined later. */
  cut: { facts: MessageFacts; length: number } | undefined;
}

/**
 * The latest messages of a server that is not traced, so that a trace can begin with earlier messages. Messages are
 * only stored in a ring buffer, because this code runs for every message of every server. They are parsed when a trace
 * starts. A long message is parsed at once, because only its beginning is kept.
 */
export class RecentMessages implements MessageTap {
  private readonly ring: (Held | undefined)[] = new Array<Held | undefined>(maxMessages).fill(undefined);
  private first = 0;
  private end = 0;
  private characters = 0;

  constructor(private readonly now: () => number = () => performance.timeOrigin + performance.now()) {}

  opened(kind: string): void {
    this.hold('opened', 'sent', kind);
  }

  closed(reason: string | undefined): void {
    this.hold('closed', 'received', reason ?? '');
  }

  sent(text: string, headers: Record<string, string>): void {
    this.hold('sent', 'sent', text, undefined, headers);
  }

  received(message: unknown, text: string | undefined, exchange?: Exchange): void {
    const headers = exchange && headersOf(exchange.headers);
    this.hold('received', 'received', text ?? compactJson(message), message, headers, exchange?.status);
  }

  unanswered(id: RequestId, reason: string | undefined): void {
    this.hold('unanswered', 'received', reason ?? '', undefined, undefined, undefined, id);
  }

  unreadable(text: string): void {
    this.hold('unreadable', 'received', text);
  }

  /** Moves the kept messages to a log, with their times. */
  moveTo(log: TraceLog): void {
    let at = 0;
    const recorder = new TraceRecorder(log, () => at);
    while (this.first < this.end) {
      const held = this.dropFirst();
      if (!held) continue;
      at = held.at;
      replay(held, recorder, log);
    }
  }

  private hold(
    event: keyof MessageTap,
    direction: Direction,
    text: string,
    message?: unknown,
    headers?: Record<string, string>,
    status?: number,
    id?: RequestId,
  ): void {
    const { length } = text;
    const cut =
      length <= maxTextLength
        ? undefined
        : { facts: boundedFacts(message === undefined ? sentFacts(text) : messageFacts(message)), length };
    const kept = cut ? bounded(text, maxTextLength) : text;
    if (this.end - this.first === maxMessages) this.dropFirst();
    const cost = costOf(kept, headers, cut?.facts);
    this.ring[this.end++ % maxMessages] = {
      event,
      at: this.now(),
      text: kept,
      direction,
      headers,
      status,
      id,
      cost,
      cut,
    };
    this.characters += cost;
    while (this.characters > maxCharacters) this.dropFirst();
  }

  private dropFirst(): Held | undefined {
    const at = this.first++ % maxMessages;
    const held = this.ring[at];
    this.ring[at] = undefined;
    if (held) this.characters -= held.cost;
    return held;
  }
}

/** Number of characters that a message keeps in memory. */
function costOf(
  { length }: string,
  headers: Record<string, string> | undefined,
  facts: MessageFacts | undefined,
): number {
  let cost = length;
  if (headers) for (const name of Object.keys(headers)) cost += name.length + (headers[name]?.length ?? 0);
  if (facts) for (const fact of [facts.id, facts.method]) cost += typeof fact === 'string' ? fact.length : 0;
  return cost;
}

function replay(
  { event, at, text, direction, headers, status, id, cut }: Held,
  to: TraceRecorder,
  log: TraceLog,
): void {
  const reason = text === '' ? undefined : text;
  if (cut)
    log.add({
      at,
      direction,
      ...(event === 'unreadable' ? { kind: 'invalid', isError: true } : cut.facts),
      text,
      headers,
      status,
      size: cut.length,
      cut: cut.length - text.length,
    });
  else if (event === 'received')
    to.received(parsed(text), text, status === undefined ? undefined : { status, headers: headers ?? {} });
  else if (event === 'sent') to.sent(text, headers ?? {});
  else if (event === 'opened') to.opened(text);
  else if (event === 'closed') to.closed(reason);
  else if (event === 'unanswered') to.unanswered(id ?? 0, reason);
  else to.unreadable(text);
}

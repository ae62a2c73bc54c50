/**
 * The messages of one server, the latest of them: a ring that forgets its oldest lines when it is full, by number or by
 * bytes. Requests and responses find each other by id, both ways, as long as both are held and on one connection.
 */
import { Emitter } from '../base/event.js';
import type { RequestId } from '../protocol/jsonRpc.js';
import { Redactor } from './redactor.js';
import type { SchemaOfTool } from './traceSecrets.js';
import { TraceSecrets } from './traceSecrets.js';
import type { Direction, MessageFacts, TraceEntry } from './traceMessage.js';

export interface TraceLimits {
  /** Lines held; default 100,000. */
  maxEntries?: number;
  /** Characters held in all, with what a line itself takes; default 64 Mi. */
  maxBytes?: number;
  /** Characters kept of one message; default 64 Ki. */
  maxTextLength?: number;
}

/** What a line takes besides its text, about. */
const entryBytes = 250;
/** Characters of a method and of an id in text that are kept. */
const maxNameLength = 200;
/** Methods in the list to choose from. */
const maxMethods = 100;
/** Lines after which secrets are looked for, before the ring forgets where they were given. */
const linesPerLook = 5_000;
/** From here on the size is counted in characters: bytes would have to be counted one by one. */
const exactLength = 1 << 20;

export type NewEntry = MessageFacts &
  Pick<TraceEntry, 'at' | 'direction' | 'headers' | 'status' | 'fileLine'> & {
    text: string;
    size?: number;
    cut?: number;
  };

export class TraceLog {
  private readonly changes = new Emitter<void>();
  /** Fired with every line: listeners note that something changed and look later. */
  readonly onDidChange = this.changes.event;
  /** The methods that were seen, as far as there is room. */
  readonly methods = new Set<string>();
  private readonly entries: (TraceEntry | undefined)[] = [];
  private firstSeq = 0;
  private endSeq = 0;
  private clearedTo = 0;
  private heldBytes = 0;
  private readonly open: Record<Direction, Map<RequestId, number>> = { sent: new Map(), received: new Map() };
  private readonly secrets: TraceSecrets;
  private made: { redactor: Redactor; key: string } | undefined;
  private readonly maxEntries: number;
  private readonly maxBytes: number;
  private readonly maxTextLength: number;

  constructor(limits: TraceLimits = {}, schemaOf?: SchemaOfTool) {
    this.secrets = new TraceSecrets(this, schemaOf);
    this.maxEntries = limits.maxEntries ?? 100_000;
    this.maxBytes = limits.maxBytes ?? 64 << 20;
    this.maxTextLength = limits.maxTextLength ?? 64 << 10;
  }

  /** Lines that had to make room since the last `clear`. */
  get forgotten(): number {
    return this.firstSeq - this.clearedTo;
  }

  /** The oldest line that is held. */
  get first(): number {
    return this.firstSeq;
  }

  /** One after the newest line. */
  get end(): number {
    return this.endSeq;
  }

  get bytes(): number {
    return this.heldBytes;
  }

  /** Undefined for a line that is forgotten or has not come. */
  get(seq: number): TraceEntry | undefined {
    return seq >= this.firstSeq && seq < this.endSeq ? this.entries[seq % this.maxEntries] : undefined;
  }

  /** Leaves out these secrets and those that the messages themselves mark, in every message of this trace. */
  redactor(secrets: readonly string[]): Redactor {
    this.secrets.update();
    const key = JSON.stringify([this.secrets.version, secrets]);
    if (this.made?.key !== key)
      this.made = { key, redactor: new Redactor([...secrets, ...this.secrets.values], this.secrets) };
    return this.made.redactor;
  }

  add(line: NewEntry): TraceEntry {
    const entry = new Line(line, this.endSeq, this.maxTextLength);
    this.pair(entry);
    if (entry.method !== undefined && this.methods.size < maxMethods) this.methods.add(entry.method);
    while (this.endSeq - this.firstSeq >= this.maxEntries) this.forgetOldest();
    this.entries[this.endSeq++ % this.maxEntries] = entry;
    this.heldBytes += costOf(entry);
    if (this.endSeq % Math.min(linesPerLook, this.maxEntries) === 0) this.secrets.update();
    while (this.heldBytes > this.maxBytes && this.endSeq - this.firstSeq > 1) this.forgetOldest();
    this.changes.fire();
    return entry;
  }

  /** Ids start anew: nothing that is open is answered any more. */
  forgetOpen(): void {
    for (const open of [this.open.sent, this.open.received]) for (const seq of open.values()) this.lose(this.get(seq));
    this.open.sent.clear();
    this.open.received.clear();
  }

  /** Forgets every line; their numbers are not used again. */
  clear(): void {
    this.entries.fill(undefined);
    this.firstSeq = this.endSeq;
    this.clearedTo = this.endSeq;
    this.methods.clear();
    this.heldBytes = 0;
    this.forgetOpen();
    this.changes.fire();
  }

  /** Forgets the oldest line, where there is one. */
  forgetOldest(): void {
    const entry = this.get(this.firstSeq);
    if (!entry) return;
    this.entries[this.firstSeq++ % this.maxEntries] = undefined;
    this.heldBytes -= costOf(entry);
    const { id } = entry;
    if (entry.kind === 'request' && id !== undefined && this.open[entry.direction].get(id) === entry.seq)
      this.open[entry.direction].delete(id);
  }

  private lose(request: TraceEntry | undefined): void {
    if (request && request.pair === undefined) request.isLost = true;
  }

  private pair(entry: Line): void {
    const { kind, id, direction } = entry;
    if (id === undefined) return;
    if (kind === 'request') this.open[direction].set(id, entry.seq);
    if (kind !== 'response' && kind !== 'note') return;
    const requests = this.open[direction === 'sent' ? 'received' : 'sent'];
    const request = this.get(requests.get(id) ?? -1);
    if (!request) return;
    // What nobody waits for any more may still be answered.
    if (kind === 'response') requests.delete(id);
    request.pair = entry.seq;
    request.hasFailed = entry.isError;
    entry.method = request.method;
    entry.pair = request.seq;
    entry.latencyMs = Math.max(0, entry.at - request.at);
  }
}

/** One object for each message, with all of its members from the beginning: thousands come each second. */
class Line implements TraceEntry {
  readonly at: number;
  readonly direction: Direction;
  readonly kind: TraceEntry['kind'];
  readonly id: RequestId | undefined;
  method: string | undefined;
  readonly isError: boolean;
  readonly text: string;
  readonly size: number;
  readonly cut: number;
  readonly status: number | undefined;
  readonly fileLine: number | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
  pair: number | undefined = undefined;
  latencyMs: number | undefined = undefined;
  hasFailed: boolean | undefined = undefined;
  isLost: boolean | undefined = undefined;

  constructor(
    { at, direction, kind, id, method, isError, text, size, cut = 0, status, fileLine, headers }: NewEntry,
    readonly seq: number,
    maxTextLength: number,
  ) {
    this.at = at;
    this.direction = direction;
    this.kind = kind;
    this.id = typeof id === 'string' ? bounded(id, maxNameLength) : id;
    this.method = method === undefined ? undefined : bounded(method, maxNameLength);
    this.isError = isError;
    this.text = bounded(text, maxTextLength);
    this.size = size ?? (text.length > exactLength ? text.length : Buffer.byteLength(text));
    this.cut = cut + Math.max(0, text.length - maxTextLength);
    this.status = status;
    this.fileLine = fileLine;
    this.headers = headers;
  }
}

function costOf({ text }: TraceEntry): number {
  return text.length + entryBytes;
}

/** A copy of its own: a slice would keep the whole text alive behind it. */
function bounded(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : Buffer.from(text.slice(0, maxLength), 'utf16le').toString('utf16le');
}

/**
 * The latest messages of one server, in a ring buffer that drops its oldest lines when the limit of lines or characters
 * is reached. Requests and responses are paired by ID in both directions, as long as the log contains both and they
 * belong to the same connection.
 */
import { Emitter } from '../base/event.js';
import type { RequestId } from '../protocol/jsonRpc.js';
import { Redactor } from './redactor.js';
import type { SecretsOfTool } from './toolSecrets.js';
import { TraceSecrets } from './traceSecrets.js';
import type { Direction, MessageFacts, TraceEntry } from './traceMessage.js';

export interface TraceLimits {
  /** Maximum number of lines; default 100,000. */
  maxEntries?: number;
  /** Maximum number of characters, including the overhead of each line; default 64 Mi. */
  maxCharacters?: number;
  /** Maximum number of characters of one message; default 64 Ki. */
  maxTextLength?: number;
}

/** Approximate size of a line without its text, in characters. */
const entryCharacters = 250;
/** Maximum length of a method name or a text ID, in characters. */
const maxNameLength = 200;
/** Maximum number of methods in the filter's list. */
const maxMethods = 100;
/**
 * Number of added lines after which their secrets are collected. It is limited, because the ring buffer may drop the
 * lines that contain them.
 */
const linesPerLook = 5_000;
/**
 * Maximum length of a text whose size is counted in bytes. The size of a longer text is counted in characters, because
 * counting bytes requires a pass over the text.
 */
const exactLength = 1 << 20;

export type NewEntry = MessageFacts &
  Pick<TraceEntry, 'at' | 'direction' | 'headers' | 'status' | 'fileLine'> & {
    text: string;
    size?: number;
    cut?: number;
  };

export class TraceLog {
  private readonly changes = new Emitter<void>();
  /** Fired for every line. Listeners should only record that there is a change, and read the lines later. */
  readonly onDidChange = this.changes.event;
  /** The methods seen so far, up to a limit. */
  readonly methods = new Set<string>();
  private readonly entries: (TraceEntry | undefined)[] = [];
  private firstSeq = 0;
  private endSeq = 0;
  private clearedTo = 0;
  private heldCharacters = 0;
  private readonly open: Record<Direction, Map<RequestId, number>> = { sent: new Map(), received: new Map() };
  private readonly secrets: TraceSecrets;
  private made: { redactor: Redactor; key: string } | undefined;
  private readonly maxEntries: number;
  private readonly maxCharacters: number;
  private readonly maxTextLength: number;

  constructor(limits: TraceLimits = {}, secretsOf?: SecretsOfTool) {
    this.secrets = new TraceSecrets(this, secretsOf);
    this.maxEntries = limits.maxEntries ?? 100_000;
    this.maxCharacters = limits.maxCharacters ?? 64 << 20;
    this.maxTextLength = limits.maxTextLength ?? 64 << 10;
  }

  /** Number of lines that were dropped because of a limit since the last `clear`. */
  get forgotten(): number {
    return this.firstSeq - this.clearedTo;
  }

  /** The number of the oldest line in the log. */
  get first(): number {
    return this.firstSeq;
  }

  /** One more than the number of the newest line. */
  get end(): number {
    return this.endSeq;
  }

  /** The size of the lines, including the overhead of each line, in characters. */
  get characters(): number {
    return this.heldCharacters;
  }

  /** The line with this number; undefined if it was dropped or does not exist yet. */
  get(seq: number): TraceEntry | undefined {
    return seq >= this.firstSeq && seq < this.endSeq ? this.entries[seq % this.maxEntries] : undefined;
  }

  /**
   * A redactor that masks these secrets, and the secrets that the messages themselves mark, in every message of this
   * trace.
   */
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
    this.heldCharacters += costOf(entry);
    if (this.endSeq % Math.min(linesPerLook, this.maxEntries) === 0) this.secrets.update();
    while (this.heldCharacters > this.maxCharacters && this.endSeq - this.firstSeq > 1) this.forgetOldest();
    this.changes.fire();
    return entry;
  }

  /**
   * Forgets the requests and forms without a response. Called when request IDs start again, so that later responses do
   * not match them.
   */
  forgetOpen(): void {
    for (const open of [this.open.sent, this.open.received]) for (const seq of open.values()) this.lose(this.get(seq));
    this.open.sent.clear();
    this.open.received.clear();
    this.secrets.forgetForms();
  }

  /** Drops all lines. Their numbers are not reused. */
  clear(): void {
    this.entries.fill(undefined);
    this.firstSeq = this.endSeq;
    this.clearedTo = this.endSeq;
    this.methods.clear();
    this.heldCharacters = 0;
    this.forgetOpen();
    this.changes.fire();
  }

  /** Drops the oldest line, if there is one. */
  forgetOldest(): void {
    const entry = this.get(this.firstSeq);
    if (!entry) return;
    if (this.secrets.readTo <= this.firstSeq) this.secrets.update();
    this.entries[this.firstSeq++ % this.maxEntries] = undefined;
    this.heldCharacters -= costOf(entry);
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
    // A request that its caller gave up may still be answered, so it stays in the table.
    if (kind === 'response') requests.delete(id);
    request.pair = entry.seq;
    request.hasFailed = entry.isError;
    entry.method = request.method;
    entry.pair = request.seq;
    entry.latencyMs = Math.max(0, entry.at - request.at);
  }
}

/**
 * One object per message. It is created with all members for speed, because thousands of messages may arrive each
 * second.
 */
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
    this.id = boundedId(id);
    this.method = boundedMethod(method);
    this.isError = isError;
    this.text = bounded(text, maxTextLength);
    this.size = size ?? (text.length > exactLength ? text.length : Buffer.byteLength(text));
    this.cut = cut + Math.max(0, text.length - maxTextLength);
    this.status = status;
    this.fileLine = fileLine;
    this.headers = headers;
  }
}

function costOf({ text, id, method, headers }: TraceEntry): number {
  let cost = text.length + entryCharacters + (method?.length ?? 0) + (typeof id === 'string' ? id.length : 0);
  if (headers) for (const [name, value] of Object.entries(headers)) cost += name.length + value.length;
  return cost;
}

/** The facts with the ID and the method cut to the length that a trace keeps. */
export function boundedFacts(facts: MessageFacts): MessageFacts {
  return { ...facts, id: boundedId(facts.id), method: boundedMethod(facts.method) };
}

function boundedId(id: RequestId | undefined): RequestId | undefined {
  return typeof id === 'string' ? bounded(id, maxNameLength) : id;
}

function boundedMethod(method: string | undefined): string | undefined {
  return method === undefined ? undefined : bounded(method, maxNameLength);
}

/** The text, cut to `maxLength`. The cut text is a copy, because a slice would keep the whole original in memory. */
export function bounded(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : Buffer.from(text.slice(0, maxLength), 'utf16le').toString('utf16le');
}

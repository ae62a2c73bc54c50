import type { Clock } from '../base/clock.js';
import { systemClock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { Emitter } from '../base/event.js';
import { maskText } from '../base/masking.js';
import type { Audit, AuditRecord } from './audit.js';

/** A line of the file. */
type AuditEntry = AuditRecord & { /** The time of the record, in ISO 8601. */ at: string };

/** The file that lines are written to. */
export interface AuditFile {
  /** Appends text. Resolves to the size of the file in bytes. */
  append(text: string): Promise<number>;
  /** Renames the file to the name of the older file, which it replaces. */
  rotate(): Promise<void>;
}

/** Size limit of one file, bytes. Together with the older file, the log takes up to twice this size. */
const maxFileBytes = 1024 * 1024;
/** Maximum number of characters in one write. */
const maxPiece = 32 * 1024;
/** Delay before a retry after a failed write, ms. */
const retryMs = 30_000;
/**
 * Pause between two writes, ms, so that a series of calls needs few writes. If the process is killed, at most the
 * records of this time are lost.
 */
const pauseMs = 50;
const maxArguments = 2_000;
/** Limits of a record: maximum number of characters of a text, and of items of a list. */
const maxText = 3_000;
const maxItems = 100;

export interface AuditLogOptions {
  /** Size limit of one file, bytes; default 1 MiB. */
  maxBytes?: number;
  /** Returns epoch milliseconds; default: the system clock. */
  now?: () => number;
  /** Maximum number of characters that wait while the file cannot be written; default 4 Mi. */
  maxWaiting?: number;
  clock?: Clock;
}

/**
 * Maximum number of characters that wait while the file cannot be written. Above this limit, the oldest records are
 * dropped and only counted.
 */
const maxWaiting = 4 * 1024 * 1024;

/**
 * Writes one JSON line per record, in order. Records of one turn of the event loop are written together, and 50 ms pass
 * between two writes unless a caller of `flushed` waits. A failed write does not stop any work. It is reported once,
 * and the records wait in memory for the next successful write. If too many wait, the oldest are dropped and a record
 * states their number.
 */
export class AuditLog implements Audit, Disposable {
  private readonly wrote = new Emitter<void>();
  /** Fired after the file has grown. */
  readonly onDidWrite = this.wrote.event;
  private writing: Promise<void> | undefined;
  /** The pause after a write. */
  private pause: Disposable | undefined;
  /** Whether records were added since the last write took its lines. */
  private hasNew = false;
  private isDisposed = false;
  private hasFailed = false;
  /** Lines that are not in the file yet, oldest first. */
  private waiting: string[] = [];
  private waitingLength = 0;
  private leftOut = 0;
  private retry: Disposable | undefined;
  private readonly clock: Clock;
  private readonly maxWaiting: number;
  private readonly maxBytes: number;
  private readonly now: () => number;

  constructor(
    private readonly file: AuditFile,
    private readonly onFailure: (error: unknown) => void,
    {
      maxBytes = maxFileBytes,
      now = Date.now,
      maxWaiting: limit = maxWaiting,
      clock = systemClock,
    }: AuditLogOptions = {},
  ) {
    this.maxWaiting = limit;
    this.clock = clock;
    this.maxBytes = maxBytes;
    this.now = now;
  }

  note(record: AuditRecord, secrets: readonly string[] = []): void {
    const entry: AuditEntry = { ...record, at: new Date(this.now()).toISOString() };
    const line = `${JSON.stringify(entry, (_key, value: unknown) => bounded(value, secrets))}\n`;
    this.waiting.push(line);
    this.waitingLength += line.length;
    this.hasNew = true;
    this.dropOldest();
    if (!this.pause) this.startWriting();
  }

  private startWriting(): void {
    this.writing ??= this.write();
  }

  /** Writes all waiting lines piece by piece, until a write fails. */
  private async write(): Promise<void> {
    // Waits until the end of this turn of the event loop, so that its other records are written together with this one.
    await Promise.resolve();
    try {
      while (this.waiting.length > 0 && (await this.writePiece()));
    } finally {
      this.writing = undefined;
      this.startPause();
    }
  }

  private startPause(): void {
    this.pause?.dispose();
    if (this.isDisposed) return;
    this.pause = this.clock.after(pauseMs, () => {
      this.pause = undefined;
      if (this.hasNew) this.startWriting();
    });
  }

  private async writePiece(): Promise<boolean> {
    const { leftOut } = this;
    const lost: AuditEntry = { event: 'records-lost', count: leftOut, at: new Date(this.now()).toISOString() };
    const lines = this.takePiece();
    let size: number;
    try {
      size = await this.file.append((leftOut > 0 ? `${JSON.stringify(lost)}\n` : '') + lines.join(''));
    } catch (error) {
      // Returned to the front of the list, because lines added in the meantime are newer.
      this.waiting.unshift(...lines);
      this.waitingLength += lengthOf(lines);
      this.dropOldest();
      if (!this.hasFailed) this.onFailure(error);
      this.hasFailed = true;
      this.tryLater();
      return false;
    }
    this.leftOut -= leftOut;
    this.hasFailed = false;
    this.wrote.fire();
    // If the rotation fails, no record is lost, but the file is larger than its limit.
    if (size > this.maxBytes) await this.file.rotate().catch((error: unknown) => this.onFailure(error));
    return true;
  }

  /** Takes the oldest lines, at least one. */
  private takePiece(): string[] {
    this.hasNew = false;
    const most = Math.min(maxPiece, this.maxBytes / 4);
    let count = 1;
    for (let length = this.waiting[0]?.length ?? 0; count < this.waiting.length; count++) {
      length += this.waiting[count]?.length ?? 0;
      if (length > most) break;
    }
    const lines = this.waiting.splice(0, count);
    this.waitingLength -= lengthOf(lines);
    return lines;
  }

  private dropOldest(): void {
    let dropped = 0;
    while (this.waitingLength > this.maxWaiting && dropped < this.waiting.length - 1)
      this.waitingLength -= this.waiting[dropped++]?.length ?? 0;
    if (dropped === 0) return;
    this.waiting.splice(0, dropped);
    this.leftOut += dropped;
  }

  /** Schedules a retry, because the disk may have room again even if no new record arrives. */
  private tryLater(): void {
    if (this.isDisposed) return;
    this.retry ??= this.clock.after(retryMs, () => {
      this.retry = undefined;
      this.startWriting();
    });
  }

  /** Resolves when all existing records are in the file or the write has failed. Writes at once, without a pause. */
  async flushed(): Promise<void> {
    if (this.waiting.length > 0) this.startWriting();
    await this.writing;
  }

  /** Starts to write the waiting lines without a pause; `flushed` resolves when that is done. */
  dispose(): void {
    this.isDisposed = true;
    if (this.waiting.length > 0) this.startWriting();
    this.retry?.dispose();
    this.pause?.dispose();
    this.wrote.dispose();
  }
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length, 0);
}

function bounded(value: unknown, secrets: readonly string[]): unknown {
  if (Array.isArray(value) && value.length > maxItems)
    return [...(value as unknown[]).slice(0, maxItems), `… (${value.length})`];
  if (typeof value !== 'string') return value;
  const masked = maskText(value, secrets);
  return masked.length > maxText ? `${masked.slice(0, maxText)}… (${masked.length} characters)` : masked;
}

/**
 * The arguments for a record: secret arguments are replaced by dots. The others are masked before the text is cut, so
 * that no part of a secret remains.
 */
export function auditArguments(
  values: Readonly<Record<string, unknown>>,
  omitted: ReadonlySet<string>,
  secrets: readonly string[],
): string {
  const shown = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, omitted.has(key) ? '•••' : value]),
  );
  let text: string;
  try {
    // Masks the texts before they become JSON, because JSON may escape characters of a secret.
    text = JSON.stringify(shown, (_key, value: unknown) =>
      typeof value === 'string' ? maskText(value, secrets) : value,
    );
  } catch {
    return '(cannot be written as JSON)';
  }
  return text.length > maxArguments ? `${text.slice(0, maxArguments)}… (${text.length} characters)` : text;
}

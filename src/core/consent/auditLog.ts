import type { Clock } from '../base/clock.js';
import { systemClock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { Emitter } from '../base/event.js';
import { maskText } from '../base/masking.js';
import type { Audit, AuditRecord } from './audit.js';

/** A line of the file. */
type AuditEntry = AuditRecord & { /** ISO 8601. */ at: string };

/** Where the lines go. */
export interface AuditFile {
  /** Adds text at the end; resolves with the size of the file in bytes. */
  append(text: string): Promise<number>;
  /** Makes the file the older one, in place of the one before. */
  rotate(): Promise<void>;
}

/** One file may grow to this; with the older one, the log takes twice that. Bytes. */
const maxFileBytes = 1024 * 1024;
/** Characters that are written at once. */
const maxPiece = 32 * 1024;
/** After a failure, when it is tried again; milliseconds. */
const retryMs = 30_000;
/**
 * Between two writes, so that a series of calls costs few of them. A process that is killed loses the records of this
 * time at most; milliseconds.
 */
const pauseMs = 50;
const maxArguments = 2_000;
/** Longest text of a record, in characters, and most items of a list. */
const maxText = 3_000;
const maxItems = 100;

export interface AuditLogOptions {
  /** Bytes; default 1 MiB. */
  maxBytes?: number;
  /** Epoch milliseconds; default the clock of the machine. */
  now?: () => number;
  /** Characters of records that wait while the file cannot be written; default 4 Mi. */
  maxWaiting?: number;
  clock?: Clock;
}

/**
 * Records that wait while the file cannot be written: so many characters. What is older than they are is counted
 * instead.
 */
const maxWaiting = 4 * 1024 * 1024;

/**
 * Writes one JSON line for each record, in order. Records of one turn are written together, and 50 ms pass between two writes
 * unless a caller of `flushed` waits. A log that cannot be written stops nothing; it is said once, the records wait in memory,
 * and they are written before the next one that the disk takes. Where more came than can wait, the oldest are left out and a
 * record says how many.
 */
export class AuditLog implements Audit, Disposable {
  private readonly wrote = new Emitter<void>();
  /** The file has grown. */
  readonly onDidWrite = this.wrote.event;
  private writing: Promise<void> | undefined;
  /** The time after a write in which no other one begins. */
  private pause: Disposable | undefined;
  /** Records were added after the last write took its lines. */
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

  /** All that waits, piece by piece, until the file refuses one. */
  private async write(): Promise<void> {
    // Records of the same turn are written together.
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
      // What came meanwhile is newer.
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
    // The records are safe where this fails; the file is only longer than it should be.
    if (size > this.maxBytes) await this.file.rotate().catch((error: unknown) => this.onFailure(error));
    return true;
  }

  /** The oldest lines, one at least. */
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

  /** The disk may have room again although nothing more is noted. */
  private tryLater(): void {
    if (this.isDisposed) return;
    this.retry ??= this.clock.after(retryMs, () => {
      this.retry = undefined;
      this.startWriting();
    });
  }

  /**
   * Resolves when all that was noted so far is in the file, or the file has refused it. Begins at once, without a
   * pause.
   */
  async flushed(): Promise<void> {
    if (this.waiting.length > 0) this.startWriting();
    await this.writing;
  }

  /** Writes what waits, without a pause; `flushed` tells when that is done. */
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

/** Arguments for a record: without the named ones, masked before they are cut so that no half of a secret is left. */
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
    // The texts themselves are masked, because JSON escapes what a secret may hold.
    text = JSON.stringify(shown, (_key, value: unknown) =>
      typeof value === 'string' ? maskText(value, secrets) : value,
    );
  } catch {
    return '(cannot be written as JSON)';
  }
  return text.length > maxArguments ? `${text.slice(0, maxArguments)}… (${text.length} characters)` : text;
}

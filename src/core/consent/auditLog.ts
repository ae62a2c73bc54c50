import type { Disposable } from '../base/disposable.js';
import { Emitter } from '../base/event.js';
import { maskText } from '../history/masking.js';
import type { Audit, AuditRecord } from './audit.js';

/** A line of the file. */
export type AuditEntry = AuditRecord & { /** ISO 8601. */ at: string };

/** Where the lines go. */
export interface AuditFile {
  /** Adds text at the end; resolves with the size of the file in bytes. */
  append(text: string): Promise<number>;
  /** Makes the file the older one, in place of the one before. */
  rotate(): Promise<void>;
}

/** One file may grow to this; with the older one, the log takes twice that. Bytes. */
const maxFileBytes = 1024 * 1024;
const maxArguments = 2_000;
/** Longest text of a record, in characters, and most items of a list. */
const maxText = 3_000;
const maxItems = 100;

export interface AuditLogOptions {
  /** Bytes; default 1 MiB. */
  maxBytes?: number;
  /** Epoch milliseconds; default the clock of the machine. */
  now?: () => number;
}

/** Writes one JSON line for each record, in order. A log that cannot be written stops nothing; it is said once. */
export class AuditLog implements Audit, Disposable {
  private readonly wrote = new Emitter<void>();
  /** The file has grown. */
  readonly onDidWrite = this.wrote.event;
  private writing: Promise<void> = Promise.resolve();
  private hasFailed = false;
  private readonly maxBytes: number;
  private readonly now: () => number;

  constructor(
    private readonly file: AuditFile,
    private readonly onFailure: (error: unknown) => void,
    { maxBytes = maxFileBytes, now = Date.now }: AuditLogOptions = {},
  ) {
    this.maxBytes = maxBytes;
    this.now = now;
  }

  note(record: AuditRecord, secrets: readonly string[] = []): void {
    const entry: AuditEntry = { ...record, at: new Date(this.now()).toISOString() };
    const line = `${JSON.stringify(entry, (_key, value: unknown) => bounded(value, secrets))}\n`;
    this.writing = this.writing.then(async () => {
      try {
        if ((await this.file.append(line)) > this.maxBytes) await this.file.rotate();
        this.wrote.fire();
      } catch (error) {
        if (!this.hasFailed) this.onFailure(error);
        this.hasFailed = true;
      }
    });
  }

  /** Resolves when all that was noted so far is in the file. */
  flushed(): Promise<void> {
    return this.writing;
  }

  dispose(): void {
    this.wrote.dispose();
  }
}

function bounded(value: unknown, secrets: readonly string[]): unknown {
  if (Array.isArray(value) && value.length > maxItems) return [...(value as unknown[]).slice(0, maxItems), `… (${value.length})`];
  if (typeof value !== 'string') return value;
  const masked = maskText(value, secrets);
  return masked.length > maxText ? `${masked.slice(0, maxText)}… (${masked.length} characters)` : masked;
}

/** Arguments for a record: without the named ones, masked before they are cut so that no half of a secret is left. */
export function auditArguments(values: Readonly<Record<string, unknown>>, omitted: ReadonlySet<string>, secrets: readonly string[]): string {
  const shown = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, omitted.has(key) ? '•••' : value]));
  let text: string;
  try {
    // The texts themselves are masked, because JSON escapes what a secret may hold.
    text = JSON.stringify(shown, (_key, value: unknown) => (typeof value === 'string' ? maskText(value, secrets) : value));
  } catch {
    return '(cannot be written as JSON)';
  }
  return text.length > maxArguments ? `${text.slice(0, maxArguments)}… (${text.length} characters)` : text;
}

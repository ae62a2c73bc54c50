import { maskText } from '../history/masking.js';
import type { Caller, Effect } from './rule.js';

/** What was decided or done about one call, or by the user about calls in general. Never holds secrets. */
export interface AuditEntry {
  /** Epoch milliseconds. */
  at: number;
  /** `call`: a decision and how the call ended. `sampling`: a server asked a language model. The others are what the user decided. */
  event: 'call' | 'sampling' | 'rule-added' | 'rule-removed' | 'change-accepted' | 'approvals-reset';
  caller?: Caller;
  server?: string;
  tool?: string;
  effect?: Effect;
  /** What decided: a rule, the caller's default, the user's answer, that the tool changed, or the sampling policy. */
  decidedBy?: 'rule' | 'default' | 'user' | 'quarantine' | 'policy';
  /** The rule in words. */
  rule?: string;
  /** Of sampling: the model that answered, the estimated tokens of its answer, or why the request was refused. */
  model?: string;
  tokens?: number;
  reason?: string;
  outcome?: 'ok' | 'tool-error' | 'failed' | 'cancelled' | 'refused';
  durationMs?: number;
  /** JSON text of the arguments, masked, its beginning. */
  arguments?: string;
}

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

/** Writes one JSON line for each entry, in order. A log that cannot be written stops no call; it is said once. */
export class AuditLog {
  private writing: Promise<void> = Promise.resolve();
  private hasFailed = false;

  constructor(
    private readonly file: AuditFile,
    private readonly onFailure: (error: unknown) => void,
    private readonly maxBytes = maxFileBytes,
  ) {}

  /** @param secrets masked wherever they stand in the entry. */
  write(entry: AuditEntry, secrets: readonly string[] = []): void {
    const line = `${JSON.stringify({ ...entry, at: new Date(entry.at).toISOString() }, (_key, value: unknown) => (typeof value === 'string' ? maskText(value, secrets) : value))}\n`;
    this.writing = this.writing.then(async () => {
      try {
        if ((await this.file.append(line)) > this.maxBytes) await this.file.rotate();
      } catch (error) {
        if (!this.hasFailed) this.onFailure(error);
        this.hasFailed = true;
      }
    });
  }

  /** Resolves when all that was written so far is in the file. */
  flushed(): Promise<void> {
    return this.writing;
  }
}

/** Arguments for an entry: without the named ones, masked before they are cut so that no half of a secret is left. */
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

/** The severities of a log line, lowest first; the same words as VS Code's log channels. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error';

/** A place to write lines for people. Never receives secrets: build lines from allowed fields. */
export interface Log {
  write(level: LogLevel, line: string): void;
}

/** Drops everything. */
export const nullLog: Log = { write: () => undefined };

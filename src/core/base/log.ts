/** The log levels, lowest first; the same names as in VS Code's log channels. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error';

/** Writes log lines. Must never receive secrets: build lines from allowed fields. */
export interface Log {
  write(level: LogLevel, line: string): void;
}

/** Discards all lines. */
export const nullLog: Log = { write: () => undefined };

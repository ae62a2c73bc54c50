import { fstatSync } from 'node:fs';
import { escapeHiddenInJson, shownText, visibleLine, visibleText } from '../core/base/hostileText.js';

/** Maximum length of a text of a server that a terminal shows, in characters. */
const maxShown = 100_000;

const codes = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const;
export type Style = keyof typeof codes;

export interface OutputOptions {
  isJson: boolean;
  /** False if `--no-color` is set. */
  mayColor: boolean;
  isVerbose: boolean;
  env: Readonly<Record<string, string | undefined>>;
}

/** The standard streams. Results go to stdout; questions, progress and failures go to stderr. */
export class Output {
  readonly isJson: boolean;
  readonly isVerbose: boolean;
  /** True if a user can answer: stdin and stderr are terminals, and `CI` is not set. */
  readonly isInteractive: boolean;
  private readonly hasColor: boolean;
  /**
   * Whether stdout is the log of a CI workflow, whose runner executes commands in the log. Output to a file is
   * unchanged.
   */
  private readonly isLog: boolean;
  private isProgressShown = false;

  constructor({ isJson, mayColor, isVerbose, env }: OutputOptions) {
    this.isJson = isJson;
    this.isVerbose = isVerbose;
    this.isInteractive = process.stdin.isTTY && process.stderr.isTTY && !isSet(env['CI']);
    this.isLog = (isSet(env['GITHUB_ACTIONS']) || isSet(env['TF_BUILD'])) && !isFile(process.stdout.fd);
    this.hasColor = mayColor && process.stdout.isTTY && !isSet(env['NO_COLOR']) && env['TERM'] !== 'dumb';
  }

  /** Writes lines to stdout. */
  line(text = ''): void {
    this.report(this.isLog ? withoutCommands(text) : text);
  }

  /** Writes lines of a report to stdout. The lines can be workflow commands. */
  report(text: string): void {
    this.clearProgress();
    process.stdout.write(`${text}\n`);
  }

  /** Writes lines to stderr. Their parts can be from servers and files, so hidden characters become visible. */
  note(text: string): void {
    this.clearProgress();
    const shown = visibleText(text, Number.MAX_SAFE_INTEGER).replace(/\r\n?/g, '\n');
    process.stderr.write(`${withoutCommands(shown)}\n`);
  }

  /** Writes a value to stdout as JSON. */
  json(value: unknown): void {
    this.report(safeJson(value));
  }

  style(text: string, style: Style): string {
    if (!this.hasColor) return text;
    const [on, off] = codes[style];
    return `\u001b[${on}m${text}\u001b[${off}m`;
  }

  /** A text of a server: exact in a pipe or file, and without control characters on a terminal. */
  ofServer(text: string): string {
    return process.stdout.isTTY ? shownText(text, maxShown) : text;
  }

  /** Shows the progress of a command on a terminal, in one line that the next output replaces. */
  progress(text: string): void {
    if (this.isJson || !process.stderr.isTTY) return;
    process.stderr.write(
      `\r\u001b[K${visibleLine(text, 500).slice(0, Math.max(20, (process.stderr.columns || 80) - 1))}`,
    );
    this.isProgressShown = true;
  }

  clearProgress(): void {
    if (!this.isProgressShown) return;
    process.stderr.write('\r\u001b[K');
    this.isProgressShown = false;
  }
}

/**
 * A text in which no CI workflow finds commands: GitHub reads `::name::` at the beginning of a line and `##[name]`
 * anywhere, and Azure Pipelines `##vso[name]`. The texts of servers can contain them.
 */
export function withoutCommands(text: string): string {
  // The line is split first, so that the search is linear. GitHub's runner treats U+0085 as whitespace.
  const lines = text.split(/([\n\r])/).map((line) => {
    const start = line.search(/[^\s\u0085]/);
    return line.startsWith('::', start) ? `${line.slice(0, start)}\\u{3a}${line.slice(start + 1)}` : line;
  });
  return lines.join('').replace(/##(?=\[|vso\[)/gi, '#\\u{23}');
}

/**
 * JSON in which hidden characters, and characters that begin commands of a workflow, are escapes. The parsed value is
 * the same.
 */
export function safeJson(value: unknown): string {
  const json = JSON.stringify(value, undefined, 2) ?? 'null';
  return escapeHiddenInJson(json).replace(/##(?=\[|vso\[)/gi, '#\\u0023');
}

function isFile(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isFile();
  } catch {
    return false;
  }
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '' && value !== 'false' && value !== '0';
}

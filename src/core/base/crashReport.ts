/**
 * Finds the reason that a process ended in its error output. Runtimes print the cause first and then a stack trace, a
 * version or advice, so the last line rarely contains the cause. Supports the crashes of Node.js, Bun, Deno, Python,
 * Go, Rust, .NET, Java and Ruby, and the messages of npm and uv. The output is untrusted: the work is linear and
 * everything returned is bounded.
 */
import { boilerplateOf, isCausedByLine, isErrorLine, isFrame, isHint, isNoise } from './crashLines.js';
import { missingVariable } from './missingVariable.js';

/** The information in the error output of a process that ended. */
export interface CrashReport {
  /**
   * The line that names the cause, at most 300 characters. Absent if the output is empty or contains only stack traces.
   */
  readonly cause?: string;
  /**
   * The lines that explain the end, including the cause and without stack traces: at most 8 lines of 300 characters.
   */
  readonly lines: readonly string[];
  /** The environment variable that is missing according to the output. */
  readonly variable?: string;
}

/** Maximum number of lines that are read, from the end. */
export const maxReadLines = 200;
const maxLine = 300;
const maxShown = 8;
/** Number of non-empty lines at the end that are searched for an error if the output contains no stack trace. */
const maxSearched = 20;
/** Maximum number of lines between an error and its stack trace, because a message may have several lines. */
const maxMessageLines = 15;

/**
 * The folder of the program at the start of a message, as in `/usr/local/bin/python3: can't …`; removed for brevity.
 */
const programFolder = /^(?:\/|[A-Za-z]:\\)[^:\n]{0,400}[/\\](?=[\w-]{1,60}(?:\.\d{1,4}){0,3}(?:\.exe)?: )/;

interface Line {
  text: string;
  kind: 'text' | 'frame' | 'noise';
}

/** The report on the error output of a process that ended. @param output one element for each line, oldest first. */
export function crashReport(output: readonly string[]): CrashReport {
  const lines = classified(output.slice(-maxReadLines).map(plain));
  const crash = lastCrash(lines);
  const head = crash === undefined ? (firstError(lines) ?? lastText(lines)) : memberOf(lines, crash);
  if (head === undefined) return { lines: [] };
  const shown = lines
    .slice(head)
    .filter(({ kind }) => kind === 'text')
    .map(({ text }) => withoutPrefix(text))
    .filter((text, index, all) => text !== all[index - 1])
    .slice(0, maxShown);
  const cause = withDetail(shown);
  const variable = missingVariable(shown);
  return { cause, lines: shown, ...(variable === undefined ? {} : { variable }) };
}

/** The line without colors and without the frame that Python draws around groups of exceptions. */
function plain(line: string): string {
  return line
    .slice(0, 2_000)
    .replace(/\\u\{1b\}\[[\d;]{0,20}m/g, '')
    .replace(/^ {0,40}(?:\||\+(?= Exception)) /, '')
    .slice(0, 1_000);
}

/** Classifies the lines: part of a stack trace, without information, or other text. */
function classified(texts: readonly string[]): Line[] {
  const lines = texts.map((text): Line => ({ text, kind: isFrame(text) ? 'frame' : isNoise(text) ? 'noise' : 'text' }));
  texts.forEach((text, index) => {
    // The source line that Node.js prints above the caret, and the file name above that line.
    if (/^\s*[\^~]+\s*$/.test(text)) {
      for (const line of lines.slice(Math.max(0, index - 2), index))
        if (line.kind === 'text' && boilerplateOf(line.text) === undefined) line.kind = 'noise';
    }
    if (!isTraceback(text)) return;
    const end = endOfTraceback(texts, index);
    for (const line of lines.slice(index, end)) line.kind = 'frame';
  });
  return lines;
}

function isTraceback(text: string): boolean {
  return /^\s*(?:Exception Group )?Traceback \(most recent call last\):\s*$/.test(text);
}

/** The index of the first line after the frames of a Python traceback. This line is the error. */
function endOfTraceback(texts: readonly string[], start: number): number {
  const indent = /^\s*/.exec(texts[start] ?? '')?.[0].length ?? 0;
  const next = texts.slice(start + 1).findIndex((text) => (/^\s*/.exec(text)?.[0].length ?? 0) <= indent);
  return next < 0 ? texts.length : start + 1 + next;
}

/** The index of the error of the last crash; undefined if there is none, or if much text follows it. */
function lastCrash(lines: readonly Line[]): number | undefined {
  let last: number | undefined;
  lines.forEach(({ text, kind }, index) => {
    const head = headAt(lines, index, text, kind);
    if (head !== undefined && lines[head]?.kind === 'text') last = head;
  });
  if (last === undefined) return undefined;
  const after = lines.slice(last + 1).filter(({ kind }) => kind === 'text').length;
  return after <= maxSearched ? last : undefined;
}

/**
 * The index of the error to report. For a Python exception group, this is the error of its first member, because the
 * message of the group only states their number.
 */
function memberOf(lines: readonly Line[], head: number): number {
  if (!/\(\d+ sub-exceptions?\)$/.test(lines[head]?.text ?? '')) return head;
  const next = lines.findIndex(({ text, kind }, index) => index > head && kind === 'text' && isErrorLine(text));
  return next < 0 ? head : next;
}

/** The index of the error that line `index` indicates; undefined if it indicates none. */
function headAt(lines: readonly Line[], index: number, text: string, kind: Line['kind']): number | undefined {
  if (boilerplateOf(text) !== undefined) return isPanicPlace(text) ? index + 1 : index;
  const isFrameBefore = lines[index - 1]?.kind === 'frame';
  // The first line after a traceback.
  if (kind === 'text' && isFrameBefore && isTracebackBefore(lines, index)) return index;
  if (kind === 'text' && /^\s*[\^~]+\s*$/.test(lines[index - 1]?.text ?? '') && !isCausedByLine(text)) return index;
  return kind === 'frame' && !isFrameBefore ? errorAbove(lines, index) : undefined;
}

/**
 * Whether the line names the place of a panic, and the next line its message: `thread 'main' panicked at a.rs:1:2:`.
 */
function isPanicPlace(text: string): boolean {
  const start = text.lastIndexOf('panicked at ');
  return start >= 0 && text.endsWith(':') && !text.includes("'", start);
}

function isTracebackBefore(lines: readonly Line[], index: number): boolean {
  for (let at = index - 1; at >= 0 && lines[at]?.kind === 'frame'; at--)
    if (isTraceback(lines[at]?.text ?? '')) return true;
  return false;
}

/** The index of the error that a stack trace belongs to. */
function errorAbove(lines: readonly Line[], index: number): number | undefined {
  for (let at = index - 1; at >= Math.max(0, index - maxMessageLines); at--) {
    const line = lines[at];
    if (!line || line.kind === 'frame' || isCausedByLine(line.text)) return undefined;
    if (line.kind === 'text' && isErrorLine(line.text)) return at;
  }
  return undefined;
}

/** The first error among the last lines; if there is none, the first line that `isHint` accepts. */
function firstError(lines: readonly Line[]): number | undefined {
  const texts = lines.flatMap(({ kind }, index) => (kind === 'text' ? [index] : [])).slice(-maxSearched);
  const find = (matches: (text: string) => boolean) => texts.find((index) => matches(lines[index]?.text ?? ''));
  return find((text) => isErrorLine(text) && !isNpm(text)) ?? find((text) => isErrorLine(text)) ?? find(isHint);
}

function isNpm(text: string): boolean {
  return /^npm (?:error|ERR!)/.test(text);
}

function lastText(lines: readonly Line[]): number | undefined {
  const index = lines.findLastIndex(({ kind }) => kind === 'text');
  return index < 0 ? undefined : index;
}

function withoutPrefix(text: string): string {
  const line = text.trim();
  return (boilerplateOf(line) ?? line).replace(programFolder, '').slice(0, maxLine);
}

/** The first line, joined with the next ones if it only introduces them. */
function withDetail([first = '', ...rest]: readonly string[]): string {
  let cause = first;
  for (const line of rest.slice(0, 4)) {
    if (!/[:[{(]$/.test(cause)) break;
    cause = `${cause} ${line}`;
  }
  return cause.slice(0, maxLine);
}

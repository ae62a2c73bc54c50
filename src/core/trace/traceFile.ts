/**
 * A trace as JSON lines: a header, then one line per message that contains the message itself, so that any JSON tool
 * can read it. In a file that is written, known secrets are masked. The content of a file that is read is untrusted.
 */
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import { setImmediate } from 'node:timers/promises';
import { HostError } from '../base/hostError.js';
import { compactJson } from '../base/jsonTokens.js';
import { isObject } from '../base/guards.js';
import type { Redactor } from './redactor.js';
import type { NewEntry } from './traceLog.js';
import { TraceLog } from './traceLog.js';
import type { TraceEntry } from './traceMessage.js';
import { messageFacts, parsed } from './traceMessage.js';

const format = 'mcp-deck-trace';
const sliceMs = 8;
/** Maximum length of a line, in characters. MCP Deck itself never writes a longer line. */
const maxLineLength = 1 << 20;
/** Maximum part of a file that is read, in bytes. */
const maxFileBytes = 512 << 20;

/** The lines of the file, without line endings. */
export function* traceLines(log: TraceLog, server: string, secrets: readonly string[]): Generator<string> {
  const redactor = log.redactor(secrets);
  yield JSON.stringify({ format, version: 1, server: redactor.line(server) });
  // Lines that are added to the log during the export are not included.
  const { end } = log;
  for (let seq = log.first; seq < end; seq++) {
    const entry = log.get(seq);
    if (entry) yield traceLine(entry, redactor);
  }
}

function traceLine(entry: TraceEntry, redactor: Redactor): string {
  const { at, direction, kind, latencyMs, headers, size, cut } = entry;
  const text = redactor.entry(entry);
  const head = JSON.stringify({
    time: new Date(at).toISOString(),
    direction,
    ...(kind === 'note'
      ? { note: text, ...(entry.id === undefined ? {} : { id: noteId(entry.id, redactor) }) }
      : { size }),
    ...(entry.status === undefined ? {} : { status: entry.status }),
    ...(latencyMs === undefined ? {} : { latencyMs: Math.round(latencyMs * 1_000) / 1_000 }),
    ...(headers ? { headers: redactor.headers(entry) } : {}),
    ...(cut > 0 ? { cut } : {}),
  }).slice(0, -1);
  if (kind === 'note') return `${head}}`;
  const isWhole = cut === 0 && parsed(text) !== undefined && !/[\r\n]/.test(text);
  return isWhole ? `${head},"message":${text}}` : `${head},"text":${JSON.stringify(text)}}`;
}

function noteId(id: string | number, redactor: Redactor): string | number {
  return typeof id === 'string' ? redactor.line(id) : id;
}

/**
 * Writes the lines to a file. They are written to a temporary file next to it first, so that the previous file is kept
 * if writing fails.
 */
export async function writeTraceFile(file: string, lines: Iterable<string>): Promise<void> {
  // A new file with a name that cannot be predicted, because a repository could contain a link in its place.
  const draft = `${file}.${randomUUID()}.tmp`;
  const handle = await open(draft, 'wx', 0o600);
  try {
    let pieces: string[] = [];
    let began = performance.now();
    for (const line of lines) {
      pieces.push(line, '\n');
      if (performance.now() - began < sliceMs) continue;
      await handle.write(pieces.join(''));
      pieces = [];
      await setImmediate();
      began = performance.now();
    }
    await handle.write(pieces.join(''));
    await handle.close();
    await rename(draft, file);
  } catch (error) {
    await handle.close().catch(() => undefined);
    await rm(draft, { force: true });
    throw error;
  }
}

export interface TraceReading {
  log: TraceLog;
  /** The name of the server that the file contains. */
  server?: string;
  /** Number of lines that are not lines of a trace. They are shown as invalid messages. */
  badLines: number;
  /** The line number of the first such line, starting at 1. */
  firstBadLine?: number;
  /** Number of lines that were read. */
  lines: number;
  /** Whether only the beginning of the file was read. */
  isCut: boolean;
}

/**
 * Reads a trace file and keeps every line that can be shown. Rejects with the error of the file system, or with
 * HostError `invalid-message` if no line is a message.
 */
export async function readTraceFile(file: string): Promise<TraceReading> {
  const reading: TraceReading = { log: new TraceLog(), badLines: 0, lines: 0, isCut: false };
  const decoder = new StringDecoder('utf8');
  let rest = '';
  let bytes = 0;
  let isLong = false;
  let messages = 0;
  const take = (line: string) => {
    reading.lines++;
    if (line.trim() === '') return;
    if (readLine(reading, line)) messages++;
  };
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (!isLong) take(line);
      isLong = false;
    }
    if (rest.length > maxLineLength) {
      if (!isLong) take(rest);
      isLong = true;
      rest = '';
    }
    await setImmediate();
    if (bytes <= maxFileBytes) continue;
    reading.isCut = true;
    break;
  }
  if (!isLong && !reading.isCut) take(rest);
  if (messages === 0)
    throw new HostError('invalid-message', 'The file contains no trace: none of its lines is a message.', {
      data: { problem: 'trace-file' },
      hint: 'Open a file that "Export Trace…" has written.',
    });
  return reading;
}

/** Adds one line; returns false if it contains no message. */
function readLine(reading: TraceReading, line: string): boolean {
  const value = parsed(line);
  if (!isObject(value)) return bad(reading, line);
  if (value['format'] === format) {
    if (typeof value['server'] === 'string') reading.server = value['server'];
    return true;
  }
  const { time, direction, note, message, text, headers, size, cut, id, status } = value;
  const at = typeof time === 'string' ? Date.parse(time) : NaN;
  const common = { at: Number.isNaN(at) ? 0 : at, direction: direction === 'sent' ? 'sent' : 'received' } as const;
  // A plain log with one message per line is also accepted.
  if (value['jsonrpc'] === '2.0') return add(reading, { ...common, ...messageFacts(value), text: line });
  if (direction !== 'sent' && direction !== 'received') return bad(reading, line);
  if (typeof note === 'string') {
    const isOfRequest = typeof id === 'string' || typeof id === 'number';
    if (!isOfRequest) reading.log.forgetOpen();
    return add(reading, {
      ...common,
      kind: 'note',
      isError: /^(?:closed|no answer):/.test(note),
      ...(isOfRequest ? { id } : {}),
      text: note,
    });
  }
  const texts = {
    ...(isCount(size) ? { size } : {}),
    ...(isCount(cut) ? { cut } : {}),
    ...(isTexts(headers) ? { headers } : {}),
    ...(isCount(status) ? { status } : {}),
  };
  if (isObject(message))
    return add(reading, { ...common, ...texts, ...messageFacts(message), text: compactJson(message) });
  if (typeof text === 'string')
    return add(reading, {
      ...common,
      ...texts,
      kind: 'invalid',
      isError: true,
      ...(isCount(cut) && cut > 0 ? factsOfBeginning(text) : {}),
      text,
    });
  return bad(reading, line);
}

/** Determines the kind, the ID and the method of a truncated message from its first 1,000 characters. */
function factsOfBeginning(text: string): Pick<TraceEntry, 'kind' | 'isError' | 'id' | 'method'> {
  const id = /"id":(-?\d+|"[^"\\]{0,200}")/.exec(text.slice(0, 1_000))?.[1];
  const method = /"method":"([^"\\]{1,200})"/.exec(text.slice(0, 1_000))?.[1];
  const known = id === undefined ? {} : { id: JSON.parse(id) as string | number };
  if (method !== undefined)
    return { kind: id === undefined ? 'notification' : 'request', isError: false, ...known, method };
  return { kind: 'response', isError: text.slice(0, 1_000).includes('"error":'), ...known };
}

function add({ log }: TraceReading, entry: NewEntry): boolean {
  log.add(entry);
  return true;
}

function bad(reading: TraceReading, line: string): boolean {
  reading.badLines++;
  reading.firstBadLine ??= reading.lines;
  reading.log.add({
    at: 0,
    direction: 'received',
    kind: 'invalid',
    isError: true,
    text: line,
    fileLine: reading.lines,
  });
  return false;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isTexts(value: unknown): value is Record<string, string> {
  return (
    isObject(value) &&
    Object.keys(value).length <= 100 &&
    Object.values(value).every((text) => typeof text === 'string' && text.length <= 4_096)
  );
}

/**
 * Recordings as files of JSON lines. A file that is written contains no secrets. The content of a file that is read is
 * untrusted: it is bounded, and a file with a secret is refused.
 */
import { t } from '@vscode/l10n';
import path from 'node:path';
import { sizeText } from '../../../shared/amountText.js';
import { isObject } from '../../base/guards.js';
import { UserError } from '../../base/hostError.js';
import { visibleLine } from '../../base/hostileText.js';
import { onStorage } from '../../base/storageFailure.js';
import { runInSlices } from '../../base/timeSlice.js';
import { valueCost } from '../../base/valueCost.js';
import { readBytesUpTo } from '../../config/smallFile.js';
import { notJson, parseMessage } from '../../protocol/parseMessage.js';
import { Redactor } from '../../trace/redactor.js';
import { writeTraceFile } from '../../trace/traceFile.js';
import { jsonDifferences } from './jsonDifferences.js';
import { readHead, readLine } from './readLines.js';
import type { RecordedLine, Recording } from './recordingModel.js';

/** Maximum size of a file, bytes. */
const maxFileBytes = 64 * 1024 * 1024;
/** Maximum number of lines of a file. */
const maxLines = 100_000;
/** Maximum size of a line, bytes. It also limits the number of values of a line (see `parseMessage`). */
const maxLineBytes = 8 * 1024 * 1024;
/** Memory limit of all lines, bytes (see `valueCost`). */
const maxCost = 256 * 1024 * 1024;
/** Maximum nesting of a line, in levels. */
const maxDepth = 200;

const newline = 10;

/** Finds secrets by the names of members and the form of texts. The file has no list of secret values. */
const redactor = new Redactor([]);

/** Writes a recording. The previous file is kept if writing fails. Rejects with the error of the file system. */
export function writeRecording(file: string, recording: Recording): Promise<void> {
  return writeTraceFile(file, textLines(recording));
}

function* textLines({ head, lines }: Recording): Generator<string> {
  // Texts that look like a secret only beside each other are masked here, so that every written file can be read.
  yield redactor.message(JSON.stringify(head));
  for (const line of lines) {
    const text = JSON.stringify(line);
    const masked = redactor.message(text);
    yield masked === text ? text : JSON.stringify(withMaskedPlaces(line, JSON.parse(masked) as RecordedLine));
  }
}

function withMaskedPlaces(line: RecordedLine, masked: RecordedLine): RecordedLine {
  const known = 'redacted' in line ? (line.redacted ?? []) : [];
  const places = jsonDifferences(line, masked, 50, () => false).map((difference) => difference.path);
  return 'request' in masked ? { ...masked, redacted: [...new Set([...known, ...places])] } : masked;
}

/**
 * Reads a recording. Rejects with UserError, which names the line, for anything that is not a recording of this
 * version, and with HostError `storage-failed` if the file cannot be read.
 */
export async function readRecording(file: string): Promise<Recording> {
  const name = path.basename(file);
  const bytes = await onStorage({ operation: 'read', thing: file }, () => readBytesUpTo(file, maxFileBytes)).catch(
    (error: unknown) => {
      // `readBytesUpTo` rejects with the code ENOTFILE for a folder or a device.
      if (!(error instanceof Error) || !('code' in error) || error.code !== 'ENOTFILE') throw error;
      throw new UserError(t('"{0}" is not a file. Choose a recording.', visibleLine(name, 100)));
    },
  );
  return runInSlices(parsing(name, bytes));
}

function* parsing(name: string, bytes: Buffer): Generator<undefined, Recording> {
  const lines: RecordedLine[] = [];
  let head: Recording['head'] | undefined;
  let number = 0;
  let cost = 0;
  for (let from = 0; from < bytes.length;) {
    yield;
    const found = bytes.indexOf(newline, from);
    const end = found === -1 ? bytes.length : found;
    number++;
    const at = new FilePlace(name, number);
    if (number > maxLines) throw at.error(t('the file has more than {0} lines.', maxLines));
    if (end - from > maxLineBytes) throw at.error(t('the line is longer than {0}.', sizeText(maxLineBytes)));
    const text = bytes.toString('utf8', from, end).trim();
    from = end + 1;
    if (text === '') continue;
    const value = parsedLine(text, at);
    cost += valueCost(value, maxCost);
    if (cost > maxCost) throw at.error(t('the file has too many values.'));
    if (head) lines.push(readLine(value, (message) => at.error(message)));
    else head = readHead(value, (message) => at.error(message));
    refuseSecrets(text, value, at);
  }
  if (!head) throw new UserError(t('"{0}" is empty. Record a server first.', visibleLine(name, 100)));
  return { head, lines };
}

function parsedLine(text: string, at: FilePlace): Record<string, unknown> {
  const value = parseMessage(text, maxLineBytes);
  if (value === notJson) throw at.error(t('the line is not JSON.'));
  if (!isObject(value)) throw at.error(t('the line must be a JSON object.'));
  if (isDeeper(value)) throw at.error(t('the line is nested more than {0} levels deep.', maxDepth));
  return value;
}

function isDeeper(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= maxDepth; depth++) {
    level = level.flatMap((one): unknown[] => (typeof one === 'object' && one !== null ? Object.values(one) : []));
    if (level.length === 0) return false;
  }
  return true;
}

function refuseSecrets(text: string, value: object, at: FilePlace): void {
  const masked = redactor.message(text);
  if (masked === text) return;
  const [first] = jsonDifferences(value, JSON.parse(masked), 1, () => false);
  throw at.error(
    t(
      'the recording contains a secret at {0}. Remove the secret, or replace it with •••.',
      visibleLine(first?.path ?? '/', 200),
    ),
  );
}

/** A line of a file, for messages. */
class FilePlace {
  constructor(
    private readonly name: string,
    private readonly line: number,
  ) {}

  error(problem: string): UserError {
    return new UserError(t('"{0}", line {1}: {2}', visibleLine(this.name, 100), this.line, problem));
  }
}

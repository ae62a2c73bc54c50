/** Adds a case to the text of a test file. The rest of the text keeps its comments and its layout. */
import { t } from '@vscode/l10n';
import { isMap, isSeq, parseDocument, stringify } from 'yaml';
import { looksSecret } from '../../shared/secretNames.js';
import { freeName } from '../base/freeName.js';
import { isObject } from '../base/guards.js';
import { UserError } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import { objectOf } from '../base/objectCopy.js';
import { jsonIn } from './outcome.js';
import { readTestFile } from './readTestFile.js';

/** A call with its result, as it was recorded. */
export interface RecordedCase {
  server: string;
  tool: string;
  arguments: Readonly<Record<string, unknown>>;
  isError: boolean;
  /** The structured content; undefined if the result has none. */
  structured?: unknown;
  /** The text of the result; undefined if it is not known completely. */
  text?: string | undefined;
}

/** Maximum length of a text or value in an expectation, in characters. A longer one becomes a snapshot. */
const maxExpected = 600;

/** The text of a file with the new case. */
export interface NewCase {
  text: string;
  /** The line of the new case, beginning at 1. */
  line: number;
  /** The names of the arguments that were left out. */
  omitted: string[];
}

/**
 * The text of a test file with one more case that expects the recorded result. Throws `UserError` if the file has an
 * error.
 * @param text the text of the file; undefined for a new file.
 * @param hides returns whether a text contains a secret. Such a text is not written.
 */
export function withNewCase(
  text: string | undefined,
  file: string,
  recorded: RecordedCase,
  hides: (text: string) => boolean,
): NewCase {
  const given = Object.entries(recorded.arguments);
  const omitted = given.filter(([name, value]) => isSecret(name, value, hides)).map(([name]) => name);
  const values = Object.fromEntries(given.filter(([name]) => !omitted.includes(name)));
  const read = text === undefined ? undefined : readTestFile(text, file, {});
  if (read && 'problems' in read)
    throw new UserError(t('The file has an error on line {0}. Correct it first.', read.problems[0]?.line ?? 1));
  const taken = new Set(read && 'test' in read ? read.test.tests.map(({ name }) => name) : []);
  const one = {
    name: escaped(freeName(visibleLine(recorded.tool, 80), taken)),
    call: escaped(recorded.tool),
    ...(Object.keys(values).length > 0 ? { arguments: escaped(values) } : {}),
    expect: expectation(recorded, hides),
  };
  if (text === undefined) {
    const whole = stringify({ server: recorded.server, tests: [one] }, options);
    return { text: whole, line: lineOf(whole, whole.indexOf('- name:')), omitted };
  }
  return { ...inserted(text, one), omitted };
}

/** Long texts stay on one line, so that a difference is easy to read. */
const options = { lineWidth: 0 } as const;

function expectation(
  { isError, structured, text }: RecordedCase,
  hides: (text: string) => boolean,
): Record<string, unknown> {
  const failed = isError ? { isError: true } : {};
  const fits = (value: unknown) => {
    const written = JSON.stringify(value) ?? '';
    return written.length <= maxExpected && !hides(written);
  };
  if (isObject(structured) && fits(structured)) return { ...failed, structured: escaped(structured) };
  if (text === undefined || hides(text)) return { isError };
  const json = jsonIn(text);
  if (isObject(json) && fits(json)) return { ...failed, structured: escaped(json) };
  return fits(text) ? { ...failed, text: escaped(text) } : { ...failed, snapshot: true };
}

/** Inserts the case after the last one, with its indentation and the line breaks of the file. */
function inserted(text: string, one: Record<string, unknown>): { text: string; line: number } {
  const document = parseDocument(text);
  const root = document.contents;
  const tests = isMap(root) ? root.get('tests', true) : undefined;
  const last = isSeq(tests)
    ? (tests.items.at(-1) as { range?: [number, number, number] | null } | undefined)
    : undefined;
  if (isSeq(tests) && tests.flow !== true && last?.range && tests.range) {
    const end = withoutBlanksAtEnd(text.slice(0, last.range[1])).length;
    const lineEnd = text.indexOf('\n', end);
    const lineBreak = text.includes('\r\n') ? '\r\n' : '\n';
    const at = lineEnd === -1 ? text.length : text[lineEnd - 1] === '\r' ? lineEnd - 1 : lineEnd;
    const [start] = tests.range;
    const indent = ' '.repeat(start - (text.lastIndexOf('\n', start - 1) + 1));
    const lines = withoutBlanksAtEnd(stringify([one], options)).split('\n');
    const part = lines.map((line) => (line === '' ? '' : `${indent}${line}`)).join(lineBreak);
    const rest = text.slice(at);
    const whole = `${text.slice(0, at)}${lineBreak}${part}${rest === '' ? lineBreak : rest}`;
    return { text: whole, line: lineOf(text, at) + 1 };
  }
  document.addIn(['tests'], document.createNode(one));
  const whole = document.toString(options);
  return { text: whole, line: lineOf(whole, Math.max(whole.lastIndexOf(String(one['name'])), 0)) };
}

/** A text without the blanks and line breaks at its end. Other white space, such as U+00A0, is content in YAML. */
function withoutBlanksAtEnd(text: string): string {
  let end = text.length;
  while (end > 0 && ' \t\r\n'.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** The line of an offset, beginning at 1. */
function lineOf(text: string, offset: number): number {
  return text.slice(0, Math.max(offset, 0)).split('\n').length;
}

function isSecret(name: string, value: unknown, hides: (text: string) => boolean): boolean {
  if (typeof value === 'string') return looksSecret(name, value) || hides(value);
  if (Array.isArray(value)) return value.some((item) => isSecret(name, item, hides));
  return isObject(value) && Object.entries(value).some(([key, item]) => isSecret(key, item, hides));
}

/** A copy in which `${` is a text and not a variable. */
function escaped(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('${', () => '$${');
  if (Array.isArray(value)) return value.map(escaped);
  if (!isObject(value)) return value;
  return objectOf(Object.entries(value).map(([key, item]) => [key.replaceAll('${', () => '$${'), escaped(item)]));
}

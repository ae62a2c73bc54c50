import { t } from '@vscode/l10n';
import { isObject } from '../base/guards.js';
import { messageOf } from '../base/hostError.js';
import { valueAtPath } from './jsonPath.js';
import type { Mismatch } from './matchers.js';
import { matchesPattern, shownValue } from './matchers.js';
import type { RequestOutcome } from './outcome.js';
import { jsonIn, logsOf, outcomeText } from './outcome.js';
import type { TestCheck } from './testModel.js';
import type { TestedFiles } from './testedFiles.js';
import { asText } from './values.js';

/** Checks one expectation of mcp-assert. Undefined if it holds. */
export function assertMismatch(
  { kind, key, value }: TestCheck,
  outcome: RequestOutcome,
  { filesBefore, files }: { filesBefore: ReadonlyMap<string, string | undefined>; files: TestedFiles },
): Mismatch | undefined {
  if (outcome.error) return { message: outcome.error.message };
  if (kind.startsWith('log:')) return logMismatch(key, value, outcome);
  if (kind.startsWith('notified:')) return notificationMismatch(key, value, outcome);
  if (key.startsWith('file_')) return fileMismatch(key, value, filesBefore, files);
  const text = outcomeText(outcome);
  const isError = outcome.result?.['isError'] === true;
  const texts = textsOf(value);
  const unless = (isFine: boolean, message: string): Mismatch | undefined =>
    isFine ? undefined : { message, expected: shownValue(value), actual: shownValue(text) };
  switch (key) {
    case 'not_error':
      return unless(value !== true || !isError, t('The tool reported an error.'));
    case 'is_error':
      return unless(value !== true || isError, t('The tool reported no error.'));
    case 'not_empty':
      return unless(value !== true || !['', 'null', '[]', '{}'].includes(text.trim()), t('The result is empty.'));
    case 'equals':
      return unless(text.trim() === asText(value).trim(), t('The texts differ.'));
    case 'contains': {
      const missing = texts.find((one) => !text.includes(one));
      return unless(missing === undefined, t('The value does not contain {0}.', JSON.stringify(missing) ?? ''));
    }
    case 'contains_any':
      return unless(
        texts.length === 0 || texts.some((one) => text.includes(one)),
        t('The value contains none of the texts.'),
      );
    case 'not_contains': {
      const extra = texts.find((one) => text.includes(one));
      return unless(
        extra === undefined,
        t('The value contains {0}, but the test requires that it does not.', JSON.stringify(extra) ?? ''),
      );
    }
    case 'matches_regex': {
      const missing = texts.find((one) => !matchesPattern(one, text));
      return unless(missing === undefined, t('The value does not match {0}.', missing ?? ''));
    }
    case 'in_order':
      return unless(isInOrder(text, texts), t('The texts do not occur in this order.'));
    case 'json_path':
      return pathMismatch(value, jsonIn(text));
    case 'min_results':
    case 'max_results': {
      const count = resultCount(jsonIn(text));
      const isFine = count !== undefined && (key === 'min_results' ? count >= Number(value) : count <= Number(value));
      return unless(
        isFine,
        count === undefined ? t('The result is not a list.') : t('The number of results is {0}.', count),
      );
    }
    case 'net_delta': {
      const json = jsonIn(text);
      return unless(isObject(json) && json['net_delta'] === value, t('The values differ.'));
    }
    case 'min_progress':
      return unless(
        outcome.progress >= Number(value),
        t('The number of progress notifications is {0}.', outcome.progress),
      );
    default:
      return { message: t('The expectation is not known.') };
  }
}

function textsOf(value: unknown): string[] {
  return (Array.isArray(value) ? (value as unknown[]) : [value]).map((one) => asText(one));
}

function isInOrder(text: string, texts: readonly string[]): boolean {
  let at = 0;
  for (const one of texts) {
    const found = text.indexOf(one, at);
    if (found === -1) return false;
    at = found + one.length;
  }
  return true;
}

/** Compares the printed values, so that `36` and `"36"` are equal. */
function pathMismatch(wanted: unknown, json: unknown): Mismatch | undefined {
  if (json === undefined) return { message: t('The text is not JSON.') };
  for (const [path, value] of Object.entries(isObject(wanted) ? wanted : {})) {
    const actual = valueAtPath(json, path);
    if (actual === undefined || asText(actual) !== asText(value))
      return { message: t('The values at {0} differ.', path), expected: shownValue(value), actual: shownValue(actual) };
  }
  return undefined;
}

function resultCount(json: unknown): number | undefined {
  if (Array.isArray(json)) return json.length;
  if (!isObject(json)) return undefined;
  const list = ['locations', 'items', 'results', 'references', 'symbols'].map((key) => json[key]).find(Array.isArray);
  return list?.length;
}

/** The files that must be read before the request, because an expectation compares them with their later content. */
export function filesOf({ key, value }: TestCheck): string[] {
  if (key !== 'file_unchanged') return [];
  return textsOf(value);
}

function fileMismatch(
  key: string,
  value: unknown,
  before: ReadonlyMap<string, string | undefined>,
  files: TestedFiles,
): Mismatch | undefined {
  if (key === 'file_not_exists') {
    const found = textsOf(value).find((file) => files.exists(file));
    if (found === undefined) return undefined;
    return { message: t('The file {0} exists, but the test requires that it does not.', found) };
  }
  if (key === 'file_unchanged') {
    const changed = textsOf(value).find(
      (file) => files.text(file) === undefined || files.text(file) !== before.get(file),
    );
    if (changed === undefined) return undefined;
    const text = files.text(changed);
    const message =
      text === undefined
        ? t('The file {0} does not exist, or cannot be read.', changed)
        : t('The file {0} has changed.', changed);
    return { message, expected: before.get(changed) ?? '', actual: text ?? '' };
  }
  for (const [file, part] of Object.entries(isObject(value) ? value : {})) {
    let text: string;
    try {
      text = files.read(file);
    } catch (error) {
      return { message: t('The file {0} cannot be read: {1}', file, messageOf(error)) };
    }
    const shown = { expected: asText(part), actual: shownValue(text) };
    if (key === 'file_contains' && !text.includes(asText(part)))
      return { message: t('The file {0} does not contain the text.', file), ...shown };
    if (key === 'file_not_contains' && text.includes(asText(part)))
      return { message: t('The file {0} contains the text, but the test requires that it does not.', file), ...shown };
  }
  return undefined;
}

function logMismatch(key: string, value: unknown, outcome: RequestOutcome): Mismatch | undefined {
  const logs = logsOf(outcome);
  const shown = { expected: shownValue(value), actual: shownValue(logs) };
  const isFine =
    key === 'min_messages'
      ? logs.length >= Number(value)
      : key === 'contains_level'
        ? textsOf(value).every((level) => logs.some((log) => log.level === level))
        : key === 'contains_data'
          ? textsOf(value).every((part) => logs.some(({ data }) => asText(data).includes(part)))
          : false;
  return isFine ? undefined : { message: t('The log messages do not meet this expectation.'), ...shown };
}

function notificationMismatch(key: string, value: unknown, { notifications }: RequestOutcome): Mismatch | undefined {
  const shown = { expected: shownValue(value), actual: shownValue(notifications) };
  const count = notifications.length;
  const has = (method: string) => notifications.some((sent) => sent.method === method);
  const hasData = (part: string) => notifications.some(({ params }) => (JSON.stringify(params) ?? '').includes(part));
  const checks: Readonly<Record<string, () => boolean>> = {
    min_count: () => count >= Number(value),
    max_count: () => count <= Number(value),
    methods: () => textsOf(value).every((method) => has(method)),
    not_methods: () => textsOf(value).every((method) => !has(method)),
    contains_data: () => textsOf(value).every((part) => hasData(part)),
    not_contains_data: () => textsOf(value).every((part) => !hasData(part)),
  };
  return checks[key]?.() === true
    ? undefined
    : { message: t('The notifications do not meet this expectation.'), ...shown };
}

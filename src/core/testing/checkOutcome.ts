import { t } from '@vscode/l10n';
import { durationText } from '../../shared/amountText.js';
import { isObject } from '../base/guards.js';
import { UserError } from '../base/hostError.js';
import type { JsonSchema, Tool } from '../protocol/mcp.js';
import { assertMismatch } from './assertChecks.js';
import { durationOf } from './fields.js';
import { selectedBy } from './jsonPath.js';
import type { Mismatch } from './matchers.js';
import { countMismatch, mismatchOf, shownValue, subsetMismatch } from './matchers.js';
import type { RequestOutcome } from './outcome.js';
import { listOf, logsOf, outcomeText, structuredOf } from './outcome.js';
import type { Snapshots } from './snapshots.js';
import type { TestCheck, TestFailure } from './testModel.js';
import type { TestedFiles } from './testedFiles.js';

/** The context that checks need in addition to the outcome. */
export interface CheckContext {
  snapshots: Snapshots;
  /** The name of the case, for its snapshots. */
  caseName: string;
  findTool: (name: string) => Tool | undefined;
  checkSchema: (schema: JsonSchema, value: unknown) => string[] | Promise<string[]>;
  /** The content of files before the request, by path. */
  filesBefore: ReadonlyMap<string, string | undefined>;
  files: TestedFiles;
}

/** Checks one expectation; undefined if it holds. */
export async function checkOutcome(
  check: TestCheck,
  outcome: RequestOutcome,
  context: CheckContext,
): Promise<TestFailure | undefined> {
  let found: Mismatch | undefined;
  try {
    found = check.kind.includes(':')
      ? assertMismatch(check, outcome, context)
      : await mismatch(check, outcome, context);
  } catch (error) {
    // A UserError states a mistake of the test file, for example a pattern or a path that takes too long.
    if (!(error instanceof UserError)) throw error;
    found = { message: error.message };
  }
  if (!found) return undefined;
  const { line, column, key, kind } = check;
  return {
    line,
    column,
    ...found,
    message: `${key}: ${found.message}`,
    ...(kind === 'snapshot' ? { isSnapshot: true } : {}),
  };
}

/** Whether notifications that arrive after the result can still fulfill the expectation. */
export function waitsForNotifications({ kind, key }: TestCheck): boolean {
  return (
    ['logs', 'notifications', 'progress'].includes(kind) || /^(?:log|notified):/.test(kind) || key === 'min_progress'
  );
}

async function mismatch(
  { kind, key, value }: TestCheck,
  outcome: RequestOutcome,
  context: CheckContext,
): Promise<Mismatch | undefined> {
  const { result, request } = outcome;
  if (kind === 'error') return errorMismatch(outcome, value);
  if (kind === 'within') {
    const limit = durationOf(value) ?? 0;
    return outcome.elapsedMs <= limit
      ? undefined
      : { message: t('The request took {0}.', durationText(outcome.elapsedMs)), expected: durationText(limit) };
  }
  if (!result) return { message: outcome.error?.message ?? t('There is no result.') };
  switch (kind) {
    case 'isError':
      return mismatchOf(result['isError'] === true, value);
    case 'text':
      return mismatchOf(outcomeText(outcome), value);
    case 'structured':
      return subsetMismatch(structuredOf(outcome), value);
    case 'equals':
      return mismatchOf(structuredOf(outcome), { equals: value });
    case 'result':
      return subsetMismatch(result, value);
    case 'path':
      return mismatchOf(selectedBy(result, key), value);
    case 'count':
      return countMismatch(countOf(outcome), value);
    case 'progress':
      return countMismatch(outcome.progress, typeof value === 'number' ? { min: value } : value);
    case 'logs':
      return missingMessage(logsOf(outcome), value);
    case 'notifications':
      return missingNotification(outcome, value);
    case 'asked':
      return mismatchOf(outcome.asked, { equals: value });
    case 'schema':
      return schemaMismatch(value, outcome, context);
    case 'snapshot':
      return context.snapshots.compare(context.caseName, result, isObject(value) ? value['ignore'] : []);
    default:
      return { message: t('The expectation is not known.'), actual: request.kind };
  }
}

function errorMismatch({ error, result }: RequestOutcome, wanted: unknown): Mismatch | undefined {
  if (!error)
    return {
      message: t('The server did not return a protocol error.'),
      expected: shownValue(wanted),
      actual: shownValue(result),
    };
  if (wanted === true) return undefined;
  const { code, message } = isObject(wanted) ? wanted : { code: wanted };
  const wrongCode = code === undefined ? undefined : mismatchOf(error.code, { equals: code });
  if (wrongCode) return { ...wrongCode, message: t('The error has another code. Its message: {0}', error.message) };
  return message === undefined ? undefined : mismatchOf(error.message, message);
}

function countOf(outcome: RequestOutcome): number {
  const { request, result = {} } = outcome;
  if (request.kind === 'list') return listOf(request, result).length;
  const key = { call: 'content', read: 'contents', get: 'messages', complete: 'values', setLevel: '' }[request.kind];
  const holder = request.kind === 'complete' ? result['completion'] : result;
  const items = isObject(holder) ? holder[key] : undefined;
  return Array.isArray(items) ? items.length : 0;
}

/** The messages must come in this order, with others between them. */
function missingMessage(logs: readonly { level: unknown; data: unknown }[], wanted: unknown): Mismatch | undefined {
  let at = 0;
  for (const one of Array.isArray(wanted) ? (wanted as unknown[]) : []) {
    const { level, text } = isObject(one) ? one : { level: undefined, text: { contains: one } };
    const fits = (log: { level: unknown; data: unknown }) =>
      (level === undefined || log.level === level) &&
      (text === undefined || !mismatchOf(typeof log.data === 'string' ? log.data : JSON.stringify(log.data), text));
    const found = logs.findIndex((log, index) => index >= at && fits(log));
    if (found === -1)
      return {
        message: t('A log message is missing, or is not in this order.'),
        expected: shownValue(one),
        actual: shownValue(logs),
      };
    at = found + 1;
  }
  return undefined;
}

function missingNotification({ notifications }: RequestOutcome, wanted: unknown): Mismatch | undefined {
  let at = 0;
  for (const one of Array.isArray(wanted) ? (wanted as unknown[]) : []) {
    const { method, params } = isObject(one) ? one : { method: one, params: undefined };
    const fits = (sent: { method: string; params: unknown }) =>
      sent.method === method && (params === undefined || !subsetMismatch(sent.params, params));
    const found = notifications.findIndex((sent, index) => index >= at && fits(sent));
    if (found === -1)
      return {
        message: t('A notification is missing, or is not in this order.'),
        expected: shownValue(one),
        actual: shownValue(notifications),
      };
    at = found + 1;
  }
  return undefined;
}

async function schemaMismatch(
  wanted: unknown,
  outcome: RequestOutcome,
  { findTool, checkSchema }: CheckContext,
): Promise<Mismatch | undefined> {
  const { request } = outcome;
  const own = request.kind === 'call' ? findTool(request.tool)?.outputSchema : undefined;
  const schema = isObject(wanted) ? wanted : own;
  if (!schema) return { message: t('The tool has no output schema.') };
  const value = structuredOf(outcome);
  const problems = await checkSchema(schema, value);
  return problems.length === 0 ? undefined : { message: problems.join('; '), actual: shownValue(value) };
}

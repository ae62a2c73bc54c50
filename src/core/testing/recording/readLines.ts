/** Checks the lines of a recording that was parsed from a file. */
import { t } from '@vscode/l10n';
import { nearestName } from '../../base/editDistance.js';
import { isObject, isStringArray } from '../../base/guards.js';
import { visibleLine } from '../../base/hostileText.js';
import type { RecordedHead, RecordedLine } from './recordingModel.js';
import { recordedQuestions, recordingFormat, recordingVersion } from './recordingModel.js';
import { normalizedParams } from './requestKey.js';

type Members = Record<string, unknown>;

/** Creates the error for a line. `problem` describes the mistake. */
export type LineError = (problem: string) => Error;

/** The type of a member, for the check and for the message. */
type Kind = 'text' | 'number' | 'object' | 'list';

type Shape = Readonly<Record<string, Kind | `${Kind}?`>>;

const headShape: Shape = {
  format: 'text',
  version: 'number',
  server: 'text',
  era: 'text',
  revision: 'text',
  transport: 'text',
  recordedAt: 'text',
  info: 'object',
  capabilities: 'object',
  instructions: 'text?',
};
const requestShape: Shape = {
  at: 'number',
  request: 'text',
  params: 'object',
  ms: 'number',
  result: 'object?',
  error: 'object?',
  during: 'list?',
  redacted: 'list?',
};
const notificationShape: Shape = { at: 'number', notification: 'text', params: 'object' };
const progressShape: Shape = { at: 'number', progress: 'object' };
const askShape: Shape = {
  at: 'number',
  ask: 'text',
  params: 'object',
  name: 'text?',
  round: 'number',
  answer: 'object?',
  answeredAt: 'number?',
};
const answerShape: Shape = { result: 'object?', error: 'object?' };

/** Checks the first line. */
export function readHead(value: Members, fail: LineError): RecordedHead {
  if (value['format'] !== recordingFormat)
    throw fail(t('the file is not a recording. Its first line must have the format "{0}".', recordingFormat));
  const version = value['version'];
  if (typeof version === 'number' && version > recordingVersion)
    throw fail(
      t(
        'the recording has version {0}, and this version of MCP Deck reads version {1}. Update MCP Deck.',
        version,
        recordingVersion,
      ),
    );
  check(value, headShape, fail);
  if (version !== recordingVersion) throw fail(t('"{0}" must be {1}.', 'version', recordingVersion));
  if (value['era'] !== 'legacy' && value['era'] !== 'modern')
    throw fail(t('"{0}" must be one of: {1}.', 'era', '"legacy", "modern"'));
  const { name, version: serverVersion } = value['info'] as Members;
  if (typeof name !== 'string' || typeof serverVersion !== 'string')
    throw fail(t('"{0}" must have the strings "name" and "version".', 'info'));
  return value as unknown as RecordedHead;
}

/** Checks a further line. */
export function readLine(value: Members, fail: LineError): RecordedLine {
  if ('notification' in value) {
    check(value, notificationShape, fail);
    return value as unknown as RecordedLine;
  }
  check(value, requestShape, fail);
  checkAnswer(value, true, fail);
  if (value['redacted'] !== undefined && !isStringArray(value['redacted']))
    throw fail(t('"{0}" must be a list of strings.', 'redacted'));
  for (const event of (value['during'] ?? []) as unknown[]) checkEvent(event, fail);
  const params = normalizedParams(value['request'] as string, value['params'] as Members);
  return { ...value, params } as unknown as RecordedLine;
}

function checkEvent(event: unknown, fail: LineError): void {
  if (!isObject(event)) throw fail(t('"{0}" must be a list of objects.', 'during'));
  if ('notification' in event) check(event, notificationShape, fail);
  else if ('progress' in event) {
    check(event, progressShape, fail);
    if (typeof (event['progress'] as Members)['progress'] !== 'number')
      throw fail(t('"{0}" must be {1}.', 'progress', t('a number')));
  } else {
    check(event, askShape, fail);
    if (!recordedQuestions.has(event['ask'] as string))
      throw fail(t('"{0}" must be one of: {1}.', 'ask', [...recordedQuestions].map((name) => `"${name}"`).join(', ')));
    if (isObject(event['answer'])) {
      check(event['answer'], answerShape, fail);
      checkAnswer(event['answer'], false, fail);
    }
  }
}

function checkAnswer({ result, error }: Members, isOfServer: boolean, fail: LineError): void {
  if ((result === undefined) === (error === undefined))
    throw fail(
      isOfServer ? t('a request needs either "result" or "error".') : t('an answer needs either "result" or "error".'),
    );
  if (isObject(error) && (!Number.isSafeInteger(error['code']) || typeof error['message'] !== 'string'))
    throw fail(t('"{0}" must have an integer "code" and a string "message".', 'error'));
}

function check(value: Members, shape: Shape, fail: LineError): void {
  const known = Object.keys(shape);
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const nearest = nearestName(unknown, known);
    const shown = visibleLine(unknown, 60);
    throw fail(
      nearest === undefined
        ? t('the field "{0}" is not known.', shown)
        : t('the field "{0}" is not known. Did you mean "{1}"?', shown, nearest),
    );
  }
  for (const [name, kind] of Object.entries(shape)) {
    const member = value[name];
    if (member === undefined) {
      if (!kind.endsWith('?')) throw fail(t('the field "{0}" is missing.', name));
    } else if (!isKind(member, kind.replace('?', '') as Kind)) {
      throw fail(t('"{0}" must be {1}.', name, kindText(kind.replace('?', '') as Kind)));
    }
  }
}

function isKind(value: unknown, kind: Kind): boolean {
  switch (kind) {
    case 'text':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number' && value >= 0;
    case 'object':
      return isObject(value);
    case 'list':
      return Array.isArray(value);
  }
}

function kindText(kind: Kind): string {
  switch (kind) {
    case 'text':
      return t('a string');
    case 'number':
      return t('a number of 0 or more');
    case 'object':
      return t('an object');
    case 'list':
      return t('a list');
  }
}

import { t } from '@vscode/l10n';
import { isObject } from '../base/guards.js';
import { visibleLine } from '../base/hostileText.js';
import type { Fields } from './fields.js';
import { durationOf, unknownKey } from './fields.js';
import { isPath } from './jsonPath.js';
import { isMatcher, matcherKeys, patternOf } from './matchers.js';
import type { TestCheck } from './testModel.js';
import type { YamlNode } from './yamlTree.js';

/** The keys of `expect`, besides paths that begin with `$`. */
const expectKeys = [
  'isError',
  'error',
  'text',
  'structured',
  'equals',
  'result',
  'schema',
  'count',
  'within',
  'progress',
  'logs',
  'notifications',
  'asked',
  'snapshot',
  'ignore',
] as const;

/** Reads `expect`. The checks have the order of the file. */
export function readExpect(fields: Fields, node: YamlNode | undefined): TestCheck[] {
  if (!node) return [];
  if (!node.entries) fields.report(node, t('{0} must be a map of keys and values.', 'expect'));
  const entries = node.entries ?? [];
  const ignored = entries.find(({ key }) => key === 'ignore')?.node;
  const ignore = fields.texts(ignored, 'ignore');
  for (const path of ignore) if (ignored && !isPath(path, false)) fields.report(ignored, invalidPath(path));
  return entries.flatMap(({ key, node: value, line, column }): TestCheck[] => {
    if (key === 'ignore') return [];
    if (key.startsWith('$')) {
      if (!isPath(key, false)) fields.report({ line, column }, invalidPath(key));
      checkMatcher(fields, value);
      return [{ kind: 'path', key, value: value.value, line, column }];
    }
    if (!(expectKeys as readonly string[]).includes(key)) {
      fields.report({ line, column }, unknownKey(key, expectKeys));
      return [];
    }
    checkValue(fields, key, value);
    const written = key === 'snapshot' ? { ignore } : value.value;
    if (key === 'snapshot' && value.value !== true) return [];
    return [{ kind: key, key, value: written, line, column }];
  });
}

function invalidPath(path: string): string {
  return t('{0} is not a path of JSONPath (RFC 9535), such as $.a.b[0].', visibleLine(path));
}

function checkValue(fields: Fields, key: string, node: YamlNode): void {
  const { value } = node;
  const wants = (isFine: boolean, form: string) => {
    if (!isFine) fields.report(node, t('"{0}" must be {1}.', key, form));
  };
  switch (key) {
    case 'isError':
    case 'snapshot':
      return wants(typeof value === 'boolean', t('true or false'));
    case 'text':
      wants(typeof value === 'string' || isMatcher(value), t('a string, or a map with: {0}', matcherKeys.join(', ')));
      return checkMatcher(fields, node);
    case 'error':
      return checkError(fields, node);
    case 'schema':
      return wants(value === 'output' || isObject(value), t('"output" or a JSON Schema'));
    case 'count':
    case 'progress':
      return wants(isCount(value), t('a number, or a map with min and max'));
    case 'within':
      return wants(durationOf(value) !== undefined, t('a duration, such as 200ms, 10s, or 2m'));
    case 'logs':
    case 'notifications':
      return wants(Array.isArray(value), t('a list'));
    case 'asked':
      return wants(
        Array.isArray(value) && value.every((one) => one === 'elicitation' || one === 'sampling'),
        t('a list of "elicitation" and "sampling"'),
      );
    default:
      return undefined;
  }
}

function checkError(fields: Fields, node: YamlNode): void {
  if (typeof node.value === 'number' || node.value === true) return;
  if (!node.entries)
    fields.report(node, t('"{0}" must be {1}.', 'error', t('true, a number, or a map with code and message')));
  const { code, message } = node.entries ? fields.map(node, ['code', 'message'], 'error') : {};
  if (code && typeof code.value !== 'number') fields.report(code, t('"{0}" must be {1}.', 'code', t('a number')));
  if (message) checkMatcher(fields, message);
}

/** Reports patterns of a matcher that are not regular expressions. */
function checkMatcher(fields: Fields, node: YamlNode): void {
  if (!isMatcher(node.value)) return;
  for (const { key, node: value } of node.entries ?? []) {
    if (key === 'not') checkMatcher(fields, value);
    if (key !== 'matches') continue;
    for (const pattern of value.items ?? [value])
      if (typeof pattern.value !== 'string' || !patternOf(pattern.value))
        fields.report(pattern, t('This is not a regular expression.'));
  }
}

function isCount(value: unknown): boolean {
  if (typeof value === 'number') return true;
  return (
    isObject(value) && Object.entries(value).every(([key, one]) => /^(min|max)$/.test(key) && typeof one === 'number')
  );
}

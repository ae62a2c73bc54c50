import path from 'node:path';
import { t } from '@vscode/l10n';
import { isObject, isStringArray } from '../base/guards.js';
import type { Fields } from './fields.js';
import { subsetMismatch } from './matchers.js';
import type { TestFailure } from './testModel.js';
import { readTestedFile } from './testedFiles.js';
import type { YamlNode } from './yamlTree.js';

interface RecordedCall {
  tool: string;
  args: unknown;
}

/**
 * Checks a list of recorded calls of mcp-assert.
 * @param log a file with one call per line, relative to the test file.
 */
export function trajectoryFailures(
  fields: Fields,
  rules: YamlNode,
  trace: YamlNode | undefined,
  log: string | undefined,
  file: string,
): TestFailure[] {
  const calls =
    log === undefined ? callsOf(trace?.value) : readLog(fields, rules, path.resolve(path.dirname(file), log));
  return fields.list(rules, 'trajectory').flatMap((node): TestFailure[] => {
    const message = isObject(node.value)
      ? broken(node.value, calls)
      : t('{0} must be a map of keys and values.', t('An item of "{0}"', 'trajectory'));
    return message === undefined ? [] : [{ line: node.line, column: node.column, message }];
  });
}

function callsOf(value: unknown): RecordedCall[] {
  const items = Array.isArray(value) ? (value as unknown[]) : [];
  return items.flatMap((item) =>
    isObject(item) && typeof item['tool'] === 'string' ? [{ tool: item['tool'], args: item['args'] ?? {} }] : [],
  );
}

function readLog(fields: Fields, node: YamlNode, file: string): RecordedCall[] {
  try {
    const lines = readTestedFile(file).split('\n');
    return callsOf(lines.filter((line) => line.trim() !== '').map((line): unknown => JSON.parse(line)));
  } catch {
    // The reason could show a part of the file, which can be any file of the user.
    fields.report(
      node,
      t(
        'The file {0} cannot be read, or it is not in the JSON Lines format, which has one JSON value on each line.',
        file,
      ),
    );
    return [];
  }
}

/** Why a rule does not hold; undefined if it holds. */
function broken(rule: Record<string, unknown>, calls: readonly RecordedCall[]): string | undefined {
  const tools = isStringArray(rule['tools']) ? rule['tools'] : [];
  const called = calls.map(({ tool }) => tool);
  switch (rule['type']) {
    case 'order': {
      let at = 0;
      for (const tool of tools) {
        const found = called.indexOf(tool, at);
        if (found === -1) return t('"{0}" was not called in this order.', tool);
        at = found + 1;
      }
      return undefined;
    }
    case 'presence': {
      const missing = tools.find((tool) => !called.includes(tool));
      return missing === undefined ? undefined : t('"{0}" was not called.', missing);
    }
    case 'absence': {
      const extra = tools.find((tool) => called.includes(tool));
      return extra === undefined
        ? undefined
        : t('"{0}" was called, but the test requires that it is not called.', extra);
    }
    case 'args_contain': {
      const fits = calls.some(({ tool, args }) => tool === rule['tool'] && !subsetMismatch(args, rule['args'] ?? {}));
      return fits ? undefined : t('"{0}" was not called with these arguments.', String(rule['tool']));
    }
    default:
      return t('The type of the rule is not known: {0}.', String(rule['type']));
  }
}

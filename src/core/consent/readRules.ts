import { t } from '@vscode/l10n';
import { isObject, isStringArray } from '../base/guards.js';
import { readPointer } from '../base/jsonPointer.js';
import type { ArgumentTest, Caller, PlacedRule, Rule, RuleSource } from './rule.js';
import { callers, effects } from './rule.js';
import { compileWildcard, compileRegex } from './textPattern.js';

/**
 * Maximum number of rules in one list. If there are more, the rest is not read, and the user is asked about every call
 * that no rule denies.
 */
export const maxRules = 5_000;
const fields = ['effect', 'server', 'tool', 'annotations', 'arguments', 'callers', 'clients', 'approval', 'note'];

/**
 * Reads a list of rules, each with its problem, if any. An error never grants more permissions. An entry that is not a
 * rule becomes a rule that asks about every call. If a part is invalid, a rule that asks or denies matches more calls,
 * and a rule that allows matches none.
 */
export function readRules(value: unknown, source: RuleSource): PlacedRule[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value))
    return [{ rule: { effect: 'ask' }, source, index: 0, problem: t('the rules must be a list') }];
  const rules = value.slice(0, maxRules).map((item, index) => readRule(item, source, index));
  if (value.length > maxRules)
    rules.push({
      rule: { effect: 'ask' },
      source,
      index: maxRules,
      problem: t('only the first {0} rules are read', maxRules),
    });
  return rules;
}

function readRule(value: unknown, source: RuleSource, index: number): PlacedRule {
  if (!isObject(value)) return { rule: { effect: 'ask' }, source, index, problem: t('a rule must be an object') };
  const problems: string[] = [];
  const effect = effects.find((one) => one === value['effect']);
  if (!effect) problems.push(t('"effect" must be one of {0}', effects.join(', ')));
  if (effect === 'allow' && source === 'workspaceFile')
    problems.push(t('rules in the settings of a workspace can only ask or deny'));
  for (const name of Object.keys(value))
    if (!fields.includes(name)) problems.push(t('"{0}" is not a field of a rule', name));
  const rule: Rule = { effect: effect ?? 'ask' };
  const server = textField(value, 'server', problems);
  if (server !== undefined) rule.server = server;
  const tool = textField(value, 'tool', problems);
  if (tool !== undefined) {
    const test = compileWildcard(tool);
    if ('problem' in test) problems.push(`"tool": ${test.problem}`);
    else rule.tool = tool;
  }
  const approval = textField(value, 'approval', problems);
  if (approval !== undefined) rule.approval = approval;
  readAnnotations(value['annotations'], rule, problems);
  readArguments(value['arguments'], rule, problems);
  readCallers(value['callers'], rule, problems);
  readClients(value, rule, problems);
  return {
    rule,
    source,
    index,
    ...(problems.length > 0 ? { problem: problems.join('; ') } : {}),
    ...(hasFormerName(value) ? { hasFormerName: true } : {}),
  };
}

function textField(value: Record<string, unknown>, name: string, problems: string[]): string | undefined {
  const text = value[name];
  if (text === undefined) return undefined;
  if (typeof text === 'string' && text !== '') return text;
  problems.push(t('"{0}" must be a string that is not empty', name));
  return undefined;
}

function readAnnotations(value: unknown, rule: Rule, problems: string[]): void {
  if (value === undefined) return;
  if (!isObject(value)) {
    problems.push(t('"annotations" must be an object'));
    return;
  }
  const annotations: NonNullable<Rule['annotations']> = {};
  for (const [name, hint] of Object.entries(value)) {
    if ((name === 'readOnly' || name === 'destructive') && typeof hint === 'boolean') annotations[name] = hint;
    else
      problems.push(
        t('"annotations" can contain only "readOnly" and "destructive", each true or false: "{0}" is invalid', name),
      );
  }
  if (Object.keys(annotations).length > 0) rule.annotations = annotations;
  else problems.push(t('"annotations" contains no valid annotation'));
}

function readArguments(value: unknown, rule: Rule, problems: string[]): void {
  if (value === undefined) return;
  if (!isObject(value)) {
    problems.push(t('"arguments" must be an object'));
    return;
  }
  const tests: Record<string, ArgumentTest> = {};
  for (const [pointer, written] of Object.entries(value)) {
    const problem = readPointer(pointer) ? argumentProblem(written) : t('must be a JSON Pointer such as "/path"');
    if (problem !== undefined) problems.push(`"arguments", "${pointer}": ${problem}`);
    else tests[pointer] = (isObject(written) ? withWildcard(written) : { equals: written }) as ArgumentTest;
  }
  if (Object.keys(tests).length > 0) rule.arguments = tests;
  else problems.push(t('"arguments" contains no valid test'));
}

/** The problem with the test of an argument; undefined if there is none. A plain value is short for `equals`. */
function argumentProblem(written: unknown): string | undefined {
  if (!isObject(written)) return Array.isArray(written) ? t('write a list as { "equals": […] }') : undefined;
  const names = Object.keys(written);
  const [name = ''] = names;
  if (names.length !== 1 || !['equals', 'wildcard', 'glob', 'matches'].includes(name))
    return t('must have exactly one of "equals", "wildcard", and "matches"');
  if (name === 'equals') return undefined;
  const pattern = written[name];
  if (typeof pattern !== 'string') return t('"{0}" must be a string', name);
  const test = name === 'matches' ? compileRegex(pattern) : compileWildcard(pattern);
  return 'problem' in test ? test.problem : undefined;
}

function readCallers(value: unknown, rule: Rule, problems: string[]): void {
  if (value === undefined) return;
  const known = Array.isArray(value)
    ? value.filter((one): one is Caller => callers.some((caller) => caller === one))
    : [];
  if (!Array.isArray(value) || known.length !== value.length || known.length === 0) {
    problems.push(t('"callers" must be a list with one or more of {0}', callers.join(', ')));
    return;
  }
  rule.callers = known;
}

function readClients(written: Record<string, unknown>, rule: Rule, problems: string[]): void {
  const { clients: value } = written;
  if (value === undefined) return;
  if (!isStringArray(value) || value.length === 0) problems.push(t('"clients" must be a list of names'));
  else if (rule.callers?.includes('agent') === false) problems.push(t('"clients" requires "agent" in "callers"'));
  // If `callers` is invalid, the rule may be meant for other callers than agents as well.
  else if (rule.callers || written['callers'] === undefined) rule.clients = value;
}

/** Renames `glob`, the former name of `wildcard`, in a written rule. Other values are unchanged. */
export function withoutFormerName(written: unknown): unknown {
  if (!hasFormerName(written)) return written;
  const { arguments: tests, ...rule } = written;
  return {
    ...rule,
    arguments: Object.fromEntries(Object.entries(tests).map(([pointer, test]) => [pointer, withWildcard(test)])),
  };
}

function hasFormerName(written: unknown): written is { arguments: Record<string, unknown> } {
  return isObject(written) && isObject(written['arguments']) && Object.values(written['arguments']).some(isFormerTest);
}

/** Whether a test uses the former name `glob` and is otherwise valid. Only such a test is renamed. */
function isFormerTest(test: unknown): test is { glob: string } {
  return isObject(test) && typeof test['glob'] === 'string' && Object.keys(test).length === 1;
}

function withWildcard(test: unknown): unknown {
  return isFormerTest(test) ? { wildcard: test.glob } : test;
}

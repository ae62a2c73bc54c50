import { t } from '@vscode/l10n';
import { isStringArray } from '../base/guards.js';
import type { Fields } from './fields.js';
import { isPath } from './jsonPath.js';
import { readExpect } from './readExpect.js';
import type { SavedValue, TestAnswers, TestRequest, TestStep } from './testModel.js';
import { listKinds } from './testModel.js';
import type { YamlNode } from './yamlTree.js';

/** The keys of a step: one request, and what belongs to it. */
export const stepKeys = ['call', 'read', 'get', 'list', 'complete', 'arguments', 'expect', 'save'] as const;
const requestKeys = ['call', 'read', 'get', 'list', 'complete'] as const;

type StepParts = Partial<Record<(typeof stepKeys)[number], YamlNode>>;

/** Reads one step. Undefined if it has no request; this is reported. */
export function readStep(fields: Fields, node: YamlNode, parts: StepParts): TestStep | undefined {
  const named = requestKeys.filter((key) => parts[key] !== undefined);
  if (named.length !== 1) {
    fields.report(node, t('A step must have exactly one of: {0}.', requestKeys.join(', ')));
    return undefined;
  }
  const request = readRequest(fields, parts);
  const checks = readExpect(fields, parts.expect);
  const save = readSaved(fields, parts.save);
  if (!request) return undefined;
  const failsOnError = !checks.some(({ kind }) => kind === 'isError' || kind === 'error');
  return { line: node.line, column: node.column, request, save, checks, failsOnError };
}

function readRequest(fields: Fields, parts: StepParts): TestRequest | undefined {
  const values = fields.object(parts.arguments, 'arguments') ?? {};
  if (parts.arguments && (parts.read ?? parts.list))
    fields.report(parts.arguments, t('Only "call" and "get" have arguments.'));
  if (parts.call) return { kind: 'call', tool: fields.text(parts.call, 'call') ?? '', arguments: values };
  if (parts.read) return { kind: 'read', uri: fields.text(parts.read, 'read') ?? '' };
  if (parts.get) return { kind: 'get', prompt: fields.text(parts.get, 'get') ?? '', arguments: values };
  if (parts.list) {
    const list = fields.choice(parts.list, listKinds, 'list');
    return list && { kind: 'list', list };
  }
  return parts.complete && readCompletion(fields, parts.complete);
}

function readCompletion(fields: Fields, node: YamlNode): TestRequest | undefined {
  const { prompt, template, argument, value } = fields.map(
    node,
    ['prompt', 'template', 'argument', 'value'],
    'complete',
  );
  const name = fields.text(prompt, 'prompt');
  const uri = fields.text(template, 'template');
  if ((name === undefined) === (uri === undefined)) {
    fields.report(node, t('"complete" must have either "prompt" or "template".'));
    return undefined;
  }
  if (!argument) fields.report(node, t('The key "{0}" is missing.', 'argument'));
  return {
    kind: 'complete',
    reference: name === undefined ? { type: 'ref/resource', uri: uri ?? '' } : { type: 'ref/prompt', name },
    argument: { name: fields.text(argument, 'argument') ?? '', value: fields.text(value, 'value') ?? '' },
  };
}

function readSaved(fields: Fields, node: YamlNode | undefined): SavedValue[] {
  if (!node) return [];
  fields.object(node, 'save');
  return (node.entries ?? []).flatMap(({ key, node: value, line, column }) => {
    const path = fields.text(value, t('A value of "{0}"', 'save')) ?? '$';
    if (!isPath(path, true)) fields.report(value, t('The path {0} must lead to one value, such as $.a.b[0].', path));
    return [{ name: key, path, line, column }];
  });
}

/** Reads the answers to what a server asks. */
export function readAnswers(fields: Fields, node: YamlNode | undefined): TestAnswers | undefined {
  if (!node) return undefined;
  const { elicitation, sampling, roots } = fields.map(node, ['elicitation', 'sampling', 'roots'], 'answers');
  const all = (one: YamlNode) => (one.items ?? [one]).map(({ value }) => value);
  if (roots && !isStringArray(roots.value))
    fields.report(roots, t('"{0}" must be {1}.', 'roots', t('a list of paths')));
  return {
    ...(elicitation ? { elicitation: all(elicitation) } : {}),
    ...(sampling ? { sampling: all(sampling) } : {}),
    ...(roots && isStringArray(roots.value) ? { roots: roots.value } : {}),
  };
}

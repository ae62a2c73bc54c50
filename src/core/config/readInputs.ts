import { t } from '@vscode/l10n';
import type { Node } from 'jsonc-parser';
import { visibleLine } from '../base/hostileText.js';
import { valueCost } from '../base/valueCost.js';
import { maxEntries, maxEntryLength, maxKeptCost } from './configBytes.js';
import type { ConfigMember } from './configNodes.js';
import { findTooDeep, maxDepth, membersOf, plainValue } from './configNodes.js';
import type { ConfigProblem, InputDefinition } from './serverDefinition.js';

type Report = (severity: ConfigProblem['severity'], message: string, node: Node) => void;

/**
 * Reads the lists under `inputs`. An invalid input is reported and omitted; if two inputs have the same ID, the first
 * one is used.
 */
export function readInputs(lists: readonly Node[], report: Report): InputDefinition[] {
  const read: InputDefinition[] = [];
  const ids = new Set<string>();
  let left = maxEntries;
  for (const list of lists) {
    if (list.type !== 'array') {
      report('error', t('"inputs" must be a list.'), list);
      continue;
    }
    for (const node of list.children ?? []) {
      if (left-- === 0) {
        report('error', t('Only the first {0} inputs of a file are read.', maxEntries), node);
        return read;
      }
      const input = readInput(node, report);
      if (!input) continue;
      if (ids.has(input.id))
        report(
          'error',
          t('The input "{0}" is defined twice. The first definition is used.', visibleLine(input.id, 60)),
          node,
        );
      else read.push(input);
      ids.add(input.id);
    }
  }
  return read;
}

/** Reads one input. Undefined if the input cannot be used; the reason has been reported. */
function readInput(node: Node, report: Report): InputDefinition | undefined {
  const fail = (message: string, at: Node = node): undefined => {
    report('error', message, at);
    return undefined;
  };
  const deep = findTooDeep(node);
  if (deep)
    return fail(
      t('The definition of this input is nested more than {0} levels deep and was not read.', maxDepth),
      deep,
    );
  if (node.type !== 'object') return fail(t('An input is an object with "id" and "type".'));
  if (node.length > maxEntryLength)
    return fail(t('The entry is too long: at most {0} characters are allowed.', maxEntryLength));
  const fields = new Map<string, ConfigMember>(membersOf(node).map((member) => [member.name, member]));
  const value = (name: string): unknown => fields.get(name)?.value.value;
  const id = value('id');
  if (typeof id !== 'string' || id === '')
    return fail(t('An input needs an "id" that is a string.'), fields.get('id')?.value);
  const name = visibleLine(id, 60);
  const text = (field: 'description' | 'default'): string | undefined => {
    const member = fields.get(field);
    const given: unknown = member?.value.value;
    if (member && typeof given !== 'string')
      report(
        'warning',
        t('"{0}" of the input "{1}" must be a string. The field is ignored.', field, name),
        member.value,
      );
    return typeof given === 'string' ? given : undefined;
  };
  const description = text('description');
  const initial = text('default');
  const common = {
    id,
    ...(description === undefined ? {} : { description }),
    ...(initial === undefined ? {} : { default: initial }),
  };
  const type = value('type');
  switch (type) {
    case 'promptString':
      return { ...common, type, ...(readPassword(fields.get('password'), name, report) ? { password: true } : {}) };
    case 'pickString': {
      const options = readOptions(fields.get('options')?.value, name, report);
      return options.length === 0
        ? fail(
            t('The input "{0}" needs "options", a list of strings to select from.', name),
            fields.get('options')?.value,
          )
        : { ...common, type, options };
    }
    case 'command': {
      const command = value('command');
      const args = fields.get('args');
      if (typeof command !== 'string' || command === '')
        return fail(
          t('The input "{0}" needs a "command", the ID of a VS Code command.', name),
          fields.get('command')?.value,
        );
      // Commands of MCP Deck are not allowed, because they act with the permissions of their caller, and a workspace
      // file must not act for the user (security requirement C3).
      if (command.startsWith('mcpDeck.'))
        return fail(
          t(
            'The input "{0}" cannot use "{1}", because commands of MCP Deck do not provide values for inputs.',
            name,
            visibleLine(command, 60),
          ),
          fields.get('command')?.value,
        );
      const values = args && plainValue(args.value);
      if (valueCost(values, maxKeptCost) > maxKeptCost)
        return fail(t('"args" of the input "{0}" has too many parts.', name), args?.value);
      return { ...common, type, command, ...(args ? { args: values } : {}) };
    }
    default: {
      const known = 'promptString, pickString, command';
      const typeNode = fields.get('type')?.value;
      return typeNode
        ? fail(
            t('The input "{0}" has the unknown type {1}. The types are {2}.', name, shown(typeNode), known),
            typeNode,
          )
        : fail(t('The input "{0}" has no "type". The types are {1}.', name, known));
    }
  }
}

/** Whether the input is a password. An invalid value is treated as true, because masking too much does no harm. */
function readPassword(member: ConfigMember | undefined, name: string, report: Report): boolean {
  const value: unknown = member?.value.value;
  if (!member || value === false || value === null) return false;
  if (value !== true)
    report(
      'warning',
      t('"password" of the input "{0}" must be true or false. The input is treated as a password.', name),
      member.value,
    );
  return true;
}

function readOptions(list: Node | undefined, name: string, report: Report): { label: string; value: string }[] {
  if (list?.type !== 'array') return [];
  const options: { label: string; value: string }[] = [];
  for (const node of list.children ?? []) {
    const fields = new Map(membersOf(node).map((member) => [member.name, member.value.value as unknown]));
    const value: unknown = node.type === 'object' ? fields.get('value') : node.value;
    const label = fields.get('label');
    if (typeof value === 'string') options.push({ label: typeof label === 'string' ? label : value, value });
    else
      report(
        'warning',
        t('An option of the input "{0}" must be a string or an object with "label" and "value". It is ignored.', name),
        node,
      );
  }
  return options;
}

function shown(node: Node): string {
  return visibleLine(JSON.stringify(plainValue(node)) ?? '', 40);
}

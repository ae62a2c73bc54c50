import { t } from '@vscode/l10n';
import { isObject } from '../../base/guards.js';
import type { JsonSchema } from '../../protocol/mcp.js';
import type { FieldProblem, WrittenFields } from './serverForm.js';

/** The form of a new server: its name, where it is saved, and the fields of its definition. */

/** A file or setting that the server can be saved to. */
export interface SaveChoice {
  /** Unique among the choices. */
  key: string;
  label: string;
  /** Where a server that is saved there is available. */
  description: string;
}

/** The values of the form. */
export interface NewServerValues {
  name: string;
  /** The key of a choice. */
  saveTo: string;
  fields: WrittenFields;
}

/** The schema of the form: the fields `name` and `saveTo`, followed by the fields of the definition. */
export function newServerSchema(schema: JsonSchema, choices: readonly SaveChoice[]): JsonSchema {
  const { properties, required, ...rest } = schema;
  return {
    ...rest,
    required: ['name', 'saveTo', ...(Array.isArray(required) ? (required as string[]) : [])],
    properties: {
      name: { type: 'string', title: t('Name'), minLength: 1, description: t('The name in the Servers view.') },
      saveTo: {
        type: 'string',
        title: t('Save To'),
        description: choices.map(({ label, description }) => `${label}: ${description}`).join('\n'),
        // A form shows the name of a value in "enum" even if the value is the only one.
        enum: choices.map(({ key }) => key),
        enumNames: choices.map(({ label }) => label),
        // Without descriptions, the form would show the keys.
        enumDescriptions: choices.map(({ description }) => description),
      },
      ...(isObject(properties) ? properties : {}),
    },
  };
}

/** The values of the form as one object. */
export function joinNewServer({ name, saveTo, fields }: NewServerValues): Record<string, unknown> {
  return { name, saveTo, ...fields };
}

/** The reverse of `joinNewServer`. */
export function splitNewServer(values: Readonly<Record<string, unknown>>): NewServerValues {
  const { name, saveTo, ...fields } = values;
  return {
    name: typeof name === 'string' ? name.trim() : '',
    saveTo: typeof saveTo === 'string' ? saveTo : '',
    fields,
  };
}

/** The problem with the name of a new server, as a problem of the field `name`. */
export function nameProblem(name: string, taken: ReadonlySet<string>): FieldProblem[] {
  const problem = checkName(name, taken);
  return problem === undefined ? [] : [{ path: '/name', message: problem.replace(/\.$/, '') }];
}

/** True for a socket or pipe whose URL does not determine the protocol: a path after `#` means HTTP. */
export function mayBeRawSocket({ url }: WrittenFields): boolean {
  return typeof url === 'string' && /^(?:unix|pipe):[^#?]*$/i.test(url);
}

/** The problem of a name; undefined if the name is valid. */
export function checkName(name: string, taken: ReadonlySet<string>): string | undefined {
  const trimmed = name.trim();
  if (trimmed === '') return t('Enter a name.');
  if (/[\p{Cc}\p{Cf}]/u.test(trimmed)) return t('A name cannot contain hidden characters.');
  if (['__proto__', 'constructor', 'prototype'].includes(trimmed)) return t('This name cannot be used.');
  return taken.has(trimmed) ? t('A server "{0}" already exists in this location.', trimmed) : undefined;
}

/** Converts a server's definition to a form, and the form back to the fields of the definition's file. */
import { isDeepStrictEqual } from 'node:util';
import { t } from '@vscode/l10n';
import { findNodeAtOffset, getNodePath, parseTree } from 'jsonc-parser';
import { isObject } from '../../base/guards.js';
import { parseConfigText } from '../../config/parseConfig.js';
import type { JsonSchema } from '../../protocol/mcp.js';
import { findSecrets } from '../../interchange/plainSecrets.js';

/** The fields of a server as written in its file. */
export type WrittenFields = Readonly<Record<string, unknown>>;

/** One problem to correct in a definition. */
export interface FieldProblem {
  /** JSON Pointer of the value; empty for the whole definition. */
  path: string;
  /** Completes a sentence that starts with the name of the field, or is a complete sentence. */
  message: string;
}

/**
 * The schema for the form of these fields. `schema` has alternatives (a local server, a remote server); the one whose
 * required fields are present is used, otherwise the first. Fields that the schema does not list are kept, and are
 * edited as JSON.
 */
export function schemaFor(fields: WrittenFields, schema: unknown): JsonSchema {
  const alternatives = isObject(schema) && Array.isArray(schema['anyOf']) ? schema['anyOf'].filter(isObject) : [];
  const fits = ({ required }: Record<string, unknown>) =>
    Array.isArray(required) && required.every((name) => typeof name === 'string' && Object.hasOwn(fields, name));
  return alternatives.find(fits) ?? alternatives[0] ?? { type: 'object' };
}

/** The labels of fields whose names are abbreviations. */
function titles(): Readonly<Record<string, string>> {
  return {
    args: t('Arguments'),
    env: t('Environment variables'),
    envFile: t('Environment file'),
    cwd: t('Working directory'),
    caFile: t('CA file'),
    oauth: 'OAuth',
    timeoutMs: t('Request timeout (ms)'),
    startTimeoutMs: t('Start timeout (ms)'),
    dev: t('Development'),
  };
}

/**
 * The schema as the page draws it: with labels, without `type` if it can have only one value, and with text fields for
 * environment variables, unless the value of one is a number or null. All other input remains possible as JSON.
 */
export function plainForm(schema: JsonSchema, fields: WrittenFields): JsonSchema {
  const properties = isObject(schema['properties']) ? { ...schema['properties'] } : {};
  for (const [name, title] of Object.entries(titles())) {
    const property = properties[name];
    if (isObject(property)) properties[name] = { title, ...property };
  }
  const { type, env, headers } = properties;
  if (isObject(env) && isObject(env['additionalProperties']))
    properties['env'] = { ...env, additionalProperties: { title: t('Variable'), ...env['additionalProperties'] } };
  if (isObject(headers) && isObject(headers['additionalProperties']))
    properties['headers'] = {
      ...headers,
      additionalProperties: { title: t('Header'), ...headers['additionalProperties'] },
    };
  if (isObject(type) && Array.isArray(type['enum']) && type['enum'].length === 1 && !Object.hasOwn(fields, 'type'))
    delete properties['type'];
  const values = fields['env'] ?? {};
  if (isObject(env) && isObject(values) && Object.values(values).every((value) => typeof value === 'string'))
    properties['env'] = { ...env, additionalProperties: { title: t('Variable'), type: 'string' } };
  return { ...schema, properties };
}

/**
 * The fields to write: `now` plus the differences between `before` (the form's initial values) and `after` (its final
 * values). Changes that were made to the file in the meantime are kept, and so is the order of the fields.
 */
export function editedFields({
  before,
  after,
  now,
}: {
  before: WrittenFields;
  after: WrittenFields;
  now: WrittenFields;
}): Record<string, unknown> {
  const own = (fields: WrittenFields, name: string) => (Object.hasOwn(fields, name) ? [fields[name]] : []);
  const isKept = (name: string) => isDeepStrictEqual(own(before, name), own(after, name));
  const kept = Object.entries(now).flatMap(([name, value]): [string, unknown][] =>
    isKept(name) ? [[name, value]] : Object.hasOwn(after, name) ? [[name, after[name]]] : [],
  );
  const added = Object.entries(after).filter(([name]) => !Object.hasOwn(now, name) && !isKept(name));
  return Object.fromEntries([...kept, ...added]);
}

/**
 * The problems of a definition, by field. Warnings are included, because a form should not write fields that have no
 * effect.
 */
export function fieldProblems(name: string, fields: WrittenFields): FieldProblem[] {
  const text = JSON.stringify({ servers: { [name]: fields } });
  const root = parseTree(text);
  return parseConfigText(text, { id: 'edit', kind: 'vscode', label: 'mcp.json' }).problems.map(
    ({ message, position }) => {
      // The text is one line, so the column is the offset.
      const node = root && findNodeAtOffset(root, position.character);
      const path = node ? getNodePath(node).slice(2) : [];
      return {
        path: path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''),
        message: message
          .replace(/^(?:The )?(?:value of the (?:environment variable|header) )?"[^"]*" (?=must |has |is )/, '')
          .replace(/\.$/, ''),
      };
    },
  );
}

/** Why a definition cannot be used, as a sentence; undefined if it can. */
export function definitionProblem(name: string, fields: WrittenFields): string | undefined {
  const { problems } = parseConfigText(JSON.stringify({ servers: { [name]: fields } }), {
    id: 'edit',
    kind: 'vscode',
    label: 'mcp.json',
  });
  return problems.find(({ severity }) => severity === 'error')?.message;
}

/** Names of variables and headers whose values look like secrets in plain text. For an argument, the name is `args`. */
export function plainSecretNames(name: string, fields: WrittenFields): string[] {
  return findSecrets([{ name, fields }]).map((secret) => (secret.field === 'args' ? 'args' : secret.name));
}

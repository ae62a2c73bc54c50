/**
 * Rules about whole schemas: requirements of the protocol, schemas that hosts refuse, and schemas that no value
 * matches.
 */
import { t } from '@vscode/l10n';
import { isObject } from '../../../base/guards.js';
import { jsonText } from '../../../base/jsonText.js';
import { visibleLine } from '../../../base/hostileText.js';
import { readPointer, valueAtPointer } from '../../../base/jsonPointer.js';
import type { Tool } from '../../../protocol/mcp.js';
import type { LintRule, SchemaPlace } from './lintRule.js';
import { schemaRule, toolRule } from './lintRule.js';
import { typesOf } from './schemaTypes.js';

/** Maximum nesting of objects and lists; deeper ones confuse models. */
const maxNesting = 5;
/** Maximum length of the schema of a tool as JSON, in characters: about 5,000 tokens. */
const maxSize = 20_000;

export const schemaRules: readonly LintRule[] = [
  toolRule('schema-root', 'error', function* ({ inputSchema }) {
    if (inputSchema['type'] !== 'object')
      yield { pointer: '/inputSchema', message: t('The input schema must have the type "object".') };
  }),
  toolRule('schema-root-combination', 'warning', function* ({ inputSchema }) {
    const found = ['anyOf', 'oneOf', 'allOf'].find((key) => inputSchema[key] !== undefined);
    if (found !== undefined)
      yield {
        pointer: `/inputSchema/${found}`,
        message: t('The input schema has "{0}" at its root, which Claude refuses.', found),
      };
  }),
  schemaRule('schema-array-items', 'warning', function* ({ schema, part }) {
    const isList = typesOf(schema)?.includes('array') === true;
    if (part === 'inputSchema' && isList && schema['items'] === undefined && schema['prefixItems'] === undefined)
      yield t('The array does not describe its items. VS Code refuses the tool.');
  }),
  toolRule('schema-reference', 'warning', function* ({ inputSchema }) {
    if (jsonText(inputSchema).includes('"$ref":'))
      yield { pointer: '/inputSchema', message: t('The schema uses "$ref", which some hosts do not resolve.') };
  }),
  schemaRule('schema-reference-remote', 'error', function* ({ schema }) {
    const { $ref: target } = schema;
    if (typeof target === 'string' && /^[a-z][a-z0-9+.-]*:/i.test(target))
      yield t('The reference {0} refers to another document. Hosts do not load it.', visibleLine(target, 100));
  }),
  schemaRule('schema-reference-broken', 'error', function* (place, tool) {
    const { $ref: target } = place.schema;
    if (typeof target === 'string' && target.startsWith('#') && !hasTarget(target, place, tool))
      yield t('The reference {0} has no target in the schema.', visibleLine(target, 100));
  }),
  schemaRule('schema-nesting', 'warning', function* ({ part, depth }) {
    // One finding for each branch: its first place that is too deep.
    if (part === 'inputSchema' && depth === maxNesting + 1)
      yield t('The schema is nested more than {0} levels deep. Models make mistakes with such arguments.', maxNesting);
  }),
  toolRule('schema-size', 'warning', function* ({ inputSchema }) {
    const { length } = jsonText(inputSchema);
    if (length > maxSize)
      yield {
        pointer: '/inputSchema',
        message: t('The schema has {0} characters. Each request to a model contains all of them.', length),
      };
  }),
  schemaRule('schema-pattern', 'warning', function* ({ schema }) {
    const { pattern } = schema;
    if (typeof pattern === 'string' && !isPattern(pattern))
      yield t('The pattern {0} is not a regular expression of JSON Schema.', visibleLine(pattern, 100));
  }),
  schemaRule('schema-impossible', 'warning', function* ({ schema }) {
    for (const [low, high] of limits) {
      const min = schema[low];
      const max = schema[high];
      if (typeof min === 'number' && typeof max === 'number' && min > max)
        yield t('"{0}" is greater than "{1}", so no value fits.', low, high);
    }
  }),
];

const limits = [
  ['minimum', 'maximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
] as const;

/** Rules about output schemas (specification 2025-11-25, tools, "output schema"). */
export const outputRules: readonly LintRule[] = [
  toolRule('output-schema-missing', 'info', function* ({ outputSchema }) {
    if (outputSchema === undefined) yield t('The tool has no output schema, so its results cannot be checked.');
  }),
  toolRule('output-schema-root', 'warning', function* ({ outputSchema }) {
    if (outputSchema !== undefined && outputSchema['type'] !== 'object')
      yield {
        pointer: '/outputSchema',
        message: t('The output schema does not have the type "object". Versions before 2026-07-28 require it.'),
      };
  }),
];

/** Whether a local reference leads to a schema. References with an anchor or below an `$id` are not followed. */
function hasTarget(target: string, { part }: SchemaPlace, tool: Tool): boolean {
  const root = tool[part];
  const tokens = readPointer(decoded(target.slice(1)));
  if (tokens === undefined || root === undefined || hasOwnId(root)) return true;
  const found = valueAtPointer(root, tokens);
  return isObject(found) || typeof found === 'boolean';
}

const withId = new WeakMap<object, boolean>();

/** Whether a schema has an `$id`. Its text is searched once, because it can have many references. */
function hasOwnId(root: object): boolean {
  const known = withId.get(root) ?? jsonText(root).includes('"$id":');
  withId.set(root, known);
  return known;
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

/** Maximum length of a pattern that is compiled, in characters. */
const maxPattern = 10_000;

function isPattern(pattern: string): boolean {
  if (pattern.length > maxPattern) return true;
  for (const flags of ['u', '']) {
    try {
      new RegExp(pattern, flags);
      return true;
    } catch {
      // The next flags may fit: many servers write patterns without the Unicode flag in mind.
    }
  }
  return false;
}

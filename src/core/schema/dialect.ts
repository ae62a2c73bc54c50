/**
 * Converts a schema of any supported dialect (draft-04, 06, 07, 2019-09, 2020-12) to 2020-12, so that one validator
 * handles all. A schema without `$schema` is 2020-12 (specification 2026-07-28, basic), but keywords of older drafts
 * are supported in it, because servers rarely declare their dialect. Nothing is ever fetched (security requirement X3).
 *
 * Deliberately not supported: draft-03; `$vocabulary`; `$recursiveRef` into another resource of the same schema.
 */
import { t } from '@vscode/l10n';
import { isObject } from '../base/guards.js';
import { visibleLine } from '../base/hostileText.js';
import { emptyObjectFor } from '../base/objectCopy.js';

type JsonSchema = Record<string, unknown>;

/** A schema for the validator, with the properties that determine its time limits. */
export interface NormalSchema {
  schema: JsonSchema;
  /** Number of objects, lists and values in the schema. */
  nodes: number;
  /** Number of references in the schema. */
  references: number;
  /** Whether a reference may lead to another reference, so that the time of a check is unbounded. */
  hasReferenceChains: boolean;
  hasFormats: boolean;
  /** Whether the schema contains `uniqueItems`, whose time is quadratic in the length of the list. */
  isQuadratic: boolean;
  /** Whether every keyword only restricts. If so, omitting a keyword never makes a valid value invalid. */
  isMonotone: boolean;
}

/** The reason why a schema cannot be used; its message is a part of a sentence. */
export class SchemaRefusal extends Error {}

/** Maximum number of nodes; larger schemas are refused. The largest of 725 public tool schemas has 265 nodes. */
const maxNodes = 20_000;
const maxDepth = 100;

const knownDialects = [
  /^https?:\/\/json-schema\.org\/schema#?$/,
  /^https?:\/\/json-schema\.org\/draft-0[467]\/(hyper-)?schema#?$/,
  /^https?:\/\/json-schema\.org\/draft\/(2019-09|2020-12)\/schema#?$/,
];

const schemaKeywords = new Set([
  'additionalProperties',
  'additionalItems',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
const schemaListKeywords = new Set(['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems']);
const schemaMapKeywords = new Set(['dependencies', 'dependentSchemas', 'patternProperties', 'properties']);
/** Keywords that do not only restrict: if their check is omitted, a valid value could be reported as invalid. */
const nonMonotoneKeywords = new Set([
  'not',
  'oneOf',
  'if',
  'contains',
  'patternProperties',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
/**
 * Keywords that are not copied: those of old drafts and of the validator's own extensions, which have no meaning in
 * 2020-12, and those that a check does not use. `$async` would turn the result into a promise, which is truthy.
 */
const droppedKeywords = new Set([
  '__proto__',
  '$schema',
  '$async',
  '$comment',
  '$recursiveAnchor',
  'id',
  'nullable',
  'discriminator',
  'additionalItems',
]);

/**
 * Converts a schema to 2020-12. Throws a `SchemaRefusal` for an unknown dialect, for a part that is not a schema, and
 * for a schema that is too large or too deeply nested.
 */
export function normalizeSchema(schema: JsonSchema): NormalSchema {
  const dialect = Object.hasOwn(schema, '$schema') ? schema['$schema'] : undefined;
  if (dialect !== undefined && !(typeof dialect === 'string' && knownDialects.some((known) => known.test(dialect)))) {
    throw new SchemaRefusal(t('its dialect {0} is not supported', visibleLine(JSON.stringify(dialect))));
  }
  const walk = new SchemaWalk();
  const normal = walk.schema(schema, 0) as JsonSchema;
  const { nodes, references, hasReferenceChains, hasFormats, isQuadratic, isMonotone } = walk;
  return { schema: normal, nodes, references, hasReferenceChains, hasFormats, isQuadratic, isMonotone };
}

class SchemaWalk {
  nodes = 0;
  references = 0;
  hasReferenceChains = false;
  hasFormats = false;
  isQuadratic = false;
  isMonotone = true;
  /** Greater than 0 inside `$defs`. */
  private definitionDepth = 0;

  constructor() {}

  /**
   * A copy of a schema in 2020-12. Keywords with a value of the wrong type are kept, so that the validator reports
   * them.
   */
  schema(value: unknown, depth: number): unknown {
    this.enter(depth);
    if (typeof value === 'boolean') return value;
    if (!isObject(value))
      throw new SchemaRefusal(
        t('a part of it is not a schema: {0}', visibleLine(JSON.stringify(value) ?? 'undefined', 60)),
      );
    const copy: JsonSchema = emptyObjectFor(Object.keys(value));
    for (const [keyword, inner] of Object.entries(value)) {
      if (nonMonotoneKeywords.has(keyword)) this.isMonotone = false;
      if (keyword === 'format') this.hasFormats = true;
      if (keyword === 'uniqueItems') this.isQuadratic ||= inner === true;
      if (droppedKeywords.has(keyword)) continue;
      if (schemaListKeywords.has(keyword) && Array.isArray(inner)) copy[keyword] = this.list(inner, depth + 1);
      else if (schemaKeywords.has(keyword)) copy[keyword] = this.schema(inner, depth + 1);
      else if ((keyword === '$defs' || keyword === 'definitions') && isObject(inner)) {
        this.definitionDepth++;
        copy[keyword] = this.map(inner, depth + 1);
        this.definitionDepth--;
      } else if (schemaMapKeywords.has(keyword) && isObject(inner)) copy[keyword] = this.map(inner, depth + 1);
      else copy[keyword] = this.data(inner, depth + 1);
    }
    this.translate(value, copy, depth);
    return copy;
  }

  private list(values: readonly unknown[], depth: number): unknown[] {
    this.enter(depth);
    return values.map((value) => this.schema(value, depth + 1));
  }

  private map(values: Record<string, unknown>, depth: number): Record<string, unknown> {
    this.enter(depth);
    const copy = emptyObjectFor<unknown>(Object.keys(values));
    for (const [key, value] of Object.entries(values)) {
      // Assigning this key would change the prototype. As a property name, it is not checked, like any unknown
      // property.
      if (key === '__proto__') continue;
      // In `dependencies` a value may also be a list of names.
      copy[key] = Array.isArray(value) ? this.data(value, depth + 1) : this.schema(value, depth + 1);
    }
    return copy;
  }

  /** Counts the nodes of plain data and returns the data unchanged. */
  private data(value: unknown, depth: number): unknown {
    this.enter(depth);
    if (Array.isArray(value)) for (const item of value) this.data(item, depth + 1);
    else if (isObject(value)) for (const item of Object.values(value)) this.data(item, depth + 1);
    return value;
  }

  private translate(from: Record<string, unknown>, to: JsonSchema, depth: number): void {
    if (Array.isArray(to['items'])) {
      // Handles tuples of draft-04 to 2019-09.
      if (to['items'].length > 0) to['prefixItems'] = to['items'];
      delete to['items'];
      if (from['additionalItems'] !== undefined) to['items'] = this.schema(from['additionalItems'], depth + 1);
    }
    // In draft-04 a boolean states whether the limit itself is excluded.
    for (const [exclusive, limit] of [
      ['exclusiveMinimum', 'minimum'],
      ['exclusiveMaximum', 'maximum'],
    ] as const) {
      if (typeof to[exclusive] !== 'boolean') continue;
      if (to[exclusive] && typeof to[limit] === 'number') {
        to[exclusive] = to[limit];
        delete to[limit];
      } else {
        delete to[exclusive];
      }
    }
    // Draft-03 and OpenAPI mark a property as required inside the property. In 2020-12, the containing object lists
    // the required properties.
    if (typeof to['required'] === 'boolean') delete to['required'];
    // Generators such as zod (`.default()`) list properties with a default as required, although the server fills in
    // the default, so they are not treated as required.
    if (Array.isArray(to['required']))
      to['required'] = to['required'].filter((name) => !hasDefault(from['properties'], name));
    if (from['nullable'] === true) allowNull(to);
    // If the schema is one resource, the outermost anchor is the root.
    if (to['$recursiveRef'] === '#') {
      to['$ref'] = '#';
      delete to['$recursiveRef'];
    }
    const reference = to['$ref'] ?? to['$dynamicRef'];
    if (reference === undefined) return;
    this.references++;
    if (this.definitionDepth > 0 || typeof reference !== 'string' || !/^#\/(\$defs|definitions)\//.test(reference))
      this.hasReferenceChains = true;
  }

  private enter(depth: number): void {
    if (++this.nodes > maxNodes) throw new SchemaRefusal(t('it has more than {0} parts', maxNodes));
    if (depth > maxDepth) throw new SchemaRefusal(t('it is nested more than {0} levels deep', maxDepth));
  }
}

/** Converts OpenAPI 3.0's `nullable: true`. */
function allowNull(schema: JsonSchema): void {
  if (typeof schema['type'] === 'string') schema['type'] = [schema['type'], 'null'];
  else if (Array.isArray(schema['type']) && !schema['type'].includes('null'))
    schema['type'] = [...(schema['type'] as unknown[]), 'null'];
  if (Array.isArray(schema['enum']) && !schema['enum'].includes(null))
    schema['enum'] = [...(schema['enum'] as unknown[]), null];
}

function hasDefault(properties: unknown, name: unknown): boolean {
  if (!isObject(properties) || typeof name !== 'string' || !Object.hasOwn(properties, name)) return false;
  const property = properties[name];
  return isObject(property) && property['default'] !== undefined;
}

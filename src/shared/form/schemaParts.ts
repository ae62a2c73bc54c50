/**
 * Splits a schema into all parts that apply at one place. References, `allOf`, and choices with a single possible
 * branch are resolved. The remaining `anyOf` and `oneOf` are choices for the user.
 */
import { isObject } from '../json.js';
import type { SchemaRefs } from './schemaRefs.js';

export type Schema = Record<string, unknown>;

export interface Parts {
  /**
   * The parts that all apply. The schema that contains a `$ref` comes before the referenced schema, so its title and
   * description take precedence.
   */
  all: SchemaPart[];
  /** The choices that remain for the user. */
  groups: Group[];
  /** The type that the user selected, if the schema allows several types. */
  narrowedTo?: string;
  /** Whether no value is valid. */
  isNever: boolean;
  /** Whether a branch is the same as the schema that contains the choice. */
  isCircular?: boolean;
  /** An unresolved reference, if there is one. */
  unresolved?: string;
  /** Whether the schema has more parts than the limit, so that some were not examined. */
  isCut?: boolean;
}

export interface SchemaPart {
  schema: Schema;
  /** Whether the part applies only if the value is not null. */
  isOrNull: boolean;
}

export interface Group {
  /** The part whose schema contains the `anyOf` or `oneOf`. */
  owner: SchemaPart;
  keyword: 'anyOf' | 'oneOf';
  /** The branches, without those that allow only null. */
  branches: unknown[];
  hasNull: boolean;
}

const maxParts = 200;

/** The parts of the combination of all `schemas`. */
export function collectParts(schemas: readonly unknown[], refs: SchemaRefs): Parts {
  const parts: Parts = { all: [], groups: [], isNever: false };
  addParts(parts, schemas, refs);
  return parts;
}

/** The parts after a branch of a choice was selected. */
export function takeBranch(parts: Parts, group: Group, branch: unknown, refs: SchemaRefs): Parts {
  const taken: Parts = { ...parts, all: [...parts.all], groups: parts.groups.filter((other) => other !== group) };
  addParts(taken, [branch], refs, group.owner.schema);
  return taken;
}

function addParts(parts: Parts, schemas: readonly unknown[], refs: SchemaRefs, owner?: Schema): void {
  const seen = new Set<unknown>(parts.all.map(({ schema }) => schema));
  // A stack. The order is reversed, so that the first schema is processed first.
  const waiting: { schema: unknown; isOrNull: boolean }[] = schemas
    .map((schema) => ({ schema, isOrNull: false }))
    .reverse();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { schema, isOrNull } = next;
    if (schema === false && !isOrNull) parts.isNever = true;
    if (schema === owner) parts.isCircular = true;
    if (!isObject(schema) || seen.has(schema)) continue;
    seen.add(schema);
    if (parts.all.length >= maxParts || !refs.look()) {
      parts.isCut = true;
      return;
    }
    const part: SchemaPart = { schema, isOrNull };
    parts.all.push(part);
    const inner: { schema: unknown; isOrNull: boolean }[] = [];
    const reference = referenceOf(schema);
    if (reference !== undefined) {
      const target = refs.target(reference, schema);
      if (target === undefined) parts.unresolved ??= reference;
      else inner.push({ schema: target, isOrNull });
    }
    const { allOf } = schema;
    if (Array.isArray(allOf))
      for (const branch of allOf.slice(0, maxParts) as unknown[]) inner.push({ schema: branch, isOrNull });
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      const group = groupOf(part, keyword);
      if (group === undefined) continue;
      if (group.branches.length === 1) inner.push({ schema: group.branches[0], isOrNull: isOrNull || group.hasNull });
      else if (group.branches.length > 1 || group.hasNull) parts.groups.push(group);
      else parts.isNever ||= !isOrNull;
    }
    waiting.push(...inner.reverse());
  }
}

function referenceOf(schema: Schema): string | undefined {
  for (const keyword of ['$ref', '$dynamicRef', '$recursiveRef']) {
    const reference = schema[keyword];
    if (typeof reference === 'string') return reference;
  }
  return undefined;
}

function groupOf(owner: SchemaPart, keyword: 'anyOf' | 'oneOf'): Group | undefined {
  const list = owner.schema[keyword];
  if (!Array.isArray(list) || list.length === 0) return undefined;
  return { owner, keyword, ...branchesOf(list) };
}

/** Cached, because schemas never change and a schema with many branches can be referenced many times. */
const branchesByList = new WeakMap<unknown[], Pick<Group, 'branches' | 'hasNull'>>();

function branchesOf(list: unknown[]): Pick<Group, 'branches' | 'hasNull'> {
  let found = branchesByList.get(list);
  if (!found) {
    const possible = list.filter((branch) => branch !== false);
    const branches = possible.filter((branch) => !isNull(branch));
    branchesByList.set(list, (found = { branches, hasNull: branches.length < possible.length }));
  }
  return found;
}

function isNull(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  const { type, enum: values } = schema;
  return (
    type === 'null' ||
    (Object.hasOwn(schema, 'const') && schema['const'] === null) ||
    (Array.isArray(values) && values.length > 0 && values.every((value) => value === null))
  );
}

const typeNames = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']);
/** Names of types in programming languages, which schemas contain by mistake. */
const otherTypeNames = new Map([
  ['str', 'string'],
  ['text', 'string'],
  ['int', 'integer'],
  ['long', 'integer'],
  ['float', 'number'],
  ['double', 'number'],
  ['bool', 'boolean'],
  ['list', 'array'],
  ['dict', 'object'],
  ['map', 'object'],
]);

/**
 * The types in the `type` of a schema, including `null`. Undefined if `type` is missing or contains an unknown name.
 */
function typesOf(schema: Schema): Set<string> | undefined {
  const { type } = schema;
  const names = (Array.isArray(type) ? (type as unknown[]).slice(0, 20) : [type])
    .filter((name) => typeof name === 'string')
    .map((name) => otherTypeNames.get(name) ?? name);
  if (names.length === 0 || names.some((name) => !typeNames.has(name))) return undefined;
  return new Set(names);
}

/**
 * The types that all parts allow, without `null`. Undefined if no part restricts the type. Empty if no type is allowed.
 */
export function commonTypes(parts: Parts): Set<string> | undefined {
  if (parts.narrowedTo !== undefined) return new Set([parts.narrowedTo]);
  let common: Set<string> | undefined;
  for (const { schema } of parts.all) {
    const types = typesOf(schema);
    if (types === undefined) continue;
    common = common === undefined ? types : both(common, types);
  }
  common?.delete('null');
  return common;
}

function both(a: Set<string>, b: Set<string>): Set<string> {
  const result = new Set([...a].filter((name) => b.has(name) || (name === 'integer' && b.has('number'))));
  if (a.has('number') && b.has('integer')) result.add('integer');
  return result;
}

/** Whether one part allows null explicitly and no part forbids it. */
export function isNullable(parts: Parts, group?: Group): boolean {
  let isNamed = group?.hasNull ?? false;
  if (group && !group.hasNull && !group.owner.isOrNull) return false;
  for (const { schema, isOrNull } of parts.all) {
    const says = saysNull(schema);
    if (isOrNull || says === 'yes') isNamed = true;
    else if (says === 'no') return false;
  }
  return isNamed;
}

function saysNull(schema: Schema): 'yes' | 'no' | 'nothing' {
  if (Object.hasOwn(schema, 'const')) return schema['const'] === null ? 'yes' : 'no';
  if (Array.isArray(schema['enum'])) return schema['enum'].includes(null) || schema['nullable'] === true ? 'yes' : 'no';
  const types = typesOf(schema);
  if (types === undefined) return 'nothing';
  return types.has('null') || schema['nullable'] === true ? 'yes' : 'no';
}

const keywordsOfType: Record<string, readonly string[]> = {
  object: [
    'properties',
    'required',
    'additionalProperties',
    'patternProperties',
    'propertyNames',
    'minProperties',
    'maxProperties',
    'dependentRequired',
    'dependentSchemas',
    'unevaluatedProperties',
  ],
  array: [
    'items',
    'prefixItems',
    'additionalItems',
    'minItems',
    'maxItems',
    'uniqueItems',
    'contains',
    'unevaluatedItems',
  ],
  string: ['pattern', 'minLength', 'maxLength', 'format', 'contentMediaType', 'contentEncoding'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
};

/**
 * The possible types, without `null`: those in `type`, otherwise those to which the used keywords apply. Empty if no
 * type is possible. Undefined if every type is possible.
 */
export function kindsOf(parts: Parts): Set<string> | undefined {
  const named = commonTypes(parts);
  const used = new Set(parts.all.flatMap(({ schema }) => kindsOfKeywords(schema)));
  if (named === undefined) return used.size > 0 ? used : undefined;
  if (named.has('number')) named.delete('integer');
  // If `type` lists all types and no keyword applies to a specific type, the value is not restricted.
  return named.size >= 5 && used.size === 0 ? undefined : named;
}

/** Cached, because schemas never change and a schema can be referenced many times. */
const kindsBySchema = new WeakMap<Schema, string[]>();

function kindsOfKeywords(schema: Schema): string[] {
  let kinds = kindsBySchema.get(schema);
  if (!kinds)
    kindsBySchema.set(
      schema,
      (kinds = Object.keys(keywordsOfType).filter((type) =>
        (keywordsOfType[type] ?? []).some((keyword) => schema[keyword] !== undefined),
      )),
    );
  return kinds;
}

/** Keywords that only describe a value. A part with only these keywords does not affect the node. */
const descriptions = new Set([
  '$ref',
  '$dynamicRef',
  '$recursiveRef',
  '$schema',
  '$id',
  '$anchor',
  '$dynamicAnchor',
  '$comment',
  '$defs',
  'definitions',
  'title',
  'description',
  'default',
  'examples',
  'example',
  'deprecated',
  'readOnly',
  'writeOnly',
]);

/** Whether a schema contains only keywords that do not restrict the value. The keyword `except` is ignored. */
export function isDescription(schema: Schema, except?: string): boolean {
  return Object.keys(schema).every(
    (keyword) => keyword === except || descriptions.has(keyword) || keyword.startsWith('x-'),
  );
}

/**
 * The first value of a keyword in the parts of a schema. The schema that contains a `$ref` takes precedence over the
 * referenced schema.
 */
export function pick(parts: Parts, keyword: string): unknown {
  for (const { schema } of parts.all)
    if (schema[keyword] !== undefined && Object.hasOwn(schema, keyword)) return schema[keyword];
  return undefined;
}

/** All values of a keyword. */
export function pickAll(parts: Parts, keyword: string): unknown[] {
  return parts.all.filter(({ schema }) => Object.hasOwn(schema, keyword)).map(({ schema }) => schema[keyword]);
}

/**
 * Combines the properties of an object schema from all its parts. Names are counted like schemas, because many places
 * can refer to a schema with many names.
 */
import { t } from '@vscode/l10n';
import type { JsonValue } from '../json.js';
import { isObject } from '../json.js';
import type { Parts, Schema } from './schemaParts.js';
import { collectParts, pickAll } from './schemaParts.js';
import type { SchemaRefs } from './schemaRefs.js';

export interface ObjectShape {
  /** The properties in schema order. All schemas of a property apply to it. */
  properties: Map<string, PropertyShape>;
  /** Schemas of additional properties. Undefined if additional properties are forbidden. */
  more: unknown[] | undefined;
  patterns: [string, unknown][];
  isMoreDeclared: boolean;
  names?: string[];
  namePattern?: string;
}

export interface PropertyShape {
  schemas: unknown[];
  isRequired: boolean;
  requiredWith: string[];
  conditions: string[];
}

/** Maximum number of names that are examined in one object or list. */
const maxNames = 5_000;
/** Maximum number of patterns of an object, and of properties that make another property required. */
const maxPatterns = 20;
/** Maximum number of conditions in the note about a property. */
const maxConditions = 3;
/** Keywords of a branch that only requires properties. */
const bareKeywords = new Set(['type', 'required', 'title', 'description', 'not']);

/** The properties of an object schema, combined from all of its parts. */
export function objectShape(parts: Parts, refs: SchemaRefs): ObjectShape {
  return new ShapeReader(parts, refs).shape;
}

class ShapeReader {
  readonly shape: ObjectShape = { properties: new Map(), more: undefined, patterns: [], isMoreDeclared: false };
  private readonly forbidden = new Set<string>();
  /** The conditions under which the names of a schema were read. */
  private readonly conditionsOf = new Map<Schema, Set<string | undefined>>();

  constructor(
    private readonly parts: Parts,
    private readonly refs: SchemaRefs,
  ) {
    for (const { schema } of parts.all) this.addProperties(schema);
    for (const { schema } of parts.all) this.addConditions(schema);
    for (const group of parts.groups) this.addAlternatives(group.branches);
    for (const name of this.forbidden) this.shape.properties.delete(name);
    this.addMore();
    for (const names of pickAll(parts, 'required')) for (const name of this.names(names)) this.require(name);
  }

  private addProperties(schema: Schema): void {
    for (const [name, property] of this.entries(schema['properties'])) {
      if (property === false) this.forbidden.add(name);
      else this.add(name, property);
    }
  }

  /** The first entries of an object; none of another value. */
  private entries(value: unknown): [string, unknown][] {
    const entries = isObject(value) ? Object.entries(value).slice(0, maxNames) : [];
    this.refs.look(entries.length);
    return entries;
  }

  /** The texts among the first items of a list; none of another value. */
  private names(list: unknown): string[] {
    const items = Array.isArray(list) ? (list as unknown[]).slice(0, maxNames) : [];
    this.refs.look(items.length);
    return items.filter((name) => typeof name === 'string');
  }

  private add(name: string, schema: unknown): PropertyShape {
    let property = this.shape.properties.get(name);
    if (!property)
      this.shape.properties.set(
        name,
        (property = { schemas: [], isRequired: false, requiredWith: [], conditions: [] }),
      );
    property.schemas.push(schema);
    return property;
  }

  private require(name: string): void {
    if (this.forbidden.has(name)) return;
    const { properties, patterns, more } = this.shape;
    // The property is required but not declared, so the rules for additional properties apply.
    const property =
      properties.get(name) ?? this.addAll(name, more ?? patterns.slice(0, 1).map(([, schema]) => schema));
    property.isRequired = true;
  }

  private addAll(name: string, schemas: readonly unknown[]): PropertyShape {
    const property = this.add(name, true);
    property.schemas.push(...schemas);
    return property;
  }

  /**
   * Adds the properties that are used only under a condition. Each becomes an optional field with a note about the
   * condition.
   */
  private addConditions(schema: Schema): void {
    const condition = isObject(schema['if']) ? this.conditionWords(schema['if']) : undefined;
    if (schema['if'] !== undefined) {
      this.addConditional(schema['then'], condition?.whenTrue);
      this.addConditional(schema['else'], condition?.whenFalse);
    }
    for (const keyword of ['dependentRequired', 'dependentSchemas', 'dependencies']) {
      for (const [name, needed] of this.entries(schema[keyword])) {
        if (Array.isArray(needed)) for (const other of this.names(needed)) this.needWith(other, name);
        else this.addConditional(needed, t('when "{0}" is set', name.slice(0, 80)));
      }
    }
  }

  private needWith(name: string, other: string): void {
    const property = this.shape.properties.get(name);
    if (property && property.requiredWith.length < maxPatterns) property.requiredWith.push(other);
  }

  private addConditional(schema: unknown, when: string | undefined): void {
    if (!isObject(schema)) return;
    for (const { schema: part } of collectParts([schema], this.refs).all) {
      if (!this.isNewCondition(part, when)) continue;
      for (const [name, property] of this.entries(part['properties'])) {
        const known = this.shape.properties.get(name);
        if (property === false) this.note(name, when && t('Not used {0}', when));
        // The property already exists. Its additional conditions are not applied to the form, because they might
        // contradict its schema. Validation checks them.
        else if (!known && !this.forbidden.has(name)) {
          this.add(name, property);
          this.note(name, when && t('Used {0}', when));
        }
      }
      for (const name of this.names(part['required'])) this.note(name, when && t('Required {0}', when));
    }
  }

  /**
   * Whether the names of a schema must be read for a condition. After that many conditions, the notes about its
   * properties are full, so a schema that many conditions refer to is read only a few times.
   */
  private isNewCondition(schema: Schema, when: string | undefined): boolean {
    const known = this.conditionsOf.get(schema) ?? new Set();
    if (known.size > maxConditions || known.has(when)) return false;
    this.conditionsOf.set(schema, known.add(when));
    return true;
  }

  /** Handles branches that only require properties: `anyOf: [{ required: ['url'] }, { required: ['path'] }]`. */
  private addAlternatives(branches: readonly unknown[]): void {
    const lists = branches.slice(0, 20).map((branch) => (isObject(branch) ? this.names(branch['required']) : []));
    if (lists.some((list) => list.length === 0)) return;
    const isBare = branches.every(
      (branch) => isObject(branch) && this.entries(branch).every(([keyword]) => bareKeywords.has(keyword)),
    );
    if (!isBare) return;
    const words = t(
      'One of these is required: {0}',
      lists
        .map((list) => list.slice(0, 5).join(' + '))
        .join(', ')
        .slice(0, 200),
    );
    for (const name of new Set(lists.flat())) this.note(name, words);
  }

  private note(name: string, words: string | undefined): void {
    const property = this.shape.properties.get(name);
    if (
      property &&
      words !== undefined &&
      !property.conditions.includes(words) &&
      property.conditions.length < maxConditions
    )
      property.conditions.push(words);
  }

  private addMore(): void {
    const { parts, shape } = this;
    const rules = [...pickAll(parts, 'additionalProperties'), ...pickAll(parts, 'unevaluatedProperties')];
    for (const patterns of pickAll(parts, 'patternProperties')) {
      for (const [pattern, schema] of this.entries(patterns))
        if (schema !== false && shape.patterns.length < maxPatterns) shape.patterns.push([pattern, schema]);
    }
    const isClosed = rules.includes(false);
    shape.isMoreDeclared =
      shape.patterns.length > 0 ||
      (!isClosed &&
        (rules.some((rule) => rule === true || isObject(rule)) || pickAll(parts, 'properties').length === 0));
    if (!isClosed) shape.more = rules.filter(isObject);
    else if (shape.patterns.length > 0) shape.more = shape.patterns.slice(0, 1).map(([, schema]) => schema);
    for (const schema of pickAll(parts, 'propertyNames')) {
      for (const { schema: part } of collectParts([schema], this.refs).all) {
        if (Array.isArray(part['enum'])) shape.names ??= this.names(part['enum']);
        if (typeof part['const'] === 'string') shape.names ??= [part['const']];
        if (typeof part['pattern'] === 'string') shape.namePattern ??= part['pattern'].slice(0, 200);
      }
    }
  }

  /**
   * Describes an `if` schema in words. Undefined unless it tests a single property: that it is set, or that it has one
   * of several values.
   */
  private conditionWords(condition: Schema): { whenTrue: string; whenFalse: string } | undefined {
    const [entry, ...others] = this.entries(condition['properties']);
    const name = (entry?.[0] ?? this.names(condition['required'])[0])?.slice(0, 80);
    if (name === undefined || others.length > 0) return undefined;
    const rule = entry?.[1];
    const values = isObject(rule) ? (Object.hasOwn(rule, 'const') ? [rule['const']] : rule['enum']) : undefined;
    if (!Array.isArray(values))
      return { whenTrue: t('when "{0}" is set', name), whenFalse: t('when "{0}" is not set', name) };
    const list = (values as JsonValue[]).slice(0, 5).map(shortText).join(', ');
    return { whenTrue: t('when "{0}" is {1}', name, list), whenFalse: t('when "{0}" is not {1}', name, list) };
  }
}

function shortText(value: JsonValue): string {
  return typeof value === 'object' && value !== null ? '{…}' : JSON.stringify(value).slice(0, 60);
}

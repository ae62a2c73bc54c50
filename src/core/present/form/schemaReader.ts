/**
 * Reads input schemas for questions: follows references inside the schema, selects the kind of question for a property,
 * and creates the smallest value with the right structure. Depth, size and work are limited for every schema.
 */
import { sizeOf } from '../../../shared/form/formJson.js';
import { nameOfStep } from '../../../shared/json.js';
import { isObject, isStringArray } from '../../base/guards.js';
import { visibleLine } from '../../base/hostileText.js';
import { objectOf } from '../../base/objectCopy.js';
import type { JsonSchema } from '../../protocol/mcp.js';

/** One choice of an `enum` or `multi-enum` step. */
export interface StepOption {
  value: unknown;
  /** The text for display, with hidden characters made visible. */
  title: string;
  /** The value itself, if the title does not show it. */
  description?: string;
}

export type StepKind = 'text' | 'number' | 'integer' | 'boolean' | 'enum' | 'multi-enum' | 'json';

const maxOptions = 500;
const maxReferences = 20;
/**
 * Maximum number of schemas, keywords, names, and values that one reader examines. They are counted each time, because
 * references multiply the work.
 */
const maxLooks = 50_000;
/** Maximum number of nested values in a default value or an example. */
const maxValues = 10_000;
/** Maximum number of types in a list of types that are examined. */
const maxTypes = 20;
/** Keywords that `resolve` replaces by the schemas that they refer to. */
const unfoldedKeywords = new Set(['$ref', 'allOf', 'anyOf', 'oneOf']);

/** How the user is asked for one argument. */
export interface StepShape {
  kind: StepKind;
  isNullable: boolean;
  options?: StepOption[];
  takesText?: boolean;
  isTextList?: boolean;
}

interface ObjectShape {
  properties: Map<string, unknown>;
  required: Set<string>;
  /** Whether the object may have properties that the schema does not list. */
  isFree: boolean;
}

/** Reads one schema and follows the references inside it. */
export class SchemaReader {
  private looks = 0;

  constructor(private readonly root: JsonSchema) {}

  /** Whether the schema is too large to read. The results are incomplete then, and must not be used. */
  get isSpent(): boolean {
    return this.looks > maxLooks;
  }

  /**
   * Follows the references of a schema, and merges each target with the keywords beside the reference. A single
   * `allOf`, and a single `anyOf` or `oneOf` branch that is not null, are merged in the same way.
   */
  resolve(schema: unknown): JsonSchema {
    let current = isObject(schema) ? schema : {};
    for (let i = 0; i < maxReferences; i++) {
      const next = this.unfold(current);
      if (next === undefined) return current;
      // Keywords next to a reference, such as title and description, override those of its target.
      const beside = Object.entries(current).filter(([keyword]) => !unfoldedKeywords.has(keyword));
      current = { ...next, ...Object.fromEntries(beside) };
      if (!this.look(beside.length + Object.keys(current).length)) return {};
    }
    return {};
  }

  /** The properties of an object schema; `other` for any other schema. */
  objectShape(schema: JsonSchema): { properties: [string, unknown][]; required: Set<string> } | 'other' {
    const shape: ObjectShape = { properties: new Map(), required: new Set(), isFree: false };
    if (!this.collect(schema, shape, new Set(), 0)) return 'other';
    // If the schema lists no properties, the value can only be entered as JSON.
    if (shape.properties.size === 0 && shape.isFree) return 'other';
    return { properties: [...shape.properties], required: shape.required };
  }

  kindOf(schema: JsonSchema): StepShape {
    const types = typesOf(schema);
    const isNullable =
      types.has('null') ||
      schema['nullable'] === true ||
      (Array.isArray(schema['enum']) && this.look(schema['enum'].length) && schema['enum'].includes(null));
    const options = this.options(schema);
    if (options)
      return {
        kind: 'enum',
        isNullable: false,
        options: this.withNull(options, types.has('null') || schema['nullable'] === true),
      };
    types.delete('null');
    const [type, ...others] = types;
    if (others.length > 0) {
      const isNumberOnly = others.length === 1 && types.has('number') && types.has('integer');
      return isNumberOnly
        ? { kind: 'number', isNullable }
        : { kind: 'json', isNullable, takesText: types.has('string') };
    }
    switch (type) {
      case 'string':
        return { kind: 'text', isNullable };
      case 'number':
      case 'integer':
        return { kind: type, isNullable };
      case 'boolean':
        return {
          kind: 'boolean',
          isNullable: false,
          options: this.withNull([this.option(true), this.option(false)], isNullable),
        };
      case 'array':
        return this.listShape(schema);
      case undefined:
        return this.untypedShape(schema, isNullable);
      default:
        return { kind: 'json', isNullable };
    }
  }

  /**
   * The initial content of the field: the default, the first example, or the smallest value with the right structure.
   * Undefined if a guess would be misleading.
   */
  skeleton(schema: unknown, depth: number): unknown {
    if (!this.look(1)) return undefined;
    const resolved = this.resolve(schema);
    if (resolved['default'] !== undefined) return resolved['default'];
    if (Array.isArray(resolved['examples']) && resolved['examples'].length > 0) return resolved['examples'][0];
    if (Object.hasOwn(resolved, 'const')) return resolved['const'];
    if (Array.isArray(resolved['enum'])) return resolved['enum'][0];
    const [type] = typesOf(resolved);
    if (type === 'array') {
      const item =
        depth < 3 && resolved['items'] !== undefined ? this.skeleton(resolved['items'], depth + 1) : undefined;
      return item === undefined ? [] : [item];
    }
    if (type === 'object' || (type === undefined && isObject(resolved['properties']))) {
      const shape = this.objectShape(resolved);
      if (shape === 'other' || depth >= 3) return {};
      const wanted = shape.properties.filter(([key]) => shape.required.has(key)).slice(0, 50);
      return objectOf(wanted.map(([key, property]) => [key, this.skeleton(property, depth + 1) ?? null]));
    }
    if (type === 'string') return depth === 0 ? undefined : '';
    if (type === 'number' || type === 'integer')
      return depth === 0 ? undefined : typeof resolved['minimum'] === 'number' ? resolved['minimum'] : 0;
    if (type === 'boolean') return depth === 0 ? undefined : false;
    return undefined;
  }

  /** The JSON text of a value. Undefined if the value is too large to show. */
  json(value: unknown): string | undefined {
    const size = sizeOf(value, maxValues);
    const text = this.look(size ?? maxValues / 10) && size !== undefined ? JSON.stringify(value) : undefined;
    this.look(Math.floor((text?.length ?? 0) / 1_000));
    return text;
  }

  /** Counts examined parts. Returns false when the limit is exceeded. */
  private look(count: number): boolean {
    this.looks += count;
    return !this.isSpent;
  }

  private unfold(schema: JsonSchema): JsonSchema | undefined {
    if (typeof schema['$ref'] === 'string') return this.target(schema['$ref']) ?? {};
    const { allOf } = schema;
    if (Array.isArray(allOf) && allOf.length === 1 && isObject(allOf[0])) return allOf[0];
    for (const key of ['anyOf', 'oneOf'] as const) {
      const branches: unknown = schema[key];
      if (!Array.isArray(branches) || !this.look(branches.length)) continue;
      const meant = (branches as unknown[]).filter((branch) => !(isObject(branch) && branch['type'] === 'null'));
      const [only] = meant;
      if (meant.length !== 1 || !isObject(only)) continue;
      if (branches.length === 1) return only;
      return { ...only, nullable: true };
    }
    return undefined;
  }

  /** The target of a pointer inside the schema. Pointers to other documents are not followed. */
  private target(reference: string): JsonSchema | undefined {
    if (!reference.startsWith('#')) return undefined;
    let current: unknown = this.root;
    const steps = reference.slice(1).split('/').slice(1);
    if (!this.look(steps.length)) return undefined;
    for (const part of steps) {
      const key = nameOfStep(decode(part));
      if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return undefined;
      current = (current as Record<string, unknown>)[key];
    }
    return isObject(current) ? current : undefined;
  }

  /**
   * Adds the properties of `schema` and of the schemas that it combines, each once; returns false if they do not
   * describe an object.
   */
  private collect(schema: unknown, shape: ObjectShape, seen: Set<JsonSchema>, depth: number): boolean {
    if (!isObject(schema) || depth > 5 || !this.look(1)) return false;
    if (seen.has(schema)) return true;
    seen.add(schema);
    const types = typesOf(schema);
    if (types.size > 0 && !types.has('object')) return false;
    const properties = isObject(schema['properties']) ? Object.entries(schema['properties']) : [];
    const required = Array.isArray(schema['required']) ? schema['required'] : [];
    if (!this.look(properties.length + required.length)) return false;
    for (const [key, property] of properties) if (property !== false) shape.properties.set(key, property);
    if (isStringArray(required)) for (const key of required) shape.required.add(key);
    const { additionalProperties, patternProperties, anyOf, oneOf, minProperties } = schema;
    shape.isFree ||=
      additionalProperties === true ||
      isObject(additionalProperties) ||
      [patternProperties, anyOf, oneOf, minProperties].some((rule) => rule !== undefined);
    const parts: unknown[] = Array.isArray(schema['allOf']) ? [...(schema['allOf'] as unknown[])] : [];
    if (typeof schema['$ref'] === 'string') parts.push(this.target(schema['$ref']));
    return parts.every((part) => this.collect(part, shape, seen, depth + 1));
  }

  /** The choices of a schema that lists fixed values: `enum`, `const`, or `oneOf`/`anyOf` of titled constants. */
  private options(schema: JsonSchema): StepOption[] | undefined {
    if (Array.isArray(schema['enum'])) {
      const values = schema['enum'] as unknown[];
      if (values.length === 0 || values.length > maxOptions) return undefined;
      // OpenAPI tools and MCP's elicitation list the names of the choices separately.
      const names = [schema['enumNames'], schema['x-enumNames'], schema['x-enum-varnames']]
        .map((list) => (Array.isArray(list) ? list.slice(0, values.length) : list))
        .find(isStringArray);
      return values.map((value, index) => this.option(value, names?.[index]));
    }
    if (Object.hasOwn(schema, 'const')) return [this.option(schema['const'])];
    const branches = schema['oneOf'] ?? schema['anyOf'];
    if (!Array.isArray(branches) || branches.length === 0 || branches.length > maxOptions) return undefined;
    const options: StepOption[] = [];
    for (const branch of branches as unknown[]) {
      if (!isObject(branch)) return undefined;
      if (Object.hasOwn(branch, 'const'))
        options.push(this.option(branch['const'], branch['title'] ?? branch['description']));
      else if (Array.isArray(branch['enum']))
        options.push(...branch['enum'].slice(0, maxOptions).map((value) => this.option(value)));
      else if (branch['type'] === 'null') options.push(this.option(null));
      else return undefined;
      if (options.length > maxOptions || this.isSpent) return undefined;
    }
    return options;
  }

  private withNull(options: StepOption[], isNullable: boolean): StepOption[] {
    return isNullable && !options.some(({ value }) => value === null) ? [...options, this.option(null)] : options;
  }

  private option(value: unknown, title?: unknown): StepOption {
    this.look(1);
    const text = visibleLine(typeof value === 'string' ? value : (this.json(value) ?? '…'), 200) || '""';
    if (typeof title !== 'string' || title.trim() === '' || title === value) return { value, title: text };
    return { value, title: visibleLine(title, 200), description: text };
  }

  private listShape(schema: JsonSchema): StepShape {
    const items = this.resolve(schema['items']);
    const options = this.options(items);
    return options && options.every(({ value }) => typeof value === 'string')
      ? { kind: 'multi-enum', isNullable: false, options }
      : { kind: 'json', isNullable: false, isTextList: typesOf(items).size === 1 && typesOf(items).has('string') };
  }

  /**
   * The shape for a schema without a type, derived from its other keywords or its branches; otherwise the shape for any
   * value.
   */
  private untypedShape(schema: JsonSchema, isNullable: boolean): StepShape {
    if (isObject(schema['properties']) || schema['items'] !== undefined) return { kind: 'json', isNullable };
    if (['minLength', 'maxLength', 'pattern', 'format'].some((key) => schema[key] !== undefined))
      return { kind: 'text', isNullable };
    if (['minimum', 'maximum', 'multipleOf'].some((key) => schema[key] !== undefined))
      return { kind: 'number', isNullable };
    const branches = schema['anyOf'] ?? schema['oneOf'];
    if (Array.isArray(branches)) {
      const types = branches.map((branch) => typesOf(this.resolve(branch)));
      if (types.every((set) => set.size === 1 && set.has('string'))) return { kind: 'text', isNullable };
      return { kind: 'json', isNullable, takesText: types.some((set) => set.has('string')) };
    }
    return { kind: 'json', isNullable, takesText: true };
  }
}

function typesOf(schema: JsonSchema): Set<string> {
  const { type } = schema;
  if (typeof type === 'string') return new Set([type]);
  const types = Array.isArray(type) ? type.slice(0, maxTypes) : [];
  return new Set(isStringArray(types) ? types : []);
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    // The percent sign is not part of an escape, so it is literal.
    return part;
  }
}

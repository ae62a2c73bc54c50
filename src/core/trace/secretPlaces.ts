/**
 * Finds the places of secrets in a value from its schema: fields with `format: password` or `writeOnly`, and fields
 * with the name of a secret.
 */
import { isObject } from '../base/guards.js';
import { isSecretField } from '../../shared/secretNames.js';

/** A place in a JSON value, with the places below it. */
export interface SecretPlace {
  /** Whether the whole value at this place is secret. */
  isSecret?: boolean;
  members?: Map<string, SecretPlace>;
  /** The place for members that are not listed by name. */
  rest?: SecretPlace;
  items?: SecretPlace;
}

/** Maximum number of schemas that are read. It is limited because schemas can refer to each other in cycles. */
const maxSchemas = 2_000;
const maxDepth = 20;

/** The places of secrets in a value with this schema; undefined if the schema marks no secret. */
export function secretPlaces(schema: unknown): SecretPlace | undefined {
  return new Reader(schema).read(schema, 0);
}

/** The places of an outer value. Its member at this path contains the value with `place`. */
export function placeAt(path: readonly string[], place: SecretPlace | undefined): SecretPlace | undefined {
  return place && path.reduceRight<SecretPlace>((inner, name) => ({ members: new Map([[name, inner]]) }), place);
}

class Reader {
  private left = maxSchemas;

  constructor(private readonly root: unknown) {}

  read(schema: unknown, depth: number): SecretPlace | undefined {
    if (!isObject(schema) || depth > maxDepth || this.left-- <= 0) return undefined;
    if (schema['format'] === 'password' || schema['writeOnly'] === true) return { isSecret: true };
    const parts = [this.properties(schema, depth), this.items(schema, depth)];
    for (const keyword of ['allOf', 'anyOf', 'oneOf'])
      if (Array.isArray(schema[keyword]))
        for (const one of schema[keyword] as unknown[]) parts.push(this.read(one, depth + 1));
    for (const keyword of ['if', 'then', 'else']) parts.push(this.read(schema[keyword], depth + 1));
    if (typeof schema['$ref'] === 'string') parts.push(this.read(this.target(schema['$ref']), depth + 1));
    return parts.reduce(merged, undefined);
  }

  private properties(schema: Record<string, unknown>, depth: number): SecretPlace | undefined {
    const { properties, patternProperties, additionalProperties } = schema;
    const members = new Map<string, SecretPlace>();
    for (const [name, property] of Object.entries(isObject(properties) ? properties : {})) {
      const place = isSecretField(name, property) ? { isSecret: true } : this.read(property, depth + 1);
      if (place) members.set(name, place);
    }
    const others = [additionalProperties, ...Object.values(isObject(patternProperties) ? patternProperties : {})];
    const rest = others.map((one) => this.read(one, depth + 1)).reduce(merged, undefined);
    return members.size === 0 && !rest
      ? undefined
      : { ...(members.size > 0 ? { members } : {}), ...(rest ? { rest } : {}) };
  }

  private items(
    { items, prefixItems, additionalItems }: Record<string, unknown>,
    depth: number,
  ): SecretPlace | undefined {
    const all = [items, prefixItems, additionalItems].flat().map((one) => this.read(one, depth + 1));
    const place = all.reduce(merged, undefined);
    return place && { items: place };
  }

  /** Resolves references within the same schema only; nothing is fetched. */
  private target(reference: string): unknown {
    if (!reference.startsWith('#')) return undefined;
    let at: unknown = this.root;
    for (const step of reference.slice(1).split('/').slice(1, maxDepth)) {
      const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
      at = isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
    }
    return at;
  }
}

/** The places of both. */
export function merged(one: SecretPlace | undefined, other: SecretPlace | undefined): SecretPlace | undefined {
  if (!one || !other) return one ?? other;
  if (one.isSecret === true || other.isSecret === true) return { isSecret: true };
  const rest = merged(one.rest, other.rest);
  const items = merged(one.items, other.items);
  const members = new Map(one.members);
  for (const [name, place] of other.members ?? []) members.set(name, merged(members.get(name), place) ?? place);
  return { ...(members.size > 0 ? { members } : {}), ...(rest ? { rest } : {}), ...(items ? { items } : {}) };
}

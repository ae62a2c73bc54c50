/**
 * Finds the places of secrets in a value from its schema: fields with `format: password` or `writeOnly`, and fields
 * with the name of a secret. References are resolved as in the form, so a field that the form masks is found here. A
 * part of the schema that cannot be read counts as secret.
 */
import { isObject } from '../base/guards.js';
import { SchemaRefs } from '../../shared/form/schemaRefs.js';
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

/** Maximum number of schemas that are searched; schemas beyond it count as secret. */
const maxSearched = 20_000;
/**
 * Maximum number of schemas whose places are determined. Schemas can refer to each other in cycles, so a schema is
 * counted each time it is reached. A schema beyond the limits that leads to a secret is secret as a whole.
 */
const maxPlaced = 2_000;
/**
 * Maximum number of places that are combined for one value. Places for patterns of names are combined with the place of
 * each name, at each depth, so their number could grow exponentially. A place beyond the limit is secret as a whole.
 */
const maxMerged = 20_000;
const maxDepth = 20;

type Schema = Record<string, unknown>;

/** A schema inside another one, and the values that it describes. */
interface Part {
  schema: unknown;
  /**
   * `same`: the value of the outer schema. `member`: the member with this name. `matching`: members by a pattern of
   * their names. `others`: members that are not listed by name. `item`: the items of a list.
   */
  of: 'same' | 'member' | 'matching' | 'others' | 'item';
  name?: string;
}

/** The whole value is secret. */
export const everything: SecretPlace = { isSecret: true };

/** The places of secrets in a value with this schema; undefined if the schema marks no secret. */
export function secretPlaces(schema: unknown): SecretPlace | undefined {
  return new Reader(schema).places();
}

/** The places of an outer value. Its member at this path contains the value with `place`. */
export function placeAt(path: readonly string[], place: SecretPlace | undefined): SecretPlace | undefined {
  return place && path.reduceRight<SecretPlace>((inner, name) => ({ members: new Map([[name, inner]]) }), place);
}

class Reader {
  private readonly refs: SchemaRefs;
  private readonly parts = new Map<Schema, readonly Part[]>();
  /** The schemas that are secret or lead to a secret. */
  private readonly secret = new Set<unknown>();
  private left = maxPlaced;
  private readonly merging = { left: maxMerged };

  constructor(private readonly root: unknown) {
    this.refs = new SchemaRefs(root);
  }

  places(): SecretPlace | undefined {
    this.search();
    return this.place(this.root, 0);
  }

  /** Reads each reachable schema once, and marks those that lead to a secret. Linear in the schema. */
  private search(): void {
    const users = new Map<unknown, Schema[]>();
    const marked: unknown[] = [];
    const waiting: unknown[] = [this.root];
    while (waiting.length > 0) {
      const next = waiting.pop();
      if (!isObject(next) || this.parts.has(next)) continue;
      if (this.parts.size >= maxSearched) {
        marked.push(next);
        continue;
      }
      const parts = isSecret(next) ? [] : this.partsOf(next);
      this.parts.set(next, parts);
      if (isSecret(next) || parts.some(isSecretPart)) marked.push(next);
      for (const { schema } of parts) {
        if (!isObject(schema)) continue;
        waiting.push(schema);
        const known = users.get(schema);
        if (known) known.push(next);
        else users.set(schema, [next]);
      }
    }
    for (let next = marked.pop(); next !== undefined; next = marked.pop()) {
      if (this.secret.has(next)) continue;
      this.secret.add(next);
      marked.push(...(users.get(next) ?? []));
    }
  }

  /** The places of a schema; undefined if it does not lead to a secret. */
  private place(schema: unknown, depth: number): SecretPlace | undefined {
    if (!isObject(schema) || !this.secret.has(schema)) return undefined;
    if (isSecret(schema) || depth > maxDepth || this.left-- <= 0) return everything;
    const members = new Map<string, SecretPlace>();
    const found: Partial<Record<Part['of'], SecretPlace | undefined>> = {};
    for (const part of this.parts.get(schema) ?? [{ schema: unreadable, of: 'same' }]) {
      const place = isSecretPart(part) ? everything : this.place(part.schema, depth + 1);
      if (!place) continue;
      if (part.of === 'member') members.set(part.name ?? '', place);
      else found[part.of] = merged(found[part.of], place, this.merging);
    }
    for (const [name, place] of members) members.set(name, merged(place, found.matching, this.merging) ?? place);
    const rest = merged(found.matching, found.others, this.merging);
    const own = {
      ...(members.size > 0 ? { members } : {}),
      ...(rest ? { rest } : {}),
      ...(found.item ? { items: found.item } : {}),
    };
    return merged(found.same, own, this.merging);
  }

  private partsOf(schema: Schema): Part[] {
    const parts: Part[] = [];
    const add = (of: Part['of'], ...schemas: unknown[]) => {
      for (const one of schemas) if (isObject(one)) parts.push({ schema: one, of });
    };
    add('same', ...['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => schema[keyword]));
    add('same', schema['if'], schema['then'], schema['else']);
    add('same', ...valuesOf(schema['dependentSchemas']), ...valuesOf(schema['dependencies']));
    add('matching', ...valuesOf(schema['patternProperties']));
    add('others', schema['additionalProperties'], schema['unevaluatedProperties']);
    add('item', ...['items', 'prefixItems', 'additionalItems'].flatMap((keyword) => schema[keyword]));
    add('item', schema['contains'], schema['unevaluatedItems']);
    for (const keyword of ['$ref', '$dynamicRef', '$recursiveRef']) {
      const reference = schema[keyword];
      if (typeof reference === 'string')
        parts.push({ schema: this.refs.target(reference, schema) ?? unreadable, of: 'same' });
    }
    const { properties } = schema;
    for (const [name, property] of Object.entries(isObject(properties) ? properties : {}))
      parts.push({ schema: property, of: 'member', name });
    return parts;
  }
}

/** Represents a schema that cannot be read. */
const unreadable: Schema = { writeOnly: true };

function isSecret(schema: Schema): boolean {
  return schema['format'] === 'password' || schema['writeOnly'] === true;
}

/** Whether a part is secret by itself: a member with the name of a secret. */
function isSecretPart({ schema, of, name }: Part): boolean {
  return of === 'member' && name !== undefined && isSecretField(name, schema);
}

function valuesOf(value: unknown): unknown[] {
  return isObject(value) ? Object.values(value) : [];
}

/**
 * The combined places: a value is secret if at least one of the two marks it as secret.
 * @param merging how many more places may be combined. Default: `maxMerged`.
 */
export function merged(
  one: SecretPlace | undefined,
  other: SecretPlace | undefined,
  merging = { left: maxMerged },
): SecretPlace | undefined {
  if (!one || !other) return one ?? other;
  if (one.isSecret === true || other.isSecret === true || merging.left <= 0) return everything;
  merging.left -= 1 + (one.members?.size ?? 0) + (other.members?.size ?? 0);
  const rest = merged(one.rest, other.rest, merging);
  const items = merged(one.items, other.items, merging);
  const members = new Map<string, SecretPlace>();
  for (const name of [...(one.members?.keys() ?? []), ...(other.members?.keys() ?? [])]) {
    const place = merged(one.members?.get(name) ?? one.rest, other.members?.get(name) ?? other.rest, merging);
    if (place) members.set(name, place);
  }
  return { ...(members.size > 0 ? { members } : {}), ...(rest ? { rest } : {}), ...(items ? { items } : {}) };
}

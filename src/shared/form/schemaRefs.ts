/**
 * Resolves references within one schema (JSON Schema 2020-12, core, 8.2; also anchors of draft-06 and draft-07).
 * Nothing is fetched, so a reference to another document has no target (security requirement X3).
 */
import { isObject, nameOfStep } from '../json.js';

type Schema = Record<string, unknown>;

/** Maximum number of objects that are searched for identifiers. */
const maxSearched = 50_000;
/**
 * Maximum number of schemas that are examined. A schema is counted each time it is examined, because nested choices
 * multiply the work.
 */
const maxLooks = 50_000;

export class SchemaRefs {
  private looks = 0;
  /** The identifiers in the schema; collected when the first reference is resolved. */
  private index: Identifiers | undefined;
  /** The targets of the references in a schema. Each is resolved once, because a reference can be long. */
  private readonly targets = new Map<Schema, Map<string, unknown>>();

  constructor(private readonly root: unknown) {}

  /** Counts examined schemas. Returns false when the limit is exceeded. */
  look(count = 1): boolean {
    this.looks += count;
    return this.looks <= maxLooks;
  }

  /** The target of `reference` in the schema `from`. Undefined if the target is not part of this document. */
  target(reference: string, from: Schema): unknown {
    const known = this.targets.get(from) ?? new Map<string, unknown>();
    if (!known.has(reference)) this.targets.set(from, known.set(reference, this.resolve(reference, from)));
    return known.get(reference);
  }

  private resolve(reference: string, from: Schema): unknown {
    const hash = reference.indexOf('#');
    const uri = hash < 0 ? reference : reference.slice(0, hash);
    const fragment = decode(hash < 0 ? '' : reference.slice(hash + 1));
    const resource = uri === '' ? this.resourceOf(from) : this.resourceNamed(uri);
    if (resource === undefined || fragment === '') return resource;
    if (fragment.startsWith('/')) return follow(resource, fragment);
    return this.identifiers().anchors.get(resource)?.get(fragment);
  }

  /** The innermost schema with an identifier around `schema`, or the root. JSON Pointers are relative to it. */
  private resourceOf(schema: Schema): unknown {
    return this.identifiers().resources.get(schema) ?? this.root;
  }

  private resourceNamed(uri: string): unknown {
    const { names } = this.identifiers();
    // By the specification, a relative identifier is resolved against the enclosing identifier. A search by its last
    // path segment is simpler and usually finds the same target.
    return names.get(uri) ?? names.get(lastPart(uri));
  }

  private identifiers(): Identifiers {
    return (this.index ??= findIdentifiers(this.root));
  }
}

interface Identifiers {
  names: Map<string, Schema>;
  /** The resource that each object belongs to. Objects of the root resource are left out. */
  resources: Map<Schema, Schema>;
  anchors: Map<unknown, Map<string, Schema>>;
}

function findIdentifiers(root: unknown): Identifiers {
  const found: Identifiers = { names: new Map(), resources: new Map(), anchors: new Map() };
  const seen = new Set<unknown>();
  const waiting: [unknown, unknown][] = [[root, root]];
  for (let next = waiting.pop(); next !== undefined && seen.size < maxSearched; next = waiting.pop()) {
    const [current, outer] = next;
    if (typeof current !== 'object' || current === null || seen.has(current)) continue;
    seen.add(current);
    let resource = outer;
    if (isObject(current)) {
      const id = current['$id'] ?? current['id'];
      if (typeof id === 'string' && id !== '') {
        // In draft-06 and draft-07, an anchor is an identifier that consists of a fragment.
        if (id.startsWith('#')) addAnchor(found, resource, id.slice(1), current);
        else {
          resource = current;
          const name = id.replace(/#$/, '');
          for (const key of [name, lastPart(name)]) if (!found.names.has(key)) found.names.set(key, current);
        }
      }
      for (const anchor of [current['$anchor'], current['$dynamicAnchor']])
        if (typeof anchor === 'string') addAnchor(found, resource, anchor, current);
      if (resource !== root) found.resources.set(current, resource as Schema);
    }
    for (const inner of Object.values(current)) waiting.push([inner, resource]);
  }
  return found;
}

function lastPart(uri: string): string {
  return uri.slice(uri.lastIndexOf('/') + 1);
}

function addAnchor(found: Identifiers, resource: unknown, name: string, schema: Schema): void {
  const anchors = found.anchors.get(resource) ?? new Map<string, Schema>();
  if (!anchors.has(name)) anchors.set(name, schema);
  found.anchors.set(resource, anchors);
}

function follow(resource: unknown, pointer: string): unknown {
  let current = resource;
  for (const part of pointer.split('/').slice(1)) {
    const key = nameOfStep(part);
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) return undefined;
    current = (current as Record<string, unknown>)[key];
  }
  return current;
}

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    // The fragment contains an unencoded percent sign, so it is used unchanged.
    return fragment;
  }
}

/**
 * A part of JSONPath (RFC 9535): names, indexes, wildcards and descendants, without filters and slices. The whole
 * language needs a library.
 */
type Segment = { name: string } | { index: number } | { wildcard: true } | { descendant: string };

/** The segments of a path; undefined if the path is invalid or needs more of the language. */
function segmentsOf(path: string): Segment[] | undefined {
  if (!path.startsWith('$')) return undefined;
  const segments: Segment[] = [];
  const pattern =
    /\.\.([\p{L}_][\p{L}\p{N}_-]*)|\.([\p{L}_][\p{L}\p{N}_-]*)|\.\*|\[\*\]|\[(-?\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/uy;
  pattern.lastIndex = 1;
  while (pattern.lastIndex < path.length) {
    const match = pattern.exec(path);
    if (!match) return undefined;
    const [, descendant, member, index, single, double] = match;
    const quoted = single ?? double;
    if (descendant !== undefined) segments.push({ descendant });
    else if (member !== undefined) segments.push({ name: member });
    else if (index !== undefined) segments.push({ index: Number(index) });
    else if (quoted !== undefined) segments.push({ name: quoted.replace(/\\(.)/g, '$1') });
    else segments.push({ wildcard: true });
  }
  return segments;
}

/** Whether a path is supported. @param isSingular true if the path must lead to one value at most. */
export function isPath(path: string, isSingular: boolean): boolean {
  const segments = segmentsOf(path);
  return segments !== undefined && (!isSingular || segments.every((one) => 'name' in one || 'index' in one));
}

/** The value at a path that leads to one value at most; undefined if there is none. Follows own properties only. */
export function valueAtPath(value: unknown, path: string): unknown {
  return placesOf(value, segmentsOf(path) ?? [])[0]?.value;
}

/** A copy of a JSON value without the values at these paths. */
export function withoutPaths(value: unknown, paths: readonly string[]): unknown {
  const copy: unknown = structuredClone(value);
  for (const path of paths) {
    for (const { parent, key } of placesOf(copy, segmentsOf(path) ?? []).reverse()) {
      if (Array.isArray(parent)) parent.splice(Number(key), 1);
      else if (parent !== undefined) Reflect.deleteProperty(parent, key);
    }
  }
  return copy;
}

interface Found {
  value: unknown;
  parent?: object;
  key: string | number;
}

function placesOf(root: unknown, segments: readonly Segment[]): Found[] {
  let found: Found[] = [{ value: root, key: '' }];
  for (const segment of segments) found = found.flatMap(({ value }) => step(value, segment));
  return found;
}

function step(value: unknown, segment: Segment): Found[] {
  if (typeof value !== 'object' || value === null) return [];
  const members = (): Found[] =>
    Array.isArray(value)
      ? value.map((item: unknown, key) => ({ value: item, parent: value, key }))
      : Object.entries(value).map(([key, item]: [string, unknown]) => ({ value: item, parent: value, key }));
  if ('wildcard' in segment) return members();
  if ('descendant' in segment) {
    const { descendant } = segment;
    const own = members().filter(({ key }) => key === descendant);
    return [...own, ...members().flatMap((member) => step(member.value, segment))];
  }
  if ('index' in segment) {
    if (!Array.isArray(value)) return [];
    const key = segment.index < 0 ? value.length + segment.index : segment.index;
    return key in value ? [{ value: value[key], parent: value, key }] : [];
  }
  if (Array.isArray(value) || !Object.hasOwn(value, segment.name)) return [];
  return [{ value: (value as Record<string, unknown>)[segment.name], parent: value, key: segment.name }];
}

import { isObject } from '../../../base/guards.js';
import type { Tool } from '../../../protocol/mcp.js';
import type { SchemaPlace } from './lintRule.js';

/** Limits of the places that are visited in one tool. The largest of 725 public tools has 265. */
const maxPlaces = 20_000;
const maxDepth = 100;

const single = ['items', 'additionalProperties', 'contains', 'not', 'if', 'then', 'else', 'propertyNames'];
const lists = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const maps = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];
/** Keywords whose schemas describe a nested value. */
const deeper = new Set(['properties', 'patternProperties', 'items', 'additionalProperties', 'prefixItems', 'contains']);

/**
 * All places in the schemas of a tool, outer places first. References are not followed, so the result is finite; it is
 * cut after 20,000 places, and below 100 levels.
 */
export function* schemaPlaces(tool: Tool): Generator<SchemaPlace> {
  let count = 0;
  function* visit(place: SchemaPlace, level: number): Generator<SchemaPlace> {
    if (++count > maxPlaces || level > maxDepth) return;
    yield place;
    const { schema, pointer, part, depth } = place;
    for (const [key, value, property] of childrenOf(schema)) {
      if (!isObject(value)) continue;
      const keyword = key.split('/')[0] ?? '';
      const child: SchemaPlace = {
        schema: value,
        pointer: `${pointer}/${key}`,
        part,
        depth: depth + (deeper.has(keyword) ? 1 : 0),
        ...(property === undefined ? {} : { property }),
      };
      yield* visit(child, level + 1);
    }
  }
  for (const part of ['inputSchema', 'outputSchema'] as const) {
    const schema = tool[part];
    if (schema) yield* visit({ schema, pointer: `/${part}`, part, depth: 0 }, 0);
  }
}

/** The subschemas, each with its pointer below the schema, and the property that it describes. */
function* childrenOf(schema: Readonly<Record<string, unknown>>): Generator<[string, unknown, string | undefined]> {
  for (const key of single) if (schema[key] !== undefined) yield [key, schema[key], undefined];
  for (const key of lists) {
    const items = schema[key];
    if (Array.isArray(items)) for (const [index, item] of items.entries()) yield [`${key}/${index}`, item, undefined];
  }
  for (const key of maps) {
    const members = schema[key];
    if (!isObject(members)) continue;
    for (const [name, member] of Object.entries(members))
      yield [`${key}/${escaped(name)}`, member, key === 'properties' ? name : undefined];
  }
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

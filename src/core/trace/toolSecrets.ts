/** The secrets in the arguments of one tool, as its input schema marks them. */
import { headerParameters } from '../protocol/headerEncoding.js';
import type { JsonSchema } from '../protocol/mcp.js';
import type { SecretPlace } from './secretPlaces.js';
import { everything, merged, secretPlaces } from './secretPlaces.js';

export interface ToolSecrets {
  /** The places in the arguments; undefined if no argument is secret. */
  readonly place: SecretPlace | undefined;
  /** The headers that repeat secret arguments, in lower case. */
  readonly headers: ReadonlySet<string> | 'all';
}

/** The secrets of a tool all of whose arguments are secret. */
export const allSecret: ToolSecrets = { place: everything, headers: 'all' };

/** Returns the secrets of a tool; undefined if its schema is not known, so that every argument can be a secret. */
export type SecretsOfTool = (tool: string) => ToolSecrets | undefined;

const known = new WeakMap<JsonSchema, ToolSecrets>();

/** The secrets that this schema marks. The result is kept as long as the schema. */
export function toolSecrets(schema: JsonSchema): ToolSecrets {
  let read = known.get(schema);
  if (!read) known.set(schema, (read = readSchema(schema)));
  return read;
}

/** The combined secrets of two schemas of a tool; undefined if neither is known. */
export function mergedSecrets(one: ToolSecrets | undefined, other: ToolSecrets | undefined): ToolSecrets | undefined {
  if (!one || !other || one === other) return one ?? other;
  const hasAll = one.headers === 'all' || other.headers === 'all';
  return {
    place: merged(one.place, other.place),
    headers: hasAll ? 'all' : new Set([...one.headers, ...other.headers]),
  };
}

/** The length of all names in the secrets of a tool, in UTF-16 code units. */
export function lengthOfSecrets({ place, headers }: ToolSecrets): number {
  let length = 0;
  if (headers !== 'all') for (const header of headers) length += header.length;
  const waiting = [place];
  // A place can be in several others.
  const seen = new Set<SecretPlace>();
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    if (seen.has(one)) continue;
    seen.add(one);
    for (const [name, inner] of one.members ?? []) {
      length += name.length + 1;
      waiting.push(inner);
    }
    if (one.rest) waiting.push(one.rest);
    if (one.items) waiting.push(one.items);
  }
  return length;
}

function readSchema(schema: JsonSchema): ToolSecrets {
  const place = secretPlaces(schema);
  const parameters = headerParameters(schema);
  const isSecret = (path: readonly string[]) => {
    let at = place;
    for (const name of path) {
      if (at?.isSecret === true) return true;
      at = at?.members?.get(name);
    }
    return at?.isSecret === true;
  };
  return {
    place,
    headers: new Set(
      ('ok' in parameters ? parameters.ok : [])
        .filter(({ path }) => isSecret(path))
        .map(({ header }) => `mcp-param-${header.toLowerCase()}`),
    ),
  };
}

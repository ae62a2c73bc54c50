import { isObject } from '../base/guards.js';
import type { JsonSchema } from '../protocol/mcp.js';

/**
 * The input of a tool as its app receives it: the arguments of the call, and the schema's defaults for the omitted
 * ones. The server applies these defaults itself, but an app sees only what it is given.
 */
export function appInput(schema: JsonSchema | undefined, values: Record<string, unknown>): Record<string, unknown> {
  const properties = schema?.['properties'];
  if (!isObject(properties)) return values;
  const defaults = Object.entries(properties).flatMap(([name, property]): [string, unknown][] =>
    isObject(property) && property['default'] !== undefined ? [[name, property['default']]] : [],
  );
  return Object.fromEntries([...defaults, ...Object.entries(values)]);
}

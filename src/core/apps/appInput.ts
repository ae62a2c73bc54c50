import { isObject } from '../base/guards.js';
import type { JsonSchema } from '../protocol/mcp.js';

/**
 * The arguments that an app receives for its tool call, with the schema's defaults for omitted arguments. The server
 * applies these defaults itself, but the app sees only the arguments that it receives.
 */
export function appInput(schema: JsonSchema | undefined, values: Record<string, unknown>): Record<string, unknown> {
  const properties = schema?.['properties'];
  if (!isObject(properties)) return values;
  const defaults = Object.entries(properties).flatMap(([name, property]): [string, unknown][] =>
    isObject(property) && property['default'] !== undefined ? [[name, property['default']]] : [],
  );
  return Object.fromEntries([...defaults, ...Object.entries(values)]);
}

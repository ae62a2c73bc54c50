import { isObject } from '../../base/guards.js';
import type { JsonSchema } from '../../protocol/mcp.js';

/** A summary of one parameter of a tool. */
export interface ParameterSummary {
  name: string;
  /** The type as text: `string`, `number[]`, `"a" | "b"`, `object`, `any`. */
  type: string;
  isRequired: boolean;
  description?: string;
}

/**
 * The top-level parameters of an input schema, in their order. An unusual schema leads to fewer details, never to an
 * error.
 */
export function summarizeParameters(schema: JsonSchema): ParameterSummary[] {
  const properties = schema['properties'];
  if (!isObject(properties)) return [];
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.entries(properties).map(([name, property]) => {
    const description = isObject(property) ? (property['description'] ?? property['title']) : undefined;
    return {
      name,
      type: typeName(property, 0),
      isRequired: required.includes(name),
      ...(typeof description === 'string' ? { description } : {}),
    };
  });
}

/** Maximum depth, which is sufficient for `string[][]`. Untrusted schemas may be nested without limit. */
const maxDepth = 3;
const maxChoices = 5;

function typeName(schema: unknown, depth: number): string {
  if (!isObject(schema) || depth > maxDepth) return 'any';
  if (Array.isArray(schema['enum']))
    return choices(schema['enum'].slice(0, maxChoices + 1).map((value) => literal(value)));
  if ('const' in schema) return literal(schema['const']);
  for (const key of ['anyOf', 'oneOf']) {
    const branches = schema[key];
    if (Array.isArray(branches) && branches.length > 0) {
      return choices([...new Set(branches.slice(0, maxChoices + 1).map((branch) => typeName(branch, depth + 1)))]);
    }
  }
  const type = schema['type'];
  if (Array.isArray(type)) return choices(type.filter((name) => typeof name === 'string'));
  if (type === 'array') {
    const item = typeName(schema['items'], depth + 1);
    return item.includes(' | ') ? `(${item})[]` : `${item}[]`;
  }
  if (typeof type === 'string') return type;
  return isObject(schema['properties']) ? 'object' : 'any';
}

function choices(names: readonly string[]): string {
  if (names.length === 0) return 'any';
  return names.length > maxChoices ? `${names.slice(0, maxChoices).join(' | ')} | …` : names.join(' | ');
}

function literal(value: unknown): string {
  return JSON.stringify(value) ?? 'any';
}

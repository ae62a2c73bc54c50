import { isObject } from '../base/guards.js';

/** A tool as servers list it, with the name of its server. */
export interface SearchableTool {
  server: string;
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  inputSchema?: unknown;
  annotations?: { title?: string | undefined } | undefined;
}

/** The texts of a tool, each with its weight. */
export type ToolFields = readonly { text: string; weight: number }[];

const weights = { name: 2.75, title: 1.15, server: 1.9, summary: 1, description: 0.8, parameter: 0.45, detail: 0.2 };

/** Limits of a schema: its parameters, their nesting, and the characters of one text. */
const maxParameters = 200;
const maxDepth = 3;
const maxText = 4_000;

/**
 * The searched fields of a tool. The first sentence of the description is a field of its own, because it weighs more.
 */
export function fieldsOf({
  server,
  name,
  title,
  description = '',
  inputSchema,
  annotations,
}: SearchableTool): ToolFields {
  const text = description.slice(0, maxText);
  const end = text.search(/[.!?:](?:\s|$)|\n/);
  const summary = end === -1 ? text : text.slice(0, end + 1);
  const parameters: string[] = [];
  const details: string[] = [];
  readParameters(inputSchema, 0, parameters, details);
  const fields = [
    { text: name, weight: weights.name },
    { text: title ?? annotations?.title ?? '', weight: weights.title },
    { text: server, weight: weights.server },
    { text: summary, weight: weights.summary },
    { text: text.slice(summary.length), weight: weights.description },
    { text: parameters.join(' '), weight: weights.parameter },
    { text: details.join(' '), weight: weights.detail },
  ];
  return fields.map(({ text, weight }) => ({ text: text.slice(0, maxText), weight }));
}

function readParameters(schema: unknown, depth: number, names: string[], details: string[]): void {
  if (!isObject(schema) || depth > maxDepth) return;
  const { properties, items, enum: values } = schema;
  if (depth > 0 && typeof schema['description'] === 'string') details.push(schema['description'].slice(0, 300));
  if (Array.isArray(values))
    for (const value of values.slice(0, 30)) if (typeof value === 'string') details.push(value);
  if (isObject(properties))
    for (const [name, child] of Object.entries(properties)) {
      if (names.length >= maxParameters) return;
      names.push(name);
      readParameters(child, depth + 1, names, details);
    }
  readParameters(items, depth + 1, names, details);
}

/** What the tools of the "workspace" server have in common: their annotations, schemas, and results. */
import type { CallToolResult, JsonSchema, Tool, ToolAnnotations } from '../protocol/mcp.js';

const readOnly: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** Maximum length of the path of a file, in characters. */
export const maxPathLength = 4_096;
/** Maximum number of results that one call can request. */
export const maxResults = 1_000;

/** The argument for a file, and the path in results. */
export const path: JsonSchema = {
  type: 'string',
  title: 'Path',
  description:
    'Path of a file relative to the workspace folder, with "/". With several folders it begins with the name of the folder.',
  minLength: 1,
  maxLength: maxPathLength,
  examples: ['README.md', 'src/extension.ts'],
};

/** The field of a result that states whether there is more. */
export const isTruncated: JsonSchema = {
  type: 'boolean',
  title: 'Truncated',
  description: 'More data exists than was returned.',
};

/** The argument that limits the number of results. @param standard the default. */
export function limit(standard: number): JsonSchema {
  return {
    type: 'integer',
    title: 'Limit',
    description: 'How many results to return at most.',
    minimum: 1,
    maximum: maxResults,
    default: standard,
    examples: [20],
  };
}

/** The schema of an object without additional properties. */
export function object(properties: JsonSchema, required: readonly string[]): JsonSchema {
  return { type: 'object', properties, required, additionalProperties: false };
}

/** A tool that changes nothing. */
export function tool(
  name: string,
  title: string,
  description: string,
  inputSchema: JsonSchema,
  outputSchema: JsonSchema,
): Tool {
  return { name, title, description, inputSchema, outputSchema, annotations: { title, ...readOnly } };
}

/** A result: text for users and models, structured content for programs, and notes about the text. */
export function result(
  text: string,
  structuredContent: Record<string, unknown>,
  notes: readonly string[] = [],
): CallToolResult {
  return { content: [text, ...notes].map((part) => ({ type: 'text', text: part })), structuredContent };
}

/** One line for each result, or `none`. States if there are more results. */
export function listing(lines: readonly string[], truncated: boolean, none: string): string {
  if (lines.length === 0) return none;
  return truncated ? `${lines.join('\n')}\n(There are more; raise the limit or narrow the search.)` : lines.join('\n');
}

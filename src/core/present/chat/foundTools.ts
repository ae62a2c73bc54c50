/**
 * The search for tools by a model: two tools replace a list that is too long, and the texts of what they return. Clients
 * of the gateway, chat models, and agents of VS Code all use them.
 */
import { nearestName } from '../../base/editDistance.js';
import { visibleLine } from '../../base/hostileText.js';
import type { Tool } from '../../protocol/mcp.js';
import type { ToolFinder } from '../../search/toolFinder.js';
import type { ModelTool } from './modelTools.js';
import { toolDescription, toolSchema } from './modelTools.js';

/** Finds tools by words. The two tools replace a list that is too long for a client or a model. */
export const searchTool: Tool = {
  name: 'search_tools',
  description:
    'Finds tools of the MCP servers of this workspace. Returns up to five tools with name, description, and input schema. Call them with call_tool.',
  inputSchema: {
    type: 'object',
    properties: { query: { type: 'string', description: 'What the tool should do, in a few words.' } },
    required: ['query'],
  },
  annotations: { readOnlyHint: true },
};

/** Calls a tool by name. */
export const callTool: Tool = {
  name: 'call_tool',
  description: 'Calls a tool that search_tools returned.',
  inputSchema: {
    type: 'object',
    properties: {
      name: { type: 'string', description: 'The name of the tool.' },
      arguments: { type: 'object', description: "The arguments, as in the tool's input schema." },
    },
    required: ['name'],
  },
};

/** The tools that fit the words best, best first. */
export async function foundTools(
  finder: ToolFinder,
  tools: readonly ModelTool[],
  words: string,
): Promise<readonly ModelTool[]> {
  const found = await finder.find(
    tools.map((one) => ({ ...one.tool, server: one.server, one })),
    words,
  );
  return found.map(({ one }) => one);
}

/** The found tools for a model: JSON with name, description and input schema. */
export function foundToolsText(found: readonly ModelTool[]): string {
  if (found.length === 0) return 'No tool fits these words. Try other words for what the tool should do.';
  return JSON.stringify(
    found.map((one) => ({
      name: one.name,
      description: toolDescription(one),
      inputSchema: toolSchema(one.tool.inputSchema),
    })),
  );
}

/** The answer to a call of a tool that is not in the list, with the most similar name. */
export function unknownToolText(name: string, tools: readonly ModelTool[]): string {
  const near = nearestName(
    name,
    tools.map((tool) => tool.name),
  );
  return `There is no tool "${visibleLine(name, 100)}".${near === undefined ? '' : ` Did you mean "${near}"?`}`;
}

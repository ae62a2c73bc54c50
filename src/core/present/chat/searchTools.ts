/** The two tools that a client of the gateway or a chat model gets instead of a list of tools that is too long. */
import type { Tool } from '../../protocol/mcp.js';

/** Finds tools by words. */
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

import type { Implementation, Tool } from '../protocol/mcp.js';
import type { ToolSearch } from '../search/createIndex.js';
import type { SearchableTool } from '../search/toolFields.js';
import type { KeptNames } from './gatewayNames.js';
import { GatewayNames } from './gatewayNames.js';
import type { Target } from './gatewayLists.js';

/** Finds tools by words. */
export type ToolFinder = (tools: readonly SearchableTool[]) => Promise<ToolSearch>;

/** Clients that search a long list themselves, by the beginning of their name. */
const searchThemselves = /^(visual studio code|vscode|claude-code|claude code|codex)/i;

/** Maximum length of a list for other clients, in characters of JSON: some 10,000 tokens. */
const maxListLength = 40_000;

/** Maximum number of tools that a search returns. */
const maxFound = 5;

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

/** The public names of a workspace. The names of the two tools above are reserved. */
export function gatewayNames(kept: KeptNames | undefined): GatewayNames {
  return new GatewayNames(kept, [searchTool.name, callTool.name]);
}

const lengths = new WeakMap<Tool, number>();

/** Whether the client gets a search tool instead of the list: the list is long, and the client cannot search it. */
export function needsSearch(client: Implementation | undefined, tools: readonly Tool[]): boolean {
  if (client && searchThemselves.test(client.name)) return false;
  let length = 0;
  for (const tool of tools) {
    const known = lengths.get(tool) ?? JSON.stringify(tool).length;
    lengths.set(tool, known);
    length += known;
    if (length > maxListLength) return true;
  }
  return false;
}

/** The tools that match the words best, with their public names and texts. */
export async function searchTools(
  finder: ToolFinder,
  tools: ReadonlyMap<string, Target<Tool>>,
  query: string,
): Promise<{ name: string; description?: string; inputSchema: unknown }[]> {
  const list = [...tools].map(([name, { server, item }]) => ({ ...item, name, server }));
  return (await finder(list)).search(query, maxFound).flatMap(({ name }) => {
    const found = tools.get(name)?.item;
    return found
      ? [
          {
            name,
            ...(found.description === undefined ? {} : { description: found.description }),
            inputSchema: found.inputSchema,
          },
        ]
      : [];
  });
}

/** Searches with an index that is cached until the list changes. The search module is loaded on first use. */
export function indexedFinder(): ToolFinder {
  let last: { key: string; search: Promise<ToolSearch> } | undefined;
  return async (tools) => {
    const key = JSON.stringify(tools.map(({ server, name, description }) => [server, name, description]));
    if (last?.key !== key)
      last = { key, search: import('../search/createIndex.js').then((search) => search.createIndexInTurns(tools)) };
    return last.search;
  };
}

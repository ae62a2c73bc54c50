import type { Implementation, Tool } from '../protocol/mcp.js';
import type { ToolFinder } from '../search/toolFinder.js';
import type { KeptNames } from './gatewayNames.js';
import { GatewayNames } from './gatewayNames.js';
import { callTool, searchTool } from '../present/chat/searchTools.js';
import type { CallTarget } from './gatewayLists.js';

/** Clients that search a long list themselves, by the beginning of their name. */
const searchThemselves = /^(visual studio code|vscode|claude-code|claude code|codex)/i;

/** Maximum length of a list for other clients, in characters of JSON: some 10,000 tokens. */
const maxListLength = 40_000;

/** The public names of a workspace. The names of the search tool and of the call tool are reserved. */
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
  tools: ReadonlyMap<string, CallTarget<Tool>>,
  query: string,
): Promise<{ name: string; description?: string; inputSchema: unknown }[]> {
  const list = [...tools].map(([name, { server, item }]) => ({ ...item, name, server }));
  return (await finder.find(list, query)).map(({ name, description, inputSchema }) => ({
    name,
    ...(description === undefined ? {} : { description }),
    inputSchema,
  }));
}

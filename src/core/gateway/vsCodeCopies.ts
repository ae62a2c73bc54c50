/** Finds the servers of which VS Code's own agent has a copy. */
import type { ServerView } from '../catalog/hostApi.js';

/** VS Code cuts the name of the server in the names of tools, and the whole name, at these lengths. */
const maxServerLength = 13;
const maxToolLength = 64;

/**
 * The running servers whose tools VS Code's agent also has from a server of the same name.
 * @param toolNames the names of all language model tools.
 */
export function vsCodeCopies(servers: readonly ServerView[], toolNames: Iterable<string>): ServerView[] {
  const names = new Set(toolNames);
  return servers.filter(({ entry, offer }) => {
    const slug = entry.name
      .toLowerCase()
      .replace(/[^a-z0-9_.-]+/g, '_')
      .slice(0, maxServerLength);
    return offer?.tools.some(({ name }) => names.has(`mcp_${slug}_${name}`.slice(0, maxToolLength))) === true;
  });
}

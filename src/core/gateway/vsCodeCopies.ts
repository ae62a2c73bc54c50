/** Finds the servers of which VS Code's own agent has a copy. */
import type { ServerView } from '../catalog/hostTypes.js';

/** The length at which VS Code cuts the name of the server within the name of a tool. */
const maxServerLength = 13;
/** The length at which VS Code cuts the whole name of a tool. */
const maxToolLength = 64;

/**
 * The running servers whose tools VS Code's agent also has. The names of the tools of that agent begin with `mcp_` and
 * the name that the server states, or with the configured name of a server that VS Code has not connected to yet.
 * @param toolNames the names of all language model tools.
 */
export function vsCodeCopies(servers: readonly ServerView[], toolNames: Iterable<string>): ServerView[] {
  const names = new Set(toolNames);
  return servers.filter(({ entry, features }) => {
    const prefixes = [entry.name, features?.identity.info?.name ?? entry.name].map(prefixOf);
    return features?.tools.some(({ name }) =>
      prefixes.some((prefix) => names.has(`${prefix}${name}`.slice(0, maxToolLength))),
    );
  });
}

function prefixOf(server: string): string {
  const slug = server.toLowerCase().replace(/[^a-z0-9_.-]+/g, '_');
  return `mcp_${slug.slice(0, maxServerLength)}_`;
}

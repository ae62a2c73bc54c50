import type { ToolDefinition } from '../../../consent/toolDefinition.js';
import { definitionOf } from '../../../consent/toolDefinition.js';
import { maskValue } from '../../../base/masking.js';
import { withSortedKeys } from '../../../base/jsonText.js';
import type { ServerFeatures } from '../../../catalog/serverFeatures.js';

/** The version of the format that this program writes, and the newest that it reads. */
export const lockVersion = 1;

/** The path of the lock file in a folder. */
export const lockPath = '.vscode/mcp-deck.lock.json';

/** The definitions of a server as they were approved. */
export interface LockedServer {
  /** The name and version that the server stated. */
  info: { name: string; version: string };
  /** The tools by their names. */
  tools: Readonly<Record<string, ToolDefinition>>;
  /** Names of prompts, and URIs of resources and resource templates, sorted. */
  prompts: readonly string[];
  resources: readonly string[];
}

export interface LockFile {
  version: typeof lockVersion;
  servers: Readonly<Record<string, LockedServer>>;
}

export const emptyLock: LockFile = { version: lockVersion, servers: {} };

/** Maximum nesting of a definition in the file, in levels. Deeper parts are written as "…". */
const maxDepth = 100;

/**
 * What the lock file records of a running server. Names are sorted, and secrets are masked.
 * @param secrets the known secrets of the server, which its texts may repeat.
 */
export function lockedServer(
  { identity, tools, prompts, ...lists }: ServerFeatures,
  secrets: readonly string[],
): LockedServer {
  const { name, version } = identity.info;
  const uris = [
    ...lists.resources.map(({ uri }) => uri),
    ...lists.resourceTemplates.map(({ uriTemplate }) => uriTemplate),
  ];
  const locked: LockedServer = {
    info: { name, version },
    tools: Object.fromEntries(tools.map((tool) => [tool.name, definitionOf(tool)])),
    prompts: prompts.map((prompt) => prompt.name).sort(),
    resources: uris.sort(),
  };
  return withSortedKeys(maskValue(locked, secrets), maxDepth) as LockedServer;
}

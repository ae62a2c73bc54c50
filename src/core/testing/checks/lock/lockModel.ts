import type { ToolDefinition } from '../../../consent/toolDefinition.js';
import { definitionOf } from '../../../consent/toolDefinition.js';
import { maskText, maskValue } from '../../../base/masking.js';
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

/** The features that the lock file records. */
export type LockedFeatures = Pick<ServerFeatures, 'identity' | 'tools' | 'prompts' | 'resources' | 'resourceTemplates'>;

/** Maximum nesting of a definition in the file, in levels. Deeper parts are written as "…". */
const maxDepth = 100;

/**
 * The entry of a running server in the lock file, computed in steps (see `timeSlice`). Names are sorted, and secrets
 * are masked.
 * @param secrets the known secrets of the server, which its texts may repeat.
 */
export function* lockedServer(
  { identity, tools, prompts, resources, resourceTemplates }: LockedFeatures,
  secrets: readonly string[],
): Generator<void, LockedServer> {
  const { name, version } = identity.info;
  const recorded = (value: unknown) => withSortedKeys(maskValue(value, secrets), maxDepth);
  const entries: [string, ToolDefinition][] = [];
  for (const tool of tools) {
    entries.push([maskText(tool.name, secrets), recorded(definitionOf(tool)) as ToolDefinition]);
    yield;
  }
  const uris = [...resources.map(({ uri }) => uri), ...resourceTemplates.map(({ uriTemplate }) => uriTemplate)];
  return {
    info: recorded({ name, version }) as LockedServer['info'],
    tools: Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))),
    prompts: yield* maskedTexts(
      prompts.map((prompt) => prompt.name),
      secrets,
    ),
    resources: yield* maskedTexts(uris, secrets),
  };
}

function* maskedTexts(texts: readonly string[], secrets: readonly string[]): Generator<void, string[]> {
  const masked: string[] = [];
  for (const text of texts) {
    masked.push(maskText(text, secrets));
    yield;
  }
  return masked.sort();
}

/**
 * The tools that a chat model may see and call: which ones they are, their names, descriptions and schemas. The texts
 * of servers are data: hidden characters are made visible, and long text is cut.
 */
import { createHash } from 'node:crypto';
import { isForModel } from '../../apps/toolApp.js';
import { isObject } from '../../base/guards.js';
import { visibleText } from '../../base/hostileText.js';
import type { ServerView } from '../../catalog/hostTypes.js';
import type { JsonSchema, Tool } from '../../protocol/mcp.js';

/** A tool with the name that a model uses to call it. */
export interface ModelTool {
  /** The name; matches `^[A-Za-z0-9_-]{1,64}$` and is unique. */
  name: string;
  server: string;
  tool: Tool;
}

/** Names of tools of MCP Deck itself (`searchTools.ts`). */
const ownNames = ['search_tools', 'call_tool'];

const maxNameLength = 64;
const hashLength = 8;

/**
 * Names for the tools of the running servers. Tools that are off, in quarantine, or reserved for apps are left out. A
 * name never depends on the order of the servers. If two names would be equal, or if a name is too long or has
 * characters that models do not accept, the name contains a part of a hash of server and tool (security requirement
 * L1).
 */
export function modelTools(servers: readonly ServerView[]): ModelTool[] {
  const seen = new Set<string>();
  const tools = servers.flatMap(({ id, features, switches, quarantined }) =>
    (features?.tools ?? []).filter(isForModel).flatMap((tool) => {
      if (switches?.whyOff(tool.name) !== undefined) return [];
      // A tool that has changed since its approval is not offered until the user has reviewed the change.
      if (quarantined?.has(tool.name) === true) return [];
      // If a server lists a name twice, a call of this name reaches only one of the two tools.
      const key = JSON.stringify([id, tool.name]);
      if (seen.has(key)) return [];
      seen.add(key);
      return [
        {
          server: id,
          tool,
          key,
          plain: `${slug(id)}_${slug(tool.name)}`,
          isExact: slug(id) === id && slug(tool.name) === tool.name,
        },
      ];
    }),
  );
  const counts = new Map<string, number>();
  for (const { plain } of tools) counts.set(plain, (counts.get(plain) ?? 0) + 1);
  const hashed = (plain: string, key: string, length: number) =>
    `${plain.slice(0, maxNameLength - length - 1)}_${hashOf(key, length)}`;
  // A tool may have the same name as the hashed name of another tool, by accident or to intercept its calls.
  const reserved = new Set([...ownNames, ...tools.map(({ plain, key }) => hashed(plain, key, hashLength))]);
  const used = new Set<string>();
  return tools.map(({ server, tool, key, plain, isExact }) => {
    let name = plain;
    if (!isExact || plain.length > maxNameLength || counts.get(plain) !== 1 || reserved.has(plain)) {
      for (let length = hashLength; name === plain || used.has(name); length += hashLength)
        name = hashed(plain, key, length);
    }
    used.add(name);
    return { name, server, tool };
  });
}

function slug(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, maxNameLength) || 'x';
}

function hashOf(text: string, length: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length);
}

/** The description of a tool for a model. */
export function toolDescription({ server, tool }: ModelTool, maxLength = 1_024): string {
  const title = tool.title ?? tool.annotations?.title;
  return visibleText(
    `[${server}] ${title === undefined ? '' : `${title}. `}${tool.description ?? tool.name}`,
    maxLength,
  );
}

/** Maximum number of nodes of a schema that is sent to a model. A larger schema is replaced by `{ type: 'object' }`. */
const maxSchemaNodes = 2_000;

/**
 * An input schema in a form that models accept: it is an object at the top level, hidden characters are made visible,
 * and long texts are cut. A schema that is too large or too deep becomes `{ type: 'object' }`.
 */
export function toolSchema(schema: JsonSchema): JsonSchema {
  let nodes = 0;
  const clean = (value: unknown, depth: number): unknown => {
    if (++nodes > maxSchemaNodes || depth > 50) throw new RangeError('too large');
    if (typeof value === 'string') return visibleText(value, 1_000);
    if (Array.isArray(value)) return value.map((item) => clean(item, depth + 1));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([key]) => key !== '$schema' && key !== '__proto__')
        .map(([key, inner]) => [visibleText(key, 200), clean(inner, depth + 1)]),
    );
  };
  try {
    return { ...(clean(schema, 0) as JsonSchema), type: 'object' };
  } catch (error) {
    if (error instanceof RangeError) return { type: 'object' };
    throw error;
  }
}

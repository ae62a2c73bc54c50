import { isObject } from '../../base/guards.js';
import type { Prompt, Resource, Tool } from '../../protocol/mcp.js';
import type { YamlNode } from '../yamlTree.js';
import { memberOf, memberText } from '../yamlTree.js';

/** The features of the running server that a file tests. */
export interface LiveServer {
  tools: readonly Tool[];
  prompts: readonly Prompt[];
  resources: readonly Resource[];
}

/** The facts about the servers of the window that the editor uses. */
export interface LiveServers {
  /** The names of the configured servers. */
  names: readonly string[];
  /** The features of a running server; undefined if it does not run. */
  find: (name: string) => LiveServer | undefined;
}

/** The running server that a file names. */
export function liveServerOf(root: YamlNode | undefined, servers: LiveServers): LiveServer | undefined {
  const name = memberText(root, 'server');
  return name === undefined ? undefined : servers.find(name);
}

/** The steps of a file, with those of its tests. */
export function stepsOf(root: YamlNode): YamlNode[] {
  const items = (key: string) => memberOf(root, key)?.items ?? [];
  const tests = items('tests').flatMap((one) => memberOf(one, 'steps')?.items ?? [one]);
  return [...items('setup'), ...tests, ...items('teardown')];
}

/** The properties of an object schema; empty if it declares none. */
export function propertiesOf(schema: unknown): Readonly<Record<string, unknown>> {
  const properties = isObject(schema) ? schema['properties'] : undefined;
  return isObject(properties) ? properties : {};
}

/** The schema below keys of nested objects. */
export function schemaAt(schema: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((found, key) => {
    if (key === '-') return isObject(found) ? found['items'] : undefined;
    const properties = propertiesOf(found);
    return Object.hasOwn(properties, key) ? properties[key] : undefined;
  }, schema);
}

/** The names that an object schema requires. */
export function requiredOf(schema: unknown): string[] {
  const required = isObject(schema) ? schema['required'] : undefined;
  return Array.isArray(required) ? required.filter((one): one is string => typeof one === 'string') : [];
}

import { isObject } from '../base/guards.js';
import type { ServerDefinition } from './serverDefinition.js';

/** More patterns than anybody writes by hand. */
const maxPatterns = 100;

/**
 * `dev.watch` as written, in the shape of VS Code's `mcp.json`: one glob pattern or a list, relative to the folder; `!` in
 * front of one leaves files out. Undefined when there is none, a sentence about what is wrong when it cannot be used.
 */
export function readDevWatch(dev: unknown): string[] | { problem: string } | undefined {
  const watch = isObject(dev) ? dev['watch'] : undefined;
  if (watch === undefined || watch === null) return undefined;
  const patterns: unknown[] = Array.isArray(watch) ? watch : [watch];
  if (!patterns.every(isPattern) || patterns.length > maxPatterns) return { problem: '"dev.watch" has to be a glob pattern such as "src/**/*.ts", or a list of them; no file is watched.' };
  if (patterns.length > 0 && patterns.every((pattern) => pattern.startsWith('!'))) return { problem: '"dev.watch" only leaves files out; add a pattern of files to watch.' };
  return patterns.map((pattern) => pattern.replace(/^(!?)\.\//, '$1'));
}

/** Patterns of the files whose changes restart the server; empty where there are none that can be used. */
export function devWatchOf({ extra }: ServerDefinition): string[] {
  const read = readDevWatch(extra?.['dev']);
  return Array.isArray(read) ? read : [];
}

/** The definition without them: another pattern changes nothing about what runs. */
export function withoutWatch(definition: ServerDefinition): ServerDefinition {
  const dev = definition.extra?.['dev'];
  return isObject(dev) ? { ...definition, extra: { ...definition.extra, dev: { ...dev, watch: undefined } } } : definition;
}

function isPattern(pattern: unknown): pattern is string {
  return typeof pattern === 'string' && /^!?[^!\0]/.test(pattern) && pattern.length <= 1_000;
}

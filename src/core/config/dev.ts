import { t } from '@vscode/l10n';
import { isObject } from '../base/guards.js';
import type { ServerDefinition } from './serverDefinition.js';

/** `dev.debug` of a definition, in the format of VS Code's `mcp.json`: the debugger to start a server under. */
export type DevDebug =
  | { type: 'node' }
  | {
      type: 'debugpy';
      /** The debugpy program to use. Default: that of the Python Debugger extension. */ debugpyPath?: string;
    };

/** Reads `dev.debug`. Undefined if the field is absent. If the value is invalid, `problem` is a sentence about it. */
export function readDevDebug(dev: unknown): DevDebug | { problem: string } | undefined {
  const debug = isObject(dev) ? dev['debug'] : undefined;
  if (debug === undefined || debug === null) return undefined;
  const type = isObject(debug) ? debug['type'] : undefined;
  if (!isObject(debug) || (type !== 'node' && type !== 'debugpy'))
    return {
      problem: t(
        '"dev.debug" must be an object with "type": "node" or "debugpy". Until this is corrected, the debugger is detected from the command.',
      ),
    };
  if (type === 'node') return { type };
  const { debugpyPath } = debug;
  if (debugpyPath === undefined || debugpyPath === null) return { type };
  if (typeof debugpyPath !== 'string' || debugpyPath.trim() === '' || /[\0\r\n]/.test(debugpyPath))
    return {
      problem: t(
        '"debugpyPath" must be a string, the path of debugpy. Until this is corrected, the debugger is detected from the command.',
      ),
    };
  return { type, debugpyPath };
}

/** The debugger of a definition; undefined if the definition specifies none, or an invalid one. */
export function devDebugOf({ extra }: ServerDefinition): DevDebug | undefined {
  const read = readDevDebug(extra?.['dev']);
  return read === undefined || 'problem' in read ? undefined : read;
}

/**
 * The debugpy program of a definition, as written. A start under the debugger runs this program. Undefined if none is
 * specified.
 */
export function debugpyPathOf(definition: ServerDefinition): string | undefined {
  const debug = devDebugOf(definition);
  return debug?.type === 'debugpy' ? debug.debugpyPath : undefined;
}

/** Maximum number of patterns. A configuration written by hand has far fewer. */
const maxPatterns = 100;

/**
 * Reads `dev.watch`, in the format of VS Code's `mcp.json`: one glob pattern or a list, relative to the folder; a
 * leading `!` excludes files. Undefined if the field is absent. If the value is invalid, `problem` is a sentence about
 * it.
 */
export function readDevWatch(dev: unknown): string[] | { problem: string } | undefined {
  const watch = isObject(dev) ? dev['watch'] : undefined;
  if (watch === undefined || watch === null) return undefined;
  const patterns: unknown[] = Array.isArray(watch) ? watch : [watch];
  if (!patterns.every(isPattern) || patterns.length > maxPatterns)
    return {
      problem: t(
        '"dev.watch" must be a glob pattern such as "src/**/*.ts", or a list of at most {0} patterns. Until this is corrected, no file is watched.',
        maxPatterns,
      ),
    };
  if (patterns.length > 0 && patterns.every((pattern) => pattern.startsWith('!')))
    return { problem: t('"dev.watch" only excludes files. Add a pattern of files to watch.') };
  return patterns.map((pattern) => pattern.replace(/^(!?)\.\//, '$1'));
}

/** Patterns of the files whose changes restart the server; empty if there are none or they are invalid. */
export function devWatchOf({ extra }: ServerDefinition): string[] {
  const read = readDevWatch(extra?.['dev']);
  return Array.isArray(read) ? read : [];
}

/** The definition without `dev.watch`, because watch patterns do not change what runs. */
export function withoutWatch(definition: ServerDefinition): ServerDefinition {
  const dev = definition.extra?.['dev'];
  return isObject(dev)
    ? { ...definition, extra: { ...definition.extra, dev: { ...dev, watch: undefined } } }
    : definition;
}

function isPattern(pattern: unknown): pattern is string {
  return typeof pattern === 'string' && /^!?[^!\0]/.test(pattern) && pattern.length <= 1_000;
}

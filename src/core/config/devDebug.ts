import { isObject } from '../base/guards.js';
import type { ServerDefinition } from './serverDefinition.js';

/** What `dev.debug` of a definition says, in the shape of VS Code's `mcp.json`: the kind of debugger to start a server under. */
export type DevDebug = { type: 'node' } | { type: 'debugpy'; /** The debugpy program to use. Default: that of the Python Debugger extension. */ debugpyPath?: string };

/** `dev.debug` as written; undefined when there is none, and a sentence about what is wrong when it cannot be used. */
export function readDevDebug(dev: unknown): DevDebug | { problem: string } | undefined {
  const debug = isObject(dev) ? dev['debug'] : undefined;
  if (debug === undefined || debug === null) return undefined;
  const type = isObject(debug) ? debug['type'] : undefined;
  if (!isObject(debug) || (type !== 'node' && type !== 'debugpy')) return { problem: '"dev.debug" has to be an object with "type": "node" or "debugpy"; the debugger is guessed from the command.' };
  if (type === 'node') return { type };
  const { debugpyPath } = debug;
  if (debugpyPath === undefined || debugpyPath === null) return { type };
  if (typeof debugpyPath !== 'string' || debugpyPath.trim() === '' || /[\0\r\n]/.test(debugpyPath)) return { problem: '"debugpyPath" has to be a text, the path of debugpy; the debugger is guessed from the command.' };
  return { type, debugpyPath };
}

/** The debugger that a definition names; undefined where it names none that can be used. */
export function devDebugOf({ extra }: ServerDefinition): DevDebug | undefined {
  const read = readDevDebug(extra?.['dev']);
  return read === undefined || 'problem' in read ? undefined : read;
}

/** The debugpy program that a definition names, as written; undefined where it names none. A start under the debugger runs it. */
export function debugpyPathOf(definition: ServerDefinition): string | undefined {
  const debug = devDebugOf(definition);
  return debug?.type === 'debugpy' ? debug.debugpyPath : undefined;
}

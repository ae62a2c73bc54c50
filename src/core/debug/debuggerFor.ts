import { devDebugOf } from '../config/dev.js';
import type { ServerDefinition } from '../config/serverDefinition.js';
import { pythonPart } from './pythonPart.js';

/** Why a server cannot be started under a debugger. */
export type NoDebugger = 'builtin' | 'remote' | 'container' | 'bun' | 'deno' | 'packaged' | 'unknown';

/**
 * The debugger for a server. If the command is Node itself, its `arguments` contain the flag. Otherwise, the variable
 * NODE_OPTIONS (`options`) passes the flag through npx, tsx and scripts.
 */
export type DebuggerChoice =
  | { kind: 'node'; way: 'arguments' | 'options' }
  | { kind: 'debugpy'; debugpyPath?: string }
  | { kind: 'none'; why: NoDebugger };

/** Programs that start Node and pass their environment to it. */
const nodeRunners: ReadonlySet<string> = new Set([
  'npx',
  'npm',
  'pnpm',
  'pnpx',
  'yarn',
  'tsx',
  'ts-node',
  'ts-node-esm',
  'nodemon',
]);
const containers: ReadonlySet<string> = new Set(['docker', 'podman', 'nerdctl']);

/** The debugger that `dev.debug` specifies. If it specifies none, the debugger that fits the command. */
export function debuggerFor(definition: ServerDefinition): DebuggerChoice {
  if (definition.type === 'builtin') return { kind: 'none', why: 'builtin' };
  if (definition.type !== 'stdio') return { kind: 'none', why: 'remote' };
  const { command, args } = definition;
  const guess = guessFor(command, args);
  // Debugger options in the arguments or the environment do not reach a program in a container.
  if (guess.kind === 'none' && guess.why === 'container') return guess;
  const named = devDebugOf(definition);
  if (named?.type === 'node') return guess.kind === 'node' ? guess : { kind: 'node', way: 'options' };
  if (named?.type === 'debugpy')
    return guess.kind === 'debugpy'
      ? { ...guess, ...(named.debugpyPath === undefined ? {} : { debugpyPath: named.debugpyPath }) }
      : { kind: 'none', why: 'packaged' };
  return guess;
}

function guessFor(command: string, args: readonly string[]): DebuggerChoice {
  const program = programName(command);
  const [first = '', second = ''] = args;
  if (/^node(?:js)?[\d.]*$/.test(program)) return { kind: 'node', way: 'arguments' };
  if (nodeRunners.has(program) || /\.[cm]?[jt]s$/.test(program)) return { kind: 'node', way: 'options' };
  if (containers.has(program)) return { kind: 'none', why: 'container' };
  if (program === 'bun' || program === 'bunx') return { kind: 'none', why: 'bun' };
  if (program === 'deno') return { kind: 'none', why: 'deno' };
  // `cmd /c npx …`, which is common on Windows.
  if (program === 'cmd' && /^\/c$/i.test(first)) {
    const inner = guessFor(second, args.slice(2));
    return inner.kind === 'node'
      ? { kind: 'node', way: 'options' }
      : inner.kind === 'debugpy'
        ? { kind: 'none', why: 'unknown' }
        : inner;
  }
  if (pythonPart(command, args)) return { kind: 'debugpy' };
  if (program === 'uvx' || program === 'uv' || program === 'pipx') return { kind: 'none', why: 'packaged' };
  return { kind: 'none', why: 'unknown' };
}

/** The program's name in lower case, without folder and extension: `npx` for `C:\…\npx.CMD`. */
function programName(command: string): string {
  const slash = Math.max(command.lastIndexOf('/'), command.lastIndexOf('\\'));
  return command
    .slice(slash + 1)
    .toLowerCase()
    .replace(/\.(?:exe|cmd|bat)$/, '');
}

import path from 'node:path';
import { isObject } from '../base/guards.js';
import type { DebugPlan } from './debuggedStart.js';
import type { DebugTarget } from './debugRun.js';

/** A debug configuration as in `launch.json`: what VS Code's debuggers for Node and Python take to attach. */
export interface AttachConfiguration {
  type: 'pwa-node' | 'debugpy';
  request: 'attach';
  name: string;
  [field: string]: unknown;
}

export interface AttachSubject {
  server: string;
  target: DebugTarget;
  /** Stay at the first line. */
  stopAtStart: boolean;
  /** Where the server runs, absolute: what was compiled is looked for below it. */
  cwd: string | undefined;
}

/** How long a debugger tries to reach a process that has just said that it waits, milliseconds. */
const timeoutMs = 30_000;

/** The configuration to attach with; pure. */
export function attachConfiguration({ server, target, stopAtStart, cwd }: AttachSubject): AttachConfiguration {
  const common = {
    request: 'attach' as const,
    name: `MCP: ${plain(server)}`,
    internalConsoleOptions: 'neverOpen',
    suppressMultipleSessionWarning: true,
  };
  // Its output is the protocol, which is not for the debug console; the first line is stopped at by `pausesAtStart`.
  if (target.kind === 'debugpy')
    return {
      ...common,
      type: 'debugpy',
      connect: { host: '127.0.0.1', port: target.port },
      justMyCode: true,
      redirectOutput: false,
    };
  const { port, url } = target.address;
  return {
    ...common,
    type: 'pwa-node',
    address: '127.0.0.1',
    port,
    websocketAddress: url,
    timeout: timeoutMs,
    continueOnAttach: !stopAtStart,
    // Every process of the server says for itself where it listens.
    autoAttachChildProcesses: false,
    sourceMaps: true,
    // Else a breakpoint in what runs at once is too late: its source map is read while it runs.
    pauseForSourceMap: true,
    skipFiles: ['<node_internals>/**'],
    ...(cwd === undefined || cwd !== plain(cwd)
      ? {}
      : { cwd, outFiles: [`${cwd.replaceAll(path.sep, '/')}/**/*.(m|c|)js`, '!**/node_modules*/**'] }),
  };
}

/**
 * Whether a debug adapter's message is the moment to ask for a pause, so that the program stops at its first line: debugpy
 * knows `stopOnEntry` only of what it launches itself. Between "initialized" and the end of the configuration the program
 * still waits, and a pause that is asked for then holds it at the first line of its own.
 */
export function pausesAtStart(plan: DebugPlan, message: unknown): boolean {
  return (
    plan.kind === 'debugpy' &&
    plan.stopAtStart &&
    isObject(message) &&
    message['type'] === 'event' &&
    message['event'] === 'initialized'
  );
}

/** VS Code fills in variables wherever they stand in a configuration, also those that run a command. */
function plain(text: string): string {
  return text.replaceAll('${', '$(');
}

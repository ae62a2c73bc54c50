import path from 'node:path';
import { isObject } from '../base/guards.js';
import type { DebugPlan } from './debuggedStart.js';
import type { DebugTarget } from './debugRun.js';

/**
 * A debug configuration as in `launch.json`: the fields that VS Code's debuggers for Node and Python need to attach.
 */
export interface AttachConfiguration {
  type: 'pwa-node' | 'debugpy';
  request: 'attach';
  name: string;
  [field: string]: unknown;
}

export interface AttachSubject {
  server: string;
  target: DebugTarget;
  /** Whether the program stops at its first line. */
  stopAtStart: boolean;
  /** Absolute path of the server's working directory; the debugger looks for compiled files below it. */
  cwd: string | undefined;
}

/** Maximum time that a debugger tries to connect to a process that has announced its inspector, in milliseconds. */
const timeoutMs = 30_000;

/** The configuration for attaching; pure. */
export function attachConfiguration({ server, target, stopAtStart, cwd }: AttachSubject): AttachConfiguration {
  const common = {
    request: 'attach' as const,
    name: `MCP: ${plain(server)}`,
    internalConsoleOptions: 'neverOpen',
    suppressMultipleSessionWarning: true,
  };
  // Stdout of the server contains the protocol messages, so the debug console does not show the output of the server.
  // `pausesAtStart` makes the program stop at its first line.
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
    // Each process of the server announces its own inspector.
    autoAttachChildProcesses: false,
    sourceMaps: true,
    // Without this field, breakpoints in code that runs at the start are missed, because that code runs while its
    // source map loads.
    pauseForSourceMap: true,
    skipFiles: ['<node_internals>/**'],
    ...(cwd === undefined || cwd !== plain(cwd)
      ? {}
      : { cwd, outFiles: [`${cwd.replaceAll(path.sep, '/')}/**/*.(m|c|)js`, '!**/node_modules*/**'] }),
  };
}

/**
 * Whether to request a pause after this message of the debug adapter, so that the program stops at its first line. This
 * is needed because debugpy supports `stopOnEntry` only for programs that it launches itself. Between "initialized" and
 * the end of the configuration, the program still waits. A pause that is requested in that time stops the program at
 * its own first line.
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

/**
 * Escapes variables, because VS Code replaces them everywhere in a configuration, including variables that run a
 * command.
 */
function plain(text: string): string {
  return text.replaceAll('${', '$(');
}

import path from 'node:path';
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
  const common = { request: 'attach' as const, name: `MCP: ${plain(server)}`, internalConsoleOptions: 'neverOpen', suppressMultipleSessionWarning: true };
  if (target.kind === 'debugpy') return { ...common, type: 'debugpy', connect: { host: '127.0.0.1', port: target.port }, stopOnEntry: stopAtStart, justMyCode: true };
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
    ...(cwd === undefined || cwd !== plain(cwd) ? {} : { cwd, outFiles: [`${cwd.replaceAll(path.sep, '/')}/**/*.(m|c|)js`, '!**/node_modules*/**'] }),
  };
}

/** VS Code fills in variables wherever they stand in a configuration, also those that run a command. */
function plain(text: string): string {
  return text.replaceAll('${', '$(');
}

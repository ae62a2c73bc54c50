import { t } from '@vscode/l10n';
import { visibleLine, visibleText } from '../../base/hostileText.js';
import type { NoDebugger } from '../../debug/debuggerFor.js';
import type { ProcessStart } from '../../debug/debuggedStart.js';
import type { ServerView } from '../../catalog/hostApi.js';

/** Why a server cannot be started under a debugger, and what to do. */
export function noDebuggerText(server: string, why: NoDebugger): string {
  const name = visibleLine(server, 60);
  switch (why) {
    case 'builtin':
      return t('"{0}" is a part of MCP Deck; there is no process to debug.', name);
    case 'remote':
      return t(
        '"{0}" is a remote server: MCP Deck does not start it, so it cannot start it under a debugger. Attach a debugger where it runs.',
        name,
      );
    case 'container':
      return t(
        '"{0}" runs in a container, where neither its debugger flag nor its debugger port can be reached. Define it with the command inside of the container to debug it.',
        name,
      );
    case 'bun':
      return t(
        '"{0}" is started by Bun, which the debuggers of VS Code for Node and Python do not support. Define it with "node" or "tsx" to debug it.',
        name,
      );
    case 'deno':
      return t('"{0}" is started by Deno. MCP Deck can debug servers that run in Node or Python.', name);
    case 'packaged':
      return t(
        '"{0}" is started as a program of a package, so Python cannot be given a debugger. Define it with "python" or "uv run" and a file or "-m" and a module to debug it.',
        name,
      );
    case 'unknown':
      return t(
        'The command of "{0}" does not show which debugger to use. Specify it in its definition: {1}.',
        name,
        '"dev": { "debug": { "type": "node" } }',
      );
  }
}

/** The start command on one line, for display; a path with spaces is quoted. */
export function commandLine({ command, args }: ProcessStart): string {
  return [command, ...args]
    .map((part) => (/[\s"]/.test(part) || part === '' ? JSON.stringify(part) : part))
    .map((part) => visibleText(part))
    .join(' ');
}

/** Whether a debugger is attached or being attached. */
export function isDebugged({ debug }: ServerView): boolean {
  return debug !== undefined && debug.state !== 'waiting' && debug.state !== 'left';
}

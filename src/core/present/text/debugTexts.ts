import { t } from '@vscode/l10n';
import { visibleLine, visibleText } from '../../base/hostileText.js';
import type { NoDebugger } from '../../debug/debuggerFor.js';
import type { ProcessStart } from '../../debug/debuggedStart.js';
import type { ServerView } from '../../catalog/hostTypes.js';

/** Explains why a server cannot be started under a debugger, and what to do. */
export function noDebuggerText(server: string, why: NoDebugger): string {
  const name = visibleLine(server, 60);
  switch (why) {
    case 'builtin':
      return t('"{0}" is part of MCP Deck and has no process to debug.', name);
    case 'remote':
      return t(
        '"{0}" is a remote server, which MCP Deck does not start. To debug the server, attach a debugger where it runs.',
        name,
      );
    case 'container':
      return t(
        '"{0}" runs in a container, where MCP Deck cannot set the debugger option or reach the debugger port. To debug the server, define it with the command inside the container.',
        name,
      );
    case 'bun':
      return t(
        '"{0}" is started by Bun, which the debuggers of VS Code for Node and Python do not support. To debug the server, define it with "node" or "tsx".',
        name,
      );
    case 'deno':
      return t('"{0}" is started by Deno. MCP Deck can debug servers that run in Node or Python.', name);
    case 'packaged':
      return t(
        '"{0}" is started through a command of a Python package, such as one that uvx installs. Python cannot start it with a debugger. To debug the server, define it with "python" or "uv run", followed by a file, or by "-m" and a module.',
        name,
      );
    case 'unknown':
      return t(
        'The command of "{0}" does not show which debugger to use. Specify the debugger in the definition of the server: {1}.',
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

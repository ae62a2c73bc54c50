import * as vscode from 'vscode';
import { UserError } from '../../core/base/hostError.js';
import type { ServerView } from '../../core/catalog/hostTypes.js';
import type { DebugPlan } from '../../core/debug/debuggedStart.js';
import { debuggerFor } from '../../core/debug/debuggerFor.js';
import { freePort } from '../../core/debug/loopbackPort.js';
import { noDebuggerText } from '../../core/present/text/debugTexts.js';

/** The extensions that provide the debuggers. */
export const debuggerExtensions = {
  node: { id: 'ms-vscode.js-debug', name: 'JavaScript Debugger' },
  debugpy: { id: 'ms-python.debugpy', name: 'Python Debugger' },
} as const;

/**
 * How the server starts under a debugger. `noDebugger` if the extension of the debugger is missing. Rejects with the
 * reason if the server cannot be debugged.
 */
export async function debugPlanFor({ id, entry }: ServerView, stopAtStart: boolean): Promise<DebugPlan | 'noDebugger'> {
  const choice = debuggerFor(entry.definition);
  if (choice.kind === 'none') throw new UserError(noDebuggerText(id, choice.why));
  if (!vscode.extensions.getExtension(debuggerExtensions[choice.kind].id)) return 'noDebugger';
  if (choice.kind === 'node') return { ...choice, stopAtStart };
  const debugpy =
    choice.debugpyPath === undefined ? { package: await debugpyPackage() } : { program: choice.debugpyPath };
  return { kind: 'debugpy', stopAtStart, port: await freePort(), debugpy };
}

/** The path of debugpy in the Python Debugger extension. */
async function debugpyPackage(): Promise<string> {
  const extension = vscode.extensions.getExtension<
    { debug?: { getDebuggerPackagePath?(): Promise<unknown> } } | undefined
  >(debuggerExtensions.debugpy.id);
  const found = await (await extension?.activate())?.debug?.getDebuggerPackagePath?.();
  if (typeof found === 'string') return found;
  throw new UserError(
    vscode.l10n.t(
      'The Python Debugger extension does not provide the path of its debugpy. Set a path in the definition: {0}.',
      '"dev": { "debug": { "type": "debugpy", "debugpyPath": "…" } }',
    ),
  );
}

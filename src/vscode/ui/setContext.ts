import * as vscode from 'vscode';
import type { ContextKey, ContextKeys } from '../manifest.js';

/** Sets a context key for `when` clauses. */
export function setContext<K extends ContextKey>(key: K, value: ContextKeys[K]): void {
  void vscode.commands.executeCommand('setContext', key, value);
}

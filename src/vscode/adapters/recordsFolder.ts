import path from 'node:path';
import type * as vscode from 'vscode';

/**
 * The folder with records of running server processes. They are used to end the processes that a killed window left
 * running.
 */
export function recordsFolder(extension: vscode.ExtensionContext): string {
  return path.join(extension.globalStorageUri.fsPath, 'processes');
}

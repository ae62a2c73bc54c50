import path from 'node:path';
import type * as vscode from 'vscode';

/** Where records of running server processes lie, so that what a killed window left behind can be ended. */
export function recordsFolder(extension: vscode.ExtensionContext): string {
  return path.join(extension.globalStorageUri.fsPath, 'processes');
}

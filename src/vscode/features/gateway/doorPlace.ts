import path from 'node:path';
import * as vscode from 'vscode';
import type { DoorCopy } from '../../../core/gateway/door/doorCopy.js';
import { hasDoor, writeDoor } from '../../../core/gateway/door/doorCopy.js';
import type { ExtensionServices } from '../../ui/services.js';

type Services = Pick<ExtensionServices, 'extension' | 'client'>;

/** The folder and the parts of the door, which all windows of this VS Code share. */
export function doorCopy({ extension, client }: Services): DoorCopy {
  return {
    folder: path.join(extension.globalStorageUri.fsPath, 'door'),
    script: extension.asAbsolutePath('dist/door.cjs'),
    version: client.version,
    runtime: process.execPath,
    platform: process.platform,
    env: process.env,
  };
}

/** Updates the door if an earlier version of MCP Deck wrote it, or if the path of VS Code's program has changed. */
export async function updateDoor(deck: Services): Promise<void> {
  const copy = doorCopy(deck);
  if (await hasDoor(copy.folder)) await writeDoor(copy);
}

/** Calls the listener with true when the window gets the focus, and with false when its folders change. */
export function onDidChangeWindow(listener: (isFocused: boolean) => void): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.window.onDidChangeWindowState(({ focused }) => focused && listener(true)),
    vscode.workspace.onDidChangeWorkspaceFolders(() => listener(false)),
  );
}

/** The locations of the settings of a remote window. */
import path from 'node:path';
import * as vscode from 'vscode';
import { writtenSetting } from '../../../src/vscode/adapters/writtenSetting.js';
import { folder, until } from '../support/host.js';

/** `local` is the user's own file, `remote` that of the remote machine. */
export type Place = 'local' | OtherPlace;
type OtherPlace = 'remote' | 'workspace' | 'folder';
type Settings = Record<string, unknown>;

/** A setting that no extension contributes: VS Code reads it from every file, so it shows when a file was read. */
const markKey = 'mcpDeckTest.mark';
export const fieldOf = {
  local: 'globalLocalValue',
  remote: 'globalRemoteValue',
  workspace: 'workspaceValue',
  folder: 'workspaceFolderValue',
} as const;
let marks = 0;

function fileOf(place: Place): vscode.Uri {
  switch (place) {
    case 'local':
    case 'remote':
      // The harness creates the profile of the window and passes its path.
      return vscode.Uri.file(
        path.join(
          process.env['MCP_DECK_WINDOW'] ?? '',
          'data',
          place === 'local' ? 'User' : 'Machine',
          'settings.json',
        ),
      );
    case 'workspace':
      return vscode.workspace.workspaceFile ?? vscode.Uri.file('');
    case 'folder':
      return vscode.Uri.joinPath(folder().uri, '.vscode', 'settings.json');
  }
}

/** The current text of the file; empty if it does not exist. */
export async function textIn(place: Place): Promise<string> {
  const bytes = await vscode.workspace.fs.readFile(fileOf(place)).then(undefined, () => new Uint8Array());
  return new TextDecoder().decode(bytes);
}

/** Replaces all settings of the file. Resolves once VS Code has read it. */
export async function writeFileOf(place: OtherPlace, settings: Settings): Promise<void> {
  const mark = ++marks;
  const content = { ...settings, [markKey]: mark };
  const text = JSON.stringify(
    place === 'workspace'
      ? { folders: [{ path: 'app' }, { path: 'tools', name: 'Tools' }], settings: content }
      : content,
    null,
    2,
  );
  await vscode.workspace.fs.writeFile(fileOf(place), new TextEncoder().encode(text));
  await until(
    `VS Code reads the settings of ${place}`,
    () => writtenSetting(markKey, folder().uri)[fieldOf[place]] === mark,
  );
}

/** The user's settings before a test changed them. */
const first = new Map<string, unknown>();

/**
 * Changes settings of the user; undefined removes one. The remote machine must have no value for them, because VS Code
 * would change that value instead.
 */
export async function changeOwn(settings: Settings): Promise<void> {
  for (const [key, value] of Object.entries(settings)) {
    const there = writtenSetting(key).globalLocalValue;
    if (!first.has(key)) first.set(key, there);
    if (JSON.stringify(there) !== JSON.stringify(value))
      await vscode.workspace.getConfiguration().update(key, value, vscode.ConfigurationTarget.Global);
  }
}

/** Empties the other locations, and restores the user's initial settings. */
export async function restoreSettings(): Promise<void> {
  for (const place of ['remote', 'workspace', 'folder'] as const) await writeFileOf(place, {});
  await changeOwn(Object.fromEntries(first));
}

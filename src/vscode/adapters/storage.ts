/** Files and settings as commands write them: what fails names the file or setting, and says what to do. */
import * as vscode from 'vscode';
import { onStorage, storageFailure } from '../../core/base/storageFailure.js';
import { writtenSetting } from './writtenSetting.js';

/** Writes a whole file. Rejects with HostError `storage-failed`. @param server our name of the server it is for. */
export function writeWholeFile(uri: vscode.Uri, bytes: Uint8Array, server?: string): Promise<void> {
  return onStorage(factsOf('write', uri, server), () => vscode.workspace.fs.writeFile(uri, bytes));
}

/**
 * A file as text, without a byte order mark. One that is larger than `maxBytes` is not read. Rejects with the error
 * of VS Code, or with HostError `storage-failed`.
 */
export async function readTextUpTo(uri: vscode.Uri, maxBytes: number): Promise<string> {
  const { size } = await vscode.workspace.fs.stat(uri);
  if (size > maxBytes)
    throw storageFailure(new Error(vscode.l10n.t('It is larger than {0} MiB.', maxBytes / 1024 / 1024)), {
      operation: 'read',
      thing: nameOfFile(uri),
      cause: 'too-large',
    });
  return new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
}

/** Makes a folder with those above it. Rejects as `writeWholeFile` does. */
export function makeFolder(uri: vscode.Uri, server?: string): Promise<void> {
  return onStorage(factsOf('write', uri, server), () => vscode.workspace.fs.createDirectory(uri));
}

/** Runs work that reads or writes a file; a failure of the disk names the file and, where there is one, the server. */
export function onFile<T>(
  operation: 'read' | 'write',
  uri: vscode.Uri,
  server: string | undefined,
  work: () => PromiseLike<T>,
): Promise<T> {
  return onStorage(factsOf(operation, uri, server), work);
}

/**
 * Changes a setting. Rejects with HostError `storage-failed`: VS Code refuses where the settings file has errors or unsaved
 * changes. Where the remote machine has a value of the setting, VS Code would write the user's value over that one, and MCP Deck
 * does not take the settings of the remote machine for those of the user; then nothing is written.
 */
export async function updateSetting(key: string, value: unknown, target: vscode.ConfigurationTarget): Promise<void> {
  try {
    if (target === vscode.ConfigurationTarget.Global && writtenSetting(key).globalRemoteValue !== undefined) {
      throw storageFailure(new Error('The remote machine has a value of this setting.'), {
        operation: 'write',
        thing: vscode.l10n.t('The setting {0}', key),
        cause: 'remote-value',
      });
    }
    await vscode.workspace.getConfiguration().update(key, value, target);
  } catch (error) {
    throw storageFailure(error, { operation: 'write', thing: vscode.l10n.t('The setting {0}', key) });
  }
}

/** A file or folder as people know it. */
export function nameOfFile(uri: vscode.Uri): string {
  return uri.scheme === 'file' ? uri.fsPath : uri.toString(true);
}

function factsOf(operation: 'read' | 'write', uri: vscode.Uri, server: string | undefined) {
  return { operation, thing: nameOfFile(uri), ...(server === undefined ? {} : { server }) };
}

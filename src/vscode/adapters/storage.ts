/**
 * Reads and writes files and settings for commands. Each error states the affected file or setting and suggests an
 * action.
 */
import * as vscode from 'vscode';
import { sizeText } from '../../shared/amountText.js';
import { readBytesUpTo } from '../../core/config/smallFile.js';
import { onStorage, storageFailure } from '../../core/base/storageFailure.js';
import { writtenSetting } from './writtenSetting.js';

/**
 * Writes a whole file. Rejects with HostError `storage-failed`.
 *
 * @param server the ID of the server that the file belongs to.
 */
export function writeWholeFile(uri: vscode.Uri, bytes: Uint8Array, server?: string): Promise<void> {
  return onStorage(factsOf('write', uri, server), () => vscode.workspace.fs.writeFile(uri, bytes));
}

/**
 * Reads a file as text without a byte order mark. Does not read a file that is larger than `maxBytes`. Rejects with VS
 * Code's error or with HostError `storage-failed`.
 */
export async function readTextUpTo(uri: vscode.Uri, maxBytes: number): Promise<string> {
  const { size } = await vscode.workspace.fs.stat(uri);
  if (size > maxBytes)
    throw storageFailure(new Error(vscode.l10n.t('The file is larger than {0}.', sizeText(maxBytes))), {
      operation: 'read',
      thing: nameOfFile(uri),
      cause: 'too-large',
    });
  return new TextDecoder().decode(await readStated(uri, size, maxBytes));
}

/**
 * Reads a file for which the file system reports the given size. The caller has compared the size with `maxBytes`. For
 * a file of unknown size, such as one in /proc, the file system reports 0 bytes. Such a file is read up to `maxBytes`,
 * and the promise rejects if it is larger.
 */
export async function readStated(uri: vscode.Uri, size: number, maxBytes: number): Promise<Uint8Array> {
  return size === 0 && uri.scheme === 'file' ? readBytesUpTo(uri.fsPath, maxBytes) : vscode.workspace.fs.readFile(uri);
}

/** Creates a folder and its parent folders. Rejects with HostError `storage-failed` if that fails. */
export function makeFolder(uri: vscode.Uri, server?: string): Promise<void> {
  return onStorage(factsOf('write', uri, server), () => vscode.workspace.fs.createDirectory(uri));
}

/** Runs work that reads or writes a file. If it fails, the error states the file and, if given, the server. */
export function onFile<T>(
  operation: 'read' | 'write',
  uri: vscode.Uri,
  server: string | undefined,
  work: () => PromiseLike<T>,
): Promise<T> {
  return onStorage(factsOf(operation, uri, server), work);
}

/**
 * Changes a setting. Rejects with HostError `storage-failed` if the settings file has errors or unsaved changes. Also
 * rejects if the remote machine settings contain the setting, because VS Code would then write the value there, where
 * MCP Deck does not read user settings.
 */
export async function updateSetting(key: string, value: unknown, target: vscode.ConfigurationTarget): Promise<void> {
  try {
    if (target === vscode.ConfigurationTarget.Global && writtenSetting(key).globalRemoteValue !== undefined) {
      throw storageFailure(new Error('The remote machine has a value for this setting.'), {
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

/** The display name of a file or folder. */
export function nameOfFile(uri: vscode.Uri): string {
  return uri.scheme === 'file' ? uri.fsPath : uri.toString(true);
}

function factsOf(operation: 'read' | 'write', uri: vscode.Uri, server: string | undefined) {
  return { operation, thing: nameOfFile(uri), ...(server === undefined ? {} : { server }) };
}

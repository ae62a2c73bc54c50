import { mkdir, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type * as vscode from 'vscode';
import { storageFailure } from '../../core/base/storageFailure.js';
import { readFileUpTo } from '../../core/config/smallFile.js';
import type { AppFile } from '../../core/interchange/appFiles.js';
import { appFilesAt, maxAppFileBytes } from '../../core/interchange/foundApps.js';
import { fileFolders } from '../adapters/workspaceRoots.js';
import { withHomeAsTilde } from './homeFolder.js';
import { realFile } from './realFile.js';

/** All files in which apps can store servers, whether or not the files exist. */
export async function appFilesHere(extension: vscode.ExtensionContext): Promise<AppFile[]> {
  return appFilesAt({
    platform: process.platform,
    userHome: os.homedir(),
    env: process.env,
    folders: fileFolders().map(({ path: folder }) => folder),
    vsCodeUserFolder: path.dirname(path.dirname(extension.globalStorageUri.fsPath)),
  });
}

/** The text of an app's configuration file. Empty if the file does not exist. */
export async function appFileText(file: string): Promise<string> {
  try {
    return await readFileUpTo(file, maxAppFileBytes);
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return '';
    throw storageFailure(error, { operation: 'read', thing: withHomeAsTilde(file) });
  }
}

/** Writes a file. Follows symbolic links. A new file can be read only by the user. */
export async function writeAppFile(file: string, text: string): Promise<void> {
  const real = await realFile(file);
  await mkdir(path.dirname(real), { recursive: true });
  await writeFile(real, text, { mode: 0o600 });
}

import os from 'node:os';
import path from 'node:path';
import type * as vscode from 'vscode';
import type { AppFile } from '../../../core/interchange/appFiles.js';
import type { FoundGroup, UnreadableFile } from '../../../core/interchange/foundApps.js';
import { appFilesAt, readFoundFile } from '../../../core/interchange/foundApps.js';
import { configurationFileSources } from '../../adapters/configurationFiles.js';
import { fileFolders } from '../../adapters/workspaceRoots.js';

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

/** Reads the servers in the files of all apps. Leaves out the files that MCP Deck already uses as sources. */
export async function findApps(extension: vscode.ExtensionContext): Promise<(FoundGroup | UnreadableFile)[]> {
  const own = new Set(configurationFileSources().map(({ uri }) => uri.fsPath));
  const files = (await appFilesHere(extension)).filter((file) => !own.has(file.path));
  return (await Promise.all(files.map(readFoundFile))).flat();
}

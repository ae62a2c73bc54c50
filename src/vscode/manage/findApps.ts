import { readdir, readFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type * as vscode from 'vscode';
import { messageOf } from '../../core/base/hostError.js';
import type { AppFile } from '../../core/interchange/appFiles.js';
import { appPlaces } from '../../core/interchange/appFiles.js';
import { appFormats } from '../../core/interchange/appFormats.js';
import type { ImportedServers } from '../../core/interchange/carried.js';
import type { ServerGroup } from '../../core/interchange/importFile.js';
import { formatOf, importServers, readAppFile } from '../../core/interchange/importFile.js';
import { configurationFileSources } from '../adapters/configurationFiles.js';
import { fileFolders } from '../adapters/workspaceRoots.js';

/** Servers of another app that were found on this machine. */
export interface FoundGroup {
  file: AppFile;
  /** The app's name. */
  title: string;
  group: ServerGroup;
  imported: ImportedServers;
}

/** A file that is there and cannot be read. */
export interface UnreadableFile {
  file: AppFile;
  title: string;
  problem: string;
}

/** Every place where an app may keep servers, whether it is there or not. */
export async function appFilesHere(extension: vscode.ExtensionContext): Promise<AppFile[]> {
  const { files, folders } = appPlaces({
    platform: process.platform,
    userHome: os.homedir(),
    env: process.env,
    folders: fileFolders().map(({ path: folder }) => folder),
    vsCodeUserFolder: path.dirname(path.dirname(extension.globalStorageUri.fsPath)),
  });
  const listed = await Promise.all(
    folders.map(async ({ endings, ...folder }) => {
      // A folder that is not there has no files.
      const names = await readdir(folder.path).catch((): string[] => []);
      return names.filter((name) => endings.some((ending) => name.endsWith(ending))).map((name): AppFile => ({ ...folder, path: path.join(folder.path, name) }));
    }),
  );
  return [...files, ...listed.flat()];
}

/** Looks into all of them; our own sources are no news. */
export async function findApps(extension: vscode.ExtensionContext): Promise<(FoundGroup | UnreadableFile)[]> {
  const own = new Set(configurationFileSources().map(({ uri }) => uri.fsPath));
  const files = (await appFilesHere(extension)).filter((file) => !own.has(file.path));
  return (await Promise.all(files.map(readFoundFile))).flat();
}

/** The servers of one file; none when it is not there. */
export async function readFoundFile(file: AppFile): Promise<(FoundGroup | UnreadableFile)[]> {
  const { title } = appFormats[file.app];
  let text: string;
  try {
    text = await readFile(file.path, 'utf8');
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
    return isAbsent ? [] : [{ file, title, problem: messageOf(error) }];
  }
  const read = readAppFile(file.app, text);
  if ('problem' in read) return [{ file, title, problem: read.problem }];
  const format = formatOf(file.app, text);
  return read.groups.map((group) => ({ file, title, group, imported: importServers(format, group) }));
}

/** The servers of other apps on this machine, read from their configuration files. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from '../base/hostError.js';
import { readFileUpTo } from '../config/smallFile.js';
import type { AppFile, AppPaths } from './appFiles.js';
import { appPlaces } from './appFiles.js';
import { appFormats } from './appFormats.js';
import type { ImportedServers } from './portableServer.js';
import type { ServerGroup } from './importFile.js';
import { formatOf, importServers, readAppFile } from './importFile.js';

/**
 * Maximum size of a file that is read, in bytes. Apps also store other data in these files, but a larger file is not a
 * configuration file.
 */
export const maxAppFileBytes = 32 * 1024 * 1024;

/** Maximum number of files that are read from one folder, in alphabetical order. */
const maxFolderFiles = 50;

/** Servers of another app that were found on this machine. */
export interface FoundGroup {
  file: AppFile;
  /** The app's name. */
  title: string;
  group: ServerGroup;
  imported: ImportedServers;
}

/** A file that exists but cannot be read. */
export interface UnreadableFile {
  file: AppFile;
  title: string;
  problem: string;
}

/**
 * All files in which an app may keep servers: single files, whether or not they exist, and the files found in folders,
 * at most 50 of each folder.
 */
export async function appFilesAt(surroundings: AppPaths): Promise<AppFile[]> {
  const { files, folders } = appPlaces(surroundings);
  const listed = await Promise.all(
    folders.map(async ({ endings, ...folder }) => {
      // A missing folder is treated as empty.
      const names = await readdir(folder.path).catch((): string[] => []);
      return names
        .filter((name) => endings.some((ending) => name.endsWith(ending)))
        .sort()
        .slice(0, maxFolderFiles)
        .map((name): AppFile => ({ ...folder, path: path.join(folder.path, name) }));
    }),
  );
  return [...files, ...listed.flat()];
}

/** The servers of one file; empty if the file does not exist. Never rejects. */
export async function readFoundFile(file: AppFile): Promise<(FoundGroup | UnreadableFile)[]> {
  const { title } = appFormats[file.app];
  let text: string;
  try {
    text = await readFileUpTo(file.path, maxAppFileBytes);
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
    return isAbsent ? [] : [{ file, title, problem: messageOf(error) }];
  }
  const read = readAppFile(file.app, text);
  if ('problem' in read) return [{ file, title, problem: read.problem }];
  const format = formatOf(file.app, text);
  return read.groups.map((group) => ({ file, title, group, imported: importServers(format, group) }));
}

import { mkdir, readlink, realpath, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { UserError } from '../../core/base/hostError.js';
import { storageFailure } from '../../core/base/storageFailure.js';
import { readFileUpTo } from '../../core/config/smallFile.js';
import type { AppFile } from '../../core/interchange/appFiles.js';
import { appFilesAt, maxAppFileBytes } from '../../core/interchange/foundApps.js';
import { fileFolders } from '../adapters/workspaceRoots.js';
import { withHomeAsTilde } from './homeFolder.js';

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

/** Maximum number of links to missing files that are followed one after the other, as in operating systems. */
const maxLinks = 40;

/**
 * The path of a file without symbolic links, also if the file or its folder does not exist. Rejects if there are too
 * many links.
 */
export async function realFile(file: string, links = maxLinks): Promise<string> {
  const whole = path.resolve(file);
  const real = await realpath(whole).catch(() => undefined);
  if (real !== undefined) return real;
  const folder = path.dirname(whole);
  if (folder === whole) return whole;
  const place = path.join(await realFile(folder, links), path.basename(whole));
  // `realpath` fails for a link to a file that does not exist.
  const target = await readlink(place).catch(() => undefined);
  if (target === undefined) return place;
  if (links === 0)
    throw new UserError(vscode.l10n.t('{0} leads through too many links. Select another file.', withHomeAsTilde(file)));
  return realFile(path.resolve(path.dirname(place), target), links - 1);
}

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import os from 'node:os';
import * as vscode from 'vscode';
import type { MachineInfo } from '../../core/ports.js';
import { recordsFolder } from './recordsFolder.js';
import { fileFolders } from './workspaceRoots.js';

/** The machine that the extension host runs on. */
export function machineInfo(extension: vscode.ExtensionContext): MachineInfo {
  return {
    env: process.env,
    platform: process.platform,
    userHome: os.homedir(),
    recordsFolder: recordsFolder(extension),
    readFile: readSmallFile,
    folders: fileFolders,
    getSetting: (key) => vscode.workspace.getConfiguration().get(key),
  };
}

/** The files that definitions name are lists of variables, certificates and keys. */
const maxFileBytes = 1024 * 1024;

/** A path of a workspace may name a device that never ends, or something far too large. */
async function readSmallFile(file: string): Promise<string> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw Object.assign(new Error('It is no file.'), { code: 'ENOTFILE' });
    if (stats.size > maxFileBytes) throw Object.assign(new Error('It is larger than 1 MiB.'), { code: 'EFBIG' });
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

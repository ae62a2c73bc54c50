import { readFile } from 'node:fs/promises';
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
    readFile: (file) => readFile(file, 'utf8'),
    folders: fileFolders,
    getSetting: (key) => vscode.workspace.getConfiguration().get(key),
  };
}

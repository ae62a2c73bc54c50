import os from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { readSmallFile } from '../../core/config/smallFile.js';
import type { MachineInfo } from '../../core/host/ports.js';
import { othersValues } from './settingPolicy.js';
import { writtenSetting } from './writtenSetting.js';
import { fileFolders } from './workspaceRoots.js';

/** Describes the machine that the extension host runs on. */
export function machineInfo(extension: vscode.ExtensionContext): MachineInfo {
  return {
    env: process.env,
    platform: process.platform,
    userHome: os.homedir(),
    recordsFolder: recordsFolder(extension),
    readFile: readSmallFile,
    folders: fileFolders,
    getSetting: (key) => vscode.workspace.getConfiguration().get(key),
    // This includes the settings of the remote machine, because a dev container file of the workspace can write them.
    isSetByWorkspace: (key) => othersValues(writtenSetting(key)).length > 0,
  };
}

/**
 * The folder for the records of running server processes. If a window is killed, a later window ends the processes in
 * its record.
 */
export function recordsFolder(extension: vscode.ExtensionContext): string {
  return path.join(extension.globalStorageUri.fsPath, 'processes');
}

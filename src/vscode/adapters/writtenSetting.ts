import * as vscode from 'vscode';
import type { WrittenSetting } from './settingPolicy.js';

/** A setting as it is written in each place; of a folder where one is given. */
export function writtenSetting(key: string, folder?: vscode.Uri): WrittenSetting {
  return vscode.workspace.getConfiguration(undefined, folder).inspect<unknown>(key) ?? {};
}

import * as vscode from 'vscode';
import type { WrittenSetting } from './settingPolicy.js';

/** The values of a setting in each scope, including the folder scope if `folder` is given. */
export function writtenSetting(key: string, folder?: vscode.Uri): WrittenSetting {
  return vscode.workspace.getConfiguration(undefined, folder).inspect<unknown>(key) ?? {};
}

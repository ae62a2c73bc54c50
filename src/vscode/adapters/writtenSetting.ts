import * as vscode from 'vscode';
import type { WrittenSetting } from './settingPolicy.js';

/** The values of a setting in each scope, including the folder scope if `folder` is given. */
export function writtenSetting(key: string, folder?: vscode.Uri): WrittenSetting {
  const written: WrittenSetting = vscode.workspace.getConfiguration(undefined, folder).inspect<unknown>(key) ?? {};
  const isHidden =
    written.globalRemoteValue !== undefined && written.globalLocalValue === undefined && appliesToAllProfiles(key);
  return isHidden ? { ...written, isHidden } : written;
}

/**
 * Whether a value of this setting applies to all profiles. VS Code reads the list of such settings only from the user
 * settings.
 */
function appliesToAllProfiles(key: string): boolean {
  const keys: unknown = vscode.workspace.getConfiguration('workbench.settings').get('applyToAllProfiles');
  return Array.isArray(keys) && keys.includes(key);
}

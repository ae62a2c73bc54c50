import { stateKeys } from '../core/base/stores.js';
import { readdir } from 'node:fs/promises';
import * as vscode from 'vscode';
import { recordsFolder } from './adapters/machine.js';
import { configurationFileNames } from './manifest.js';
import { setContext } from './ui/setContext.js';
import { settingValue } from './adapters/settingPolicy.js';
import { writtenSetting } from './adapters/writtenSetting.js';

/**
 * Calls `load` if there is work to do before any user action: servers or the gateway to start, a configuration file to
 * check, or processes to end. Otherwise, calls `load` when a configuration file is created.
 */
export async function loadWhenNeeded(extension: vscode.ExtensionContext, load: () => void): Promise<void> {
  const runs = extension.workspaceState.get(stateKeys.runs);
  if (Array.isArray(runs) && runs.length > 0) setContext('mcpDeck.hasLastCall', true);
  if ((await hasFiles()) || mayStart(extension) || (await hasRecords(extension))) {
    load();
    return;
  }
  const names = `{${Object.values(configurationFileNames).join(',')}}`;
  for (const folder of vscode.workspace.workspaceFolders ?? []) {
    const watcher = vscode.workspace.createFileSystemWatcher(
      new vscode.RelativePattern(folder, names),
      false,
      true,
      true,
    );
    extension.subscriptions.push(watcher, watcher.onDidCreate(load));
  }
}

function mayStart({ workspaceState }: vscode.ExtensionContext): boolean {
  const autoStart = settingValue('mcpDeck.autoStart', writtenSetting('mcpDeck.autoStart'));
  const running = workspaceState.get(stateKeys.running);
  if (settingValue('mcpDeck.gateway.enabled', writtenSetting('mcpDeck.gateway.enabled'))) return true;
  return autoStart === 'always' || (autoStart === 'lastRunning' && Array.isArray(running) && running.length > 0);
}

async function hasFiles(): Promise<boolean> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const checks = folders.flatMap(({ uri }) =>
    Object.values(configurationFileNames).map((name) =>
      vscode.workspace.fs.stat(vscode.Uri.joinPath(uri, name)).then(
        () => true,
        () => false,
      ),
    ),
  );
  return (await Promise.all(checks)).includes(true);
}

async function hasRecords(extension: vscode.ExtensionContext): Promise<boolean> {
  try {
    return (await readdir(recordsFolder(extension))).length > 0;
  } catch {
    // The folder does not exist yet. It is created with the first record, so there are no records.
    return false;
  }
}

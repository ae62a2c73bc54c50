import { stateKeys } from '../core/base/stores.js';
import { readdir } from 'node:fs/promises';
import * as vscode from 'vscode';
import { recordsFolder } from './adapters/machine.js';
import { configurationFileNames, foldersWithoutTests, testFilePattern } from './manifest.js';
import { setContext } from './ui/setContext.js';
import { settingValue } from './adapters/settingPolicy.js';
import { writtenSetting } from './adapters/writtenSetting.js';

/**
 * Calls `load` if there is work to do before any user action: servers or the gateway to start, a configuration file to
 * check, processes to end, or tests to list. Otherwise, calls `load` when a configuration file or a file with tests is
 * created.
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
  if (!vscode.workspace.workspaceFolders) return;
  const tests = vscode.workspace.createFileSystemWatcher(testFilePattern, false, true, true);
  extension.subscriptions.push(tests, tests.onDidCreate(load));
  if (await hasTests()) load();
}

/** Maximum time of the search for tests, in milliseconds. VS Code has the same limit for `workspaceContains`. */
const searchLimitMs = 7_000;

/** Whether there is a file with tests. In a huge workspace, the time limit ends the search, and the result is false. */
async function hasTests(): Promise<boolean> {
  const limit = new vscode.CancellationTokenSource();
  const timer = setTimeout(() => limit.cancel(), searchLimitMs);
  const found = await vscode.workspace
    .findFiles(testFilePattern, foldersWithoutTests, 1, limit.token)
    .then(undefined, () => []);
  clearTimeout(timer);
  limit.dispose();
  return found.length > 0;
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

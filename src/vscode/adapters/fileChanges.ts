import path from 'node:path';
import * as vscode from 'vscode';
import type { Disposable } from '../../core/base/disposable.js';
import { DisposableStore } from '../../core/base/disposable.js';
import { compileGlob, maxSteps } from '../../core/workspaceServer/globRules.js';
import type { FileChanges } from '../../core/host/ports.js';

/**
 * Watches files with VS Code's watchers. Inside the workspace, VS Code uses one native watcher for all files,
 * regardless of the size of the workspace and of the number of listeners.
 */
export const fileChanges: FileChanges = {
  watch(folder, patterns, onDidChange): Disposable {
    const store = new DisposableStore();
    const leftOut = patterns
      .filter((pattern) => pattern.startsWith('!'))
      .map((pattern) => compileGlob(pattern.slice(1), process.platform !== 'linux'));
    // Each pattern has a watcher, and all watchers report a file in the same turn of the event loop.
    const reported = new Set<string>();
    // Many files can change in one turn, so they share the steps. A file without steps is reported as changed.
    let steps = { left: maxSteps };
    const notify = ({ fsPath }: vscode.Uri) => {
      if (reported.size === 0)
        setImmediate(() => {
          reported.clear();
          steps = { left: maxSteps };
        });
      if (reported.has(fsPath)) return;
      reported.add(fsPath);
      const file = path.relative(folder, fsPath).split(path.sep).join('/');
      if (!leftOut.some((isLeftOut) => isLeftOut(file, steps))) onDidChange(file);
    };
    for (const pattern of patterns.filter((candidate) => !candidate.startsWith('!'))) {
      const watcher = store.add(
        vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(vscode.Uri.file(folder), pattern)),
      );
      for (const event of [watcher.onDidCreate, watcher.onDidChange, watcher.onDidDelete]) store.add(event(notify));
    }
    return store;
  },
};

import { pathToFileURL } from 'node:url';
import * as vscode from 'vscode';
import type { Disposable } from '../../core/base/disposable.js';
import { DisposableStore } from '../../core/base/disposable.js';
import { Emitter } from '../../core/base/event.js';
import type { RootsSource } from '../../core/host/ports.js';
import type { Root } from '../../core/protocol/mcp.js';
import type { ServerEntry } from '../../core/registry/serverEntry.js';
import type { ChosenRoots, RootFolder } from '../../core/requests/chosenRoots.js';

/**
 * The roots for servers: the workspace folders on disk, or the folders that the user chose for a server. The
 * specification allows only `file` URIs.
 */
export class WorkspaceRoots implements RootsSource, Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new Emitter<void>());
  readonly onDidChange = this.changed.event;

  constructor(private readonly chosen: ChosenRoots) {
    this.store.add(vscode.workspace.onDidChangeWorkspaceFolders(() => this.changed.fire()));
    this.store.add(chosen.onDidChange(() => this.changed.fire()));
  }

  roots(entry: ServerEntry): Root[] {
    return this.chosen.folders(entry, fileFolders()).map(({ name, path }) => ({ uri: pathToFileURL(path).href, name }));
  }

  dispose(): void {
    this.store.dispose();
  }
}

/** The open folders on disk, in order. */
export function fileFolders(): RootFolder[] {
  return (vscode.workspace.workspaceFolders ?? [])
    .filter(({ uri }) => uri.scheme === 'file')
    .map(({ name, uri }) => ({ name, path: uri.fsPath }));
}

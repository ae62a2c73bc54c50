import { pathToFileURL } from 'node:url';
import * as vscode from 'vscode';
import type { Disposable } from '../../core/base/disposable.js';
import { DisposableStore } from '../../core/base/disposable.js';
import { Emitter } from '../../core/base/event.js';
import type { RootsSource } from '../../core/ports.js';
import type { Root } from '../../core/protocol/mcp.js';

/** All workspace folders on disk, for every server; the specification allows no other scheme than `file`. */
export class WorkspaceRoots implements RootsSource, Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new Emitter<void>());
  readonly onDidChange = this.changed.event;

  constructor() {
    this.store.add(vscode.workspace.onDidChangeWorkspaceFolders(() => this.changed.fire()));
  }

  roots(): Root[] {
    return fileFolders().map(({ name, path }) => ({ uri: pathToFileURL(path).href, name }));
  }

  dispose(): void {
    this.store.dispose();
  }
}

/** The open folders that are on disk, in order. */
export function fileFolders(): { name: string; path: string }[] {
  return (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file').map(({ name, uri }) => ({ name, path: uri.fsPath }));
}

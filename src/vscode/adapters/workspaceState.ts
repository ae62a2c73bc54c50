import type * as vscode from 'vscode';
import type { StateStore } from '../../core/base/stores.js';

/** Small values that belong to this workspace, or with the other memento to the user. */
export class WorkspaceState implements StateStore {
  constructor(private readonly memento: vscode.Memento) {}

  get(key: string): unknown {
    return this.memento.get(key);
  }

  async set(key: string, value: unknown): Promise<void> {
    await this.memento.update(key, value);
  }
}

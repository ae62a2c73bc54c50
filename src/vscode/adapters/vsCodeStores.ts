import type * as vscode from 'vscode';
import type { SecretStore, StateStore } from '../../core/base/stores.js';

/** Stores secrets in VS Code's `SecretStorage`. */
export class VsCodeSecrets implements SecretStore {
  constructor(private readonly storage: vscode.SecretStorage) {}

  async get(key: string): Promise<string | undefined> {
    return this.storage.get(key);
  }

  async set(key: string, value: string): Promise<void> {
    await this.storage.store(key, value);
  }

  async delete(key: string): Promise<void> {
    await this.storage.delete(key);
  }
}

/** Stores small values for this workspace, or for the user if created with the global memento. */
export class MementoStore implements StateStore {
  constructor(private readonly memento: vscode.Memento) {}

  get(key: string): unknown {
    return this.memento.get(key);
  }

  async set(key: string, value: unknown): Promise<void> {
    await this.memento.update(key, value);
  }
}

import type * as vscode from 'vscode';
import type { SecretStore } from '../../core/base/stores.js';

/** The system's key store, through VS Code. */
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

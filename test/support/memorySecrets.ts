import type { AuthSecretStore } from '../../src/core/auth/tokenStore.js';
import { Emitter } from '../../src/core/base/event.js';

/** A secret storage in memory. Two authorizers with the same instance act as two windows. */
export class MemorySecrets implements AuthSecretStore {
  readonly values = new Map<string, string>();
  /** While positive, `set` rejects and counts down. */
  failures = 0;
  private readonly didChange = new Emitter<string>();
  readonly onDidChange = this.didChange.event;

  get(key: string): Promise<string | undefined> {
    return Promise.resolve(this.values.get(key));
  }

  set(key: string, value: string): Promise<void> {
    if (this.failures > 0) {
      this.failures--;
      return Promise.reject(new Error('the keychain is locked'));
    }
    this.values.set(key, value);
    this.didChange.fire(key);
    return Promise.resolve();
  }

  delete(key: string): Promise<void> {
    this.values.delete(key);
    this.didChange.fire(key);
    return Promise.resolve();
  }
}

import { isObject } from '../base/guards.js';
import type { StateStore } from '../base/stores.js';

const key = 'mcpDeck.drafts';
const maxDrafts = 30;
const maxLength = 200_000;

/**
 * Form input that has not been used for a run yet, by form. A webview's own state is written only when the window
 * closes normally; drafts are written while the user types, so that they survive a crash. Drafts contain no secrets,
 * because the page omits them.
 */
export class Drafts {
  constructor(private readonly store: StateStore) {}

  /** The stored draft, not validated; undefined if there is none. */
  find(form: string): unknown {
    return this.read().find(([name]) => name === form)?.[1];
  }

  /**
   * Stores a draft in place of the previous one. A draft that is too long is not stored, and the previous one is kept.
   */
  async keep(form: string, draft: object): Promise<void> {
    if (JSON.stringify(draft).length > maxLength) return;
    const others = this.read().filter(([name]) => name !== form);
    await this.store.set(key, [[form, draft], ...others].slice(0, maxDrafts));
  }

  /** Deletes the draft when the input has been used. */
  async forget(form: string): Promise<void> {
    const all = this.read();
    const others = all.filter(([name]) => name !== form);
    if (others.length < all.length) await this.store.set(key, others);
  }

  private read(): [string, object][] {
    const stored = this.store.get(key);
    return Array.isArray(stored)
      ? stored.filter(
          (entry): entry is [string, object] =>
            Array.isArray(entry) && typeof entry[0] === 'string' && isObject(entry[1]),
        )
      : [];
  }
}

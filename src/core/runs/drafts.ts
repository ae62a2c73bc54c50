import { isObject } from '../base/guards.js';
import type { StateStore } from '../base/stores.js';

const key = 'mcpDeck.drafts';
const maxDrafts = 30;
const maxLength = 200_000;

/**
 * What was typed into forms and not run yet, by the form it belongs to. A webview's own state is written when the window
 * closes in good order; this is written while one types, so that it outlives a window that does not. Drafts hold no
 * secrets: the page leaves them out.
 */
export class Drafts {
  constructor(private readonly store: StateStore) {}

  /** As it was kept, whatever it is; undefined when there is none. */
  find(form: string): unknown {
    return this.read().find(([name]) => name === form)?.[1];
  }

  /** Keeps a draft in place of the one before; one that is too long leaves the one before where it is. */
  async keep(form: string, draft: object): Promise<void> {
    if (JSON.stringify(draft).length > maxLength) return;
    const others = this.read().filter(([name]) => name !== form);
    await this.store.set(key, [[form, draft], ...others].slice(0, maxDrafts));
  }

  /** What was typed has reached its end. */
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

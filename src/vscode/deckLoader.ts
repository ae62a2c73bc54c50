import type * as DeckBundle from './deck.js';
import type { Deck, Surroundings } from './deck.js';

/**
 * Loads `dist/deck.js`, a bundle of its own, when it is first needed: activation reads and runs nothing of it. Only types
 * are imported from there.
 */
export class DeckLoader {
  private loading: Promise<Deck> | undefined;

  constructor(private readonly surroundings: Surroundings) {}

  load(): Promise<Deck> {
    // A failed load is tried again by the next one who asks.
    this.loading ??= this.open().catch((error: unknown) => {
      this.loading = undefined;
      throw error;
    });
    return this.loading;
  }

  /** Stops all servers, when there can be any. */
  async close(): Promise<void> {
    const deck = await this.loading?.catch(() => undefined);
    await deck?.close();
  }

  private async open(): Promise<Deck> {
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- a static import would put the deck into this bundle
    const { openDeck } = require('./deck.js') as typeof DeckBundle;
    return openDeck(this.surroundings);
  }
}

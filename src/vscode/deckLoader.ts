import { createRequire } from 'node:module';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import * as vscode from 'vscode';
import { CodeCache } from './codeCache.js';
import type * as DeckBundle from './deck.js';
import type { Deck, ActivationContext } from './deck.js';

/** Delay before the code cache is saved, in milliseconds. By then, the code for startup has run. */
const settledAfterMs = 10_000;

/** The name of the load measurement in extension host profiles. */
export const loadMeasure = 'mcp-deck: load deck.js';

/**
 * Loads the separate bundle `dist/deck.js` on first use, so that activation does not read or run it. Only types are
 * imported from the bundle. From the second start on, V8 loads most of its code from the code cache.
 */
export class DeckLoader {
  private loading: Promise<Deck> | undefined;
  private readonly cache: CodeCache;
  private settled: NodeJS.Timeout | undefined;

  constructor(private readonly surroundings: ActivationContext) {
    this.cache = new CodeCache(path.join(surroundings.extension.globalStorageUri.fsPath, 'code'), () =>
      this.saveLater(),
    );
  }

  load(): Promise<Deck> {
    // After a failure, the next call tries again.
    this.loading ??= this.open().catch((error: unknown) => {
      this.loading = undefined;
      throw error;
    });
    return this.loading;
  }

  /** Stops all servers. Does nothing if the deck was never loaded. */
  async close(): Promise<void> {
    clearTimeout(this.settled);
    const deck = await this.loading?.catch(() => undefined);
    await Promise.all([deck?.close(), this.cache.save()]);
  }

  private saveLater(): void {
    clearTimeout(this.settled);
    this.settled = setTimeout(() => void this.cache.save(), settledAfterMs).unref();
  }

  private async open(): Promise<Deck> {
    const start = performance.now();
    const { openDeck } = await this.loadBundle();
    performance.measure(loadMeasure, {
      start,
      detail: { taken: [...this.cache.taken].map((file) => path.basename(file)) },
    });
    return openDeck(this.surroundings);
  }

  private async loadBundle(): Promise<typeof DeckBundle> {
    const { extensionMode, extensionUri } = this.surroundings.extension;
    const file = vscode.Uri.joinPath(extensionUri, 'dist', 'deck.js').fsPath;
    // In development mode, Node loads the file, as debuggers expect.
    if (extensionMode === vscode.ExtensionMode.Development) return createRequire(file)(file) as typeof DeckBundle;
    this.cache.prepare(file);
    // The event loop is released between compiling and running, so that other extensions are not blocked for the total
    // time.
    await setImmediate();
    return this.cache.load(file) as typeof DeckBundle;
  }
}

import { createRequire } from 'node:module';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import * as vscode from 'vscode';
import { CodeCache } from './codeCache.js';
import type * as DeckBundle from './deck.js';
import type { Deck, ActivationContext } from './deck.js';

/** When what was loaded has done what it does at first, and is worth keeping; milliseconds. */
const settledAfterMs = 10_000;

/** What profiles of the extension host call the loading. */
export const loadMeasure = 'mcp-deck: load deck.js';

/**
 * Loads `dist/deck.js`, a bundle of its own, when it is first needed: activation reads and runs nothing of it. Only types
 * are imported from there. From the second start on V8 takes most of its code as it was compiled before.
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
    // A failed load is tried again by the next one who asks.
    this.loading ??= this.open().catch((error: unknown) => {
      this.loading = undefined;
      throw error;
    });
    return this.loading;
  }

  /** Stops all servers, when there can be any. */
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
    // Who debugs this extension has it loaded by Node itself, as a debugger expects.
    if (extensionMode === vscode.ExtensionMode.Development) return createRequire(file)(file) as typeof DeckBundle;
    this.cache.prepare(file);
    // Other extensions wait for neither half longer than it takes.
    await setImmediate();
    return this.cache.load(file) as typeof DeckBundle;
  }
}

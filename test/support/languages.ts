import type { TestContext } from 'node:test';
import { useLanguage } from '../../src/core/present/text/language.js';

/** Texts in the given language until the test ends. */
export function speak(context: TestContext, bundle: Readonly<Record<string, string>>): void {
  useLanguage(bundle);
  context.after(() => useLanguage(undefined));
}

/**
 * Until the test ends, each translatable text is shown between ‹ and ›, so that untranslatable texts become visible.
 */
export function markTexts(context: TestContext): void {
  speak(context, new Proxy({}, { get: (_, text) => `‹${String(text)}›` }));
}

import type { TestContext } from 'node:test';
import { useLanguage } from '../../src/core/present/text/language.js';

/** Texts in the given language until the test ends. */
export function speak(context: TestContext, bundle: Readonly<Record<string, string>>): void {
  useLanguage(bundle);
  context.after(() => useLanguage(undefined));
}

/** Until the test ends, each translatable text is between ‹ and ›, so that a text that is not translatable shows. */
export function markTexts(context: TestContext): void {
  speak(context, new Proxy({}, { get: (_, text) => `‹${String(text)}›` }));
}

import { config } from '@vscode/l10n';

/** Texts by their English original, as in `l10n/bundle.l10n.<language>.json`. */
type TextBundle = Readonly<Record<string, string>>;

/**
 * The bundle of this runtime. It is stored here because `@vscode/l10n` offers no way to read the bundle that it uses.
 */
let current: TextBundle = {};

/**
 * Sets the language of every `t(…)` in this runtime. Call it once, before any text is created. Before that, and after a
 * call with undefined, texts are in English.
 */
export function useLanguage(bundle: TextBundle | undefined): void {
  current = bundle ?? {};
  config({ contents: current });
}

/**
 * Creates a text in English regardless of the user's language, for log lines, because they are used in bug reports.
 * `make` must be synchronous. Its errors are passed on.
 */
export function inEnglish<Text>(make: () => Text): Text {
  config({ contents: {} });
  try {
    return make();
  } finally {
    config({ contents: current });
  }
}

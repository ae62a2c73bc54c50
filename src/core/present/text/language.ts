import { config } from '@vscode/l10n';

/** Texts by their English original, as in `l10n/bundle.l10n.<language>.json`. */
type TextBundle = Readonly<Record<string, string>>;

/** The bundle of this runtime; `@vscode/l10n` keeps its own reference and offers no way to read it. */
let current: TextBundle = {};

/**
 * Sets the language of every `t(…)` in this runtime. To be called once, before anything makes a text. Without a call, or
 * with undefined, texts are in English.
 */
export function useLanguage(bundle: TextBundle | undefined): void {
  current = bundle ?? {};
  config({ contents: current });
}

/**
 * Makes a text in English whatever the language of the user is: lines of logs are for bug reports. `make` must return its text
 * without waiting for anything. What it throws is passed on.
 */
export function inEnglish<Text>(make: () => Text): Text {
  config({ contents: {} });
  try {
    return make();
  } finally {
    config({ contents: current });
  }
}

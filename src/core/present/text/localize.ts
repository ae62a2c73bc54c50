/**
 * Puts a text into the user's language and fills `{0}`, `{1}`… with its arguments. The VS Code layer passes
 * `vscode.l10n.t`; everything else uses `english`.
 */
export type Localize = (message: string, ...args: (string | number | boolean)[]) => string;

/** Fills the places and translates nothing. */
export const english: Localize = (message, ...args) =>
  message.replace(/\{(\d+)\}/g, (place, index: string) => String(args[Number(index)] ?? place));

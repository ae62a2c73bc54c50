/**
 * Puts an English sentence into the user's language; `{0}`, `{1}` … stand for the arguments. The VS Code layer gives
 * `vscode.l10n.t`, which has this shape; a headless host uses `english`.
 */
export type Translate = (sentence: string, ...args: (string | number | boolean)[]) => string;

/** Leaves the sentence as it is and fills in the arguments. */
export const english: Translate = (sentence, ...args) =>
  sentence.replace(/\{(\d+)\}/g, (placeholder, index: string) => {
    const value = args[Number(index)];
    return value === undefined ? placeholder : String(value);
  });

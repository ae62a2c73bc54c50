/**
 * Puts a text into the user's language and fills `{0}`, `{1}`…, as `vscode.l10n.t` does, whose bundle the extension
 * hands over.
 */
export type Translate = (message: string, ...args: (string | number | boolean)[]) => string;

export function translator(bundle: Readonly<Record<string, string>>): Translate {
  return (message, ...args) => {
    const text = Object.hasOwn(bundle, message) ? (bundle[message] ?? message) : message;
    return text.replace(/\{(\d+)\}/g, (place, index: string) => String(args[Number(index)] ?? place));
  };
}

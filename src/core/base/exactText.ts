import { countHidden, visibleText } from './hostileText.js';

/**
 * What cannot be told apart by eye without quotes: white space other than single blanks, our own brackets, and a
 * quote that opens.
 */
const unclear = /[^\S ]| {2}|^"|[⟨⟩]/u;
const spelled: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ['"', '\\"'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

/**
 * A text on one line, so that two different texts never look the same: as it is where that is clear, else in quotes with
 * escapes as JSON has them, and `\u{…}` for hidden characters and unusual blanks. Never cut. Linear in the text.
 * @param alsoQuoted characters that end the text where it is shown, such as `=` after a name. Default none.
 */
export function exactText(text: string, alsoQuoted?: RegExp): string {
  const isPlain =
    text !== '' &&
    !text.startsWith(' ') &&
    !text.endsWith(' ') &&
    !unclear.test(text) &&
    alsoQuoted?.test(text) !== true &&
    countHidden(text) === 0;
  return isPlain ? text : `"${escaped(text)}"`;
}

/** The inside of the quotes. */
function escaped(text: string): string {
  const blanks = text.replace(
    /[\\"]|[^\S ]/gu,
    (char) => spelled.get(char) ?? `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`,
  );
  return visibleText(blanks, Number.MAX_SAFE_INTEGER);
}

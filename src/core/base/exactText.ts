import { composedText, isComposed } from './composed.js';
import { countHidden, visibleText } from './hostileText.js';

/**
 * Text that is ambiguous without quotes: white space other than a single space between words, the brackets that this
 * module uses, and a quote at the start.
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
 * A text on one line, so that two different texts never look the same. An unambiguous text is unchanged; others are
 * quoted with JSON escapes, and with `\u{…}` for hidden characters, unusual blanks, and characters that are not in the
 * normal form NFC. The text is never cut. Linear in the text.
 * @param alsoQuoted characters that end the text in its context, such as `=` after a name. Default none.
 */
export function exactText(text: string, alsoQuoted?: RegExp): string {
  const isPlain =
    text !== '' &&
    !text.startsWith(' ') &&
    !text.endsWith(' ') &&
    !unclear.test(text) &&
    alsoQuoted?.test(text) !== true &&
    isComposed(text) &&
    countHidden(text) === 0;
  return isPlain ? text : `"${escaped(text)}"`;
}

/** The escaped text, to be placed between quotes. */
function escaped(text: string): string {
  const blanks = text.replace(
    /[\\"]|[^\S ]/gu,
    (char) => spelled.get(char) ?? `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`,
  );
  return visibleText(composedText(blanks), Number.MAX_SAFE_INTEGER);
}

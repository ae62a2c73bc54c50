import { composedText } from './composed.js';
import { visibleText } from './hostileText.js';

/**
 * Letters that look like other Latin letters: letters of Cyrillic, Greek, Armenian, Cherokee, Coptic and Lisu, phonetic
 * letters and small capitals, full-width forms, and letters of mathematical alphabets.
 */
const lookAlike =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}\u01c0-\u01c3\u0250-\u02af\u1d00-\u1dbf\u2100-\u218b\u2c60-\u2c7f\ua730\ua731\uab30-\uab6f\uff01-\uff5e\u{1d400}-\u{1d7ff}]/u;
/** Signs that look like the slash, the backslash, the colon, the dot, or the vertical bar. */
const signs =
  /[\u02d0\u05c3\u0589\u2024\u2044\u2215\u2216\u2223\u2236\u2571\u2572\u2758\u27cb\u27cd\u29f5\u29f8\u29f9\ua789\ufe55\ufe68]/u;
const eachSign = new RegExp(signs.source, 'gu');
const eachLookAlike = new RegExp(lookAlike.source, 'gu');
/** Cyrillic and Greek letters that look like Latin ones: a word of only these letters can look like a Latin word. */
const spellsLatin = /^[аАВеЕѕЅіІјЈКМНоОрРсСТуУхХһԁԛԝүҮӏαΑΒΕΖΗιΙκΚΜνΝοΟρΡΤυΥχΧγ\d\P{L}]+$/u;
/**
 * Dashes that look like the hyphen of an option or a name. A dash between two blanks does not match, because it
 * separates the words of a title.
 */
const dashes = /(?<!\s)[\u2010-\u2015\u2212]|[\u2010-\u2015\u2212](?!\s)/u;
const eachDash = new RegExp(dashes.source, 'gu');
/** Quotes, and the backslash that escapes them. They are escaped because the name is shown in quotes. */
const quotes = /["\\]/g;
/** Blanks that are hard to see or to count, or are unusual. */
const unclearBlanks = /^ +| +$| {2,}|[^\S ]/gu;
const otherQuotes =
  /[\u2018\u201a-\u201f\u00ab\u00bb\u2033\u2036\u275d\u275e\u3003\u301d-\u301f\uff02\u02ba\u02ee\u05f4]|['\u2019]{2,}/gu;

/** Names that need no escape: most names of servers and clients. */
const plainName = /^[a-z0-9]+(?:[ ._-][a-z0-9]+)*$/i;

/**
 * The name of a server on one line, for use inside quotes. Quotes, unusual blanks and blanks at the ends are escaped.
 * Letters that look like Latin ones become `\u{…}` if a word mixes alphabets or could be read as a Latin word.
 * @param maxLength limit in UTF-16 code units; default 120.
 */
export function visibleName(name: string, maxLength = 120): string {
  if (name.length <= maxLength && plainName.test(name)) return name;
  const cut = name.length > maxLength ? `${name.slice(0, maxLength)}…` : name;
  const escaped = composedText(cut)
    .replace(quotes, (char) => `\\${char}`)
    .replace(unclearBlanks, (run) => Array.from(run, code).join(''));
  const plain = visibleText(escaped, Number.MAX_SAFE_INTEGER)
    .replace(otherQuotes, (found) => Array.from(found, code).join(''))
    .replace(eachDash, code)
    .replace(eachSign, code);
  return plain.replace(/[\p{L}\p{M}\p{N}\uff01-\uff5e]+/gu, (word) =>
    isDeceptive(word) ? word.replace(eachLookAlike, code) : word,
  );
}

/** Maximum length of the name of a client of the gateway, in UTF-16 code units. */
const maxClientNameLength = 60;

/** The name that a client of the gateway states, for display, approvals and rules. Escaped and limited in length. */
export function visibleClientName(name: string): string {
  return visibleName(name, maxClientNameLength) || 'unnamed';
}

/** Whether a name contains letters, dashes, or signs that look like others. */
export function hasLookAlikes(name: string): boolean {
  return (
    dashes.test(name) || signs.test(name) || (name.match(/[\p{L}\p{M}\p{N}\uff01-\uff5e]+/gu) ?? []).some(isDeceptive)
  );
}

function isDeceptive(word: string): boolean {
  return (
    lookAlike.test(word) &&
    (/\p{Script=Latin}/u.test(word) || /[\uff01-\uff5e\u{1d400}-\u{1d7ff}]/u.test(word) || spellsLatin.test(word))
  );
}

function code(char: string): string {
  return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}

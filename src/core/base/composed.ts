/** Combining marks, and parts of Korean syllables: they join the character before them. */
const joining = /[\p{M}\u1160-\u11ff]/gu;
/**
 * More characters that join one than any language needs, also those that NFKC makes of halfwidth characters. The time
 * to normalize a run of them is quadratic.
 */
const longRuns = /[\p{M}\u1160-\u11ff\uff9e-\uffdc]{31,}/gu;
const startsJoining = /^[\p{M}\u1160-\u11ff]/u;
const beyondAscii = /[^\0-\x7f]/gu;

/**
 * Whether a text is in the normal form NFC, does not begin with a character that joins the preceding one, and contains
 * no run of more than 30 such characters. Linear in the text.
 */
export function isComposed(text: string): boolean {
  return !startsJoining.test(text) && !hasLongRun(text) && text.normalize('NFC') === text;
}

/** Whether a text contains a run of characters that join one, which is so long that normalizing it takes too much time. */
export function hasLongRun(text: string): boolean {
  return text.search(longRuns) !== -1;
}

/**
 * The text without accents, as a search compares it (NFKD). A run of more than 30 characters that join one becomes a
 * space. Linear in the text.
 */
export function withoutAccents(text: string): string {
  return text.replace(longRuns, ' ').normalize('NFKD').replace(/\p{M}/gu, '');
}

/**
 * The text in a form that equals its own normal form (NFC): each character that normalization would change becomes
 * `\u{…}`. Linear in the text.
 */
export function composedText(text: string): string {
  if (isComposed(text)) return text;
  const apart = text.replace(beyondAscii, (char) => (char.normalize('NFC') === char ? char : code(char)));
  const written = apart.replace(joining, code);
  return isComposed(written) ? written : text.replace(beyondAscii, code);
}

function code(char: string): string {
  return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}

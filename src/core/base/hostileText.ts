/**
 * Makes untrusted text safe to show: control and ANSI sequences, bidirectional overrides, and every invisible character
 * (Unicode's Default_Ignorable_Code_Point: zero-width characters, variation selectors, tags, fillers) become visible
 * escapes, and the length is limited. No character is silently removed, so that hidden instructions become visible
 * (security requirement L2). Emoji are unchanged: one variation selector after a picture or in a keycap, a joiner
 * between two pictures, and the tag letters of a region after a black flag all stay.
 */

/**
 * The flags of regions: England, Scotland and Wales, the only ones that Unicode recommends (UTS #51). Each is a black
 * flag, the code of the region in tag characters, and the end tag. Any other text in tags is hidden text.
 */
const regions = ['gbeng', 'gbsct', 'gbwls'].map((code) => [
  ...Array.from(code, (letter) => String.raw`\u{e00${(letter.codePointAt(0) ?? 0).toString(16)}}`),
  String.raw`\u{e007f}`,
]);
const emoji = [
  String.raw`\p{Extended_Pictographic}[\ufe0e\ufe0f]`,
  String.raw`[0-9#*][\ufe0e\ufe0f](?=\u20e3)`,
  String.raw`\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?\u200d(?=\p{Extended_Pictographic})`,
  // Tag characters are unchanged only in a complete flag.
  ...regions.flatMap((tags) =>
    tags.map((_, at) => {
      const rest = tags.slice(at + 1).join('');
      return String.raw`\u{1f3f4}${tags.slice(0, at + 1).join('')}${rest === '' ? '' : `(?=${rest})`}`;
    }),
  ),
].join('|');
/** Characters that are invisible or look like a blank, but do not have the property Default_Ignorable_Code_Point. */
const others = String.raw`[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029\u2800\ufff9-\ufffb\ud800-\udfff\u{13430}-\u{1343f}\u{16fe4}\u{1d159}]`;
const HIDDEN = new RegExp(`${others}|\\p{Default_Ignorable_Code_Point}(?<!${emoji})`, 'gu');

/**
 * Replaces every hidden character with `\u{…}` and cuts after `maxLength` UTF-16 code units (default 10,000) with a
 * note.
 */
export function visibleText(text: string, maxLength = 10_000): string {
  const cut =
    text.length > maxLength ? `${text.slice(0, maxLength)}… (${text.length - maxLength} more characters)` : text;
  return cut.replace(HIDDEN, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
}

/**
 * Maximum length of a run of white space, in UTF-16 code units; a longer run would move the text after it out of sight.
 */
const maxBlanks = 24;
/** Maximum number of consecutive empty lines that are kept. */
const maxEmptyLines = 3;

/**
 * Like `visibleText`, but on one line, for labels and messages: white space becomes one space, and an overlong run is
 * replaced by a note of its length. Default limit 200.
 */
export function visibleLine(text: string, maxLength = 200): string {
  return visibleText(text, maxLength)
    .trim()
    .replace(/\s+/g, (run) => (run.length > maxBlanks ? ` ${blanksMark(run.length)} ` : ' '));
}

/**
 * Makes text safe for messages and input fields of VS Code, which turn `[text](command:…)` into a link that runs the
 * command. Text from a server must not be able to create such a link.
 */
export function unlinked(text: string): string {
  return text.replace(/\](?=\()/g, '] ');
}

/**
 * Makes text safe for places where VS Code draws `$(name)` as an icon, or draws nothing if the icon does not exist: a
 * backslash before `$(name)` makes VS Code show the text unchanged.
 */
export function withoutIcons(text: string): string {
  return text.replace(/\$\([A-Za-z0-9-]+(?:~[A-Za-z]+)?\)/g, '\\$&');
}

/**
 * Text as one line of a log, an audit log or a terminal: a line break becomes a visible mark, so that text cannot look
 * like a separate entry. Default limit 10,000.
 */
export function logLine(text: string, maxLength = 10_000): string {
  return withoutLongRuns(withoutFinalBreaks(visibleText(text, maxLength)).replace(/\r\n?|\n/g, ' ⏎ '));
}

/** A loop instead of a regular expression: the expression would be tried from every line break, in quadratic time. */
function withoutFinalBreaks(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === '\n' || text[end - 1] === '\r')) end--;
  return text.slice(0, end);
}

/**
 * Text of several lines, for pages, tooltips and questions: overlong white space, which would move the rest out of
 * sight, is replaced by a mark with its length. Default limit 10,000. Not for text that must be shown exactly.
 */
export function shownText(text: string, maxLength = 10_000): string {
  const lines = visibleText(text, maxLength).replace(/\r\n?/g, '\n');
  const joined = lines.replace(/\n(?:[^\S\n]*\n)+/g, (run) => {
    const empty = run.split('\n').length - 2;
    return empty > maxEmptyLines ? `\n⟨${empty} empty lines⟩\n` : run;
  });
  return withoutLongRuns(joined);
}

/**
 * Text as a log entry that may have several lines, such as a stack trace: its later lines cannot look like separate
 * entries. Default limit 100,000.
 */
export function logEntry(text: string, maxLength = 100_000): string {
  const lines = visibleText(text, maxLength).split(/\r\n?|\n/);
  return lines
    .map((line, index) => (index === 0 ? withoutLongRuns(line) : `    | ${withoutLongRuns(line)}`))
    .join('\n');
}

function withoutLongRuns(text: string): string {
  return text.replace(/[^\S\n]+/g, (run) => (run.length > maxBlanks ? ` ${blanksMark(run.length)} ` : run));
}

function blanksMark(count: number): string {
  return `⟨${count} blanks⟩`;
}

/** Maximum result of a count, because a text may consist of millions of hidden characters. */
const maxCounted = 10_000;

/** The number of hidden characters in a text, at most 10,000. */
export function countHidden(text: string): number {
  const hidden = new RegExp(HIDDEN);
  let count = 0;
  while (count < maxCounted && hidden.test(text)) count++;
  return count;
}

const WRITTEN = /\\u\{([0-9a-f]{1,6})\}/g;

/**
 * The number of hidden characters in the original text, for a text that `visibleText` has processed. Counts their
 * escapes, and any hidden characters that remain, at most 10,000 of each.
 */
export function countWritten(text: string): number {
  let written = 0;
  for (const [, code] of text.matchAll(WRITTEN)) {
    if (countHidden(String.fromCodePoint(Math.min(Number.parseInt(code ?? '0', 16), 0x10ffff))) > 0) written++;
    if (written === maxCounted) break;
  }
  return countHidden(text) + written;
}

/** Like `countHidden`, for JSON text, where a hidden character may also be an escape. */
export function countHiddenInJson(json: string): number {
  const runs = json.match(/(?:\\u[0-9a-fA-F]{4})+/g) ?? [];
  const escaped = runs.map((run) =>
    run.replace(/\\u([0-9a-fA-F]{4})/g, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
  );
  return countHidden(json) + escaped.reduce((sum, text) => sum + countHidden(text), 0);
}

/** Like `visibleText`, for logs: the number of escaped characters is added at the end. */
export function flaggedText(text: string, maxLength = 10_000): string {
  const count = countHidden(text.slice(0, maxLength));
  const shown = visibleText(text, maxLength);
  return count === 0 ? shown : `${shown} [${count === 1 ? '1 hidden character' : `${count} hidden characters`}]`;
}

/**
 * JSON text with every hidden character written as an escape. The value is the same, and the characters are visible.
 */
export function escapeHiddenInJson(json: string): string {
  return json.replace(HIDDEN, (char) =>
    [...Array(char.length).keys()].map((i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`).join(''),
  );
}

/**
 * Text from a server, made harmless to show: control and ANSI sequences, bidirectional overrides, and every character that
 * is drawn as nothing (Unicode's Default_Ignorable_Code_Point: zero-width characters, variation selectors, tags, fillers)
 * are written out as visible escapes, and the length is bounded. Nothing is silently dropped: a hidden instruction has to
 * become visible (security requirement L2). Emoji are left alone: one selector of style after a picture or in a keycap, a
 * joiner between two pictures, and the letters of a region after a black flag.
 */
const tag = String.raw`[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]`;
const emoji = [
  String.raw`\p{Extended_Pictographic}[\ufe0e\ufe0f]`,
  String.raw`[0-9#*][\ufe0e\ufe0f](?=\u20e3)`,
  String.raw`\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?\u200d(?=\p{Extended_Pictographic})`,
  // A whole flag or nothing of it: three to six letters or digits, and the end.
  ...[1, 2, 3, 4, 5, 6].map(
    (behind) => String.raw`\u{1f3f4}${tag}{${behind}}(?=${tag}{${Math.max(0, 3 - behind)},${6 - behind}}\u{e007f})`,
  ),
  String.raw`\u{1f3f4}${tag}{3,6}\u{e007f}`,
].join('|');
/** What is drawn as nothing, or as a blank, without being ignorable. */
const others = String.raw`[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029\u2800\ufff9-\ufffb\ud800-\udfff\u{13430}-\u{1343f}\u{16fe4}\u{1d159}]`;
const HIDDEN = new RegExp(`${others}|\\p{Default_Ignorable_Code_Point}(?<!${emoji})`, 'gu');

/** Replaces every hidden character by `\u{…}` and cuts after `maxLength` UTF-16 units (default 10,000) with a note. */
export function visibleText(text: string, maxLength = 10_000): string {
  const cut =
    text.length > maxLength ? `${text.slice(0, maxLength)}… (${text.length - maxLength} more characters)` : text;
  return cut.replace(HIDDEN, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
}

/**
 * Runs of white space up to this length are how people write; longer ones push what follows out of sight. UTF-16
 * units.
 */
const maxBlanks = 24;
/** Empty lines in a row that stay. */
const maxEmptyLines = 3;

/**
 * The same on one line, for labels and messages: white space becomes one space, and a run that is longer than people write
 * says how long it was. Default limit 200.
 */
export function visibleLine(text: string, maxLength = 200): string {
  return visibleText(text, maxLength)
    .trim()
    .replace(/\s+/g, (run) => (run.length > maxBlanks ? ` ${blanksMark(run.length)} ` : ' '));
}

/**
 * Text for messages and input fields of VS Code, which make `[text](command:…)` a link that runs the command. Text that a
 * server had a part in must not be able to write one.
 */
export function unlinked(text: string): string {
  return text.replace(/\](?=\()/g, '] ');
}

/**
 * One line of a log, of the audit or of a terminal: a line break is a mark, so that nothing can pass for a line of
 * its own. Default limit 10,000.
 */
export function logLine(text: string, maxLength = 10_000): string {
  return withoutLongRuns(
    visibleText(text, maxLength)
      .replace(/[\r\n]+$/, '')
      .replace(/\r\n?|\n/g, ' ⏎ '),
  );
}

/**
 * Text of several lines, for pages, tooltips and questions: what would push the rest of it out of sight is replaced by a
 * mark that says how much it was. Default limit 10,000. Not for text that has to be shown exactly.
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
 * An entry of a log that may have several lines, as a stack does: those after the first cannot pass for entries of
 * their own. Default limit 100,000.
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

/** How many hidden characters `text` holds. */
export function countHidden(text: string): number {
  return text.match(HIDDEN)?.length ?? 0;
}

const WRITTEN = /\\u\{([0-9a-f]{1,6})\}/g;

/**
 * How many hidden characters a text held that `visibleText` has passed, by what stands for them; those that it holds
 * still count as well.
 */
export function countWritten(text: string): number {
  const written = [...text.matchAll(WRITTEN)].filter(
    ([, code]) => countHidden(String.fromCodePoint(Math.min(Number.parseInt(code ?? '0', 16), 0x10ffff))) > 0,
  );
  return countHidden(text) + written.length;
}

/** The same for JSON text, where a hidden character may also stand as its escape. */
export function countHiddenInJson(json: string): number {
  const runs = json.match(/(?:\\u[0-9a-fA-F]{4})+/g) ?? [];
  const escaped = runs.map((run) =>
    run.replace(/\\u([0-9a-fA-F]{4})/g, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
  );
  return countHidden(json) + escaped.reduce((sum, text) => sum + countHidden(text), 0);
}

/** As `visibleText`, for logs: what was written out is counted at the end. */
export function flaggedText(text: string, maxLength = 10_000): string {
  const count = countHidden(text.slice(0, maxLength));
  const shown = visibleText(text, maxLength);
  return count === 0 ? shown : `${shown} [${count === 1 ? '1 hidden character' : `${count} hidden characters`}]`;
}

/** JSON text with every hidden character written as an escape: visible, and still exactly the same value. */
export function escapeHiddenInJson(json: string): string {
  return json.replace(HIDDEN, (char) =>
    [...Array(char.length).keys()].map((i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`).join(''),
  );
}

import { visibleLine } from '../../base/hostileText.js';
import { withoutMarkup } from './markdown.js';

/** The first sentence of a description on one line, without its period, to be shown next to a name in a list. */
export function firstSentence(text: string | undefined, maxLength = 120): string | undefined {
  // The text is cut before the search, to limit the work for descriptions of megabytes.
  const line = visibleLine(
    text
      ?.trimStart()
      .slice(0, 2_000)
      .split(/\r?\n\s*\r?\n/, 1)[0] ?? '',
    2_000,
  );
  if (line === '') return undefined;
  const end = /[.!?](?=\s+[^a-z]|$)/.exec(line);
  const sentence = end ? line.slice(0, end.index + (end[0] === '.' ? 0 : 1)) : line;
  return sentence.length > maxLength ? `${sentence.slice(0, maxLength - 1).trimEnd()}…` : sentence;
}

/** The first sentence of a Markdown description without its marks, for trees and lists. */
export function plainSentence(text: string | undefined, maxLength = 120): string | undefined {
  return firstSentence(text === undefined ? undefined : withoutMarkup(text.trimStart().slice(0, 2_000)), maxLength);
}

/** Non-breaking spaces, because a line could be broken at normal spaces before a long word. */
const indent = '\u00a0'.repeat(4);

/** A line in the detail of a dialog, indented below its heading. */
export function indented(line: string): string {
  return indent + line;
}

/**
 * Wraps a text into lines of at most `width` characters, unless a word is longer. Each line except the first one starts
 * with `indent`.
 */
export function wrapText(text: string, width: number, indent: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].join(`\n${indent}`);
}

/** Maximum number of lines. The buttons of a longer dialog may be outside the screen. */
export const maxDialogLines = 30;

/**
 * The beginning of a text that a dialog can show: at most `maxDialogLines` lines and `maxLength` UTF-16 code units, by
 * default 3,000.
 */
export function dialogPart(text: string, maxLength = 3_000): string {
  let end = -1;
  for (let line = 0; line < maxDialogLines; line++) {
    end = text.indexOf('\n', end + 1);
    if (end === -1 || end > maxLength) return text.slice(0, maxLength);
  }
  return text.slice(0, end);
}

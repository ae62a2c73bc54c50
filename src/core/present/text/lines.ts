import { visibleLine } from '../../base/hostileText.js';

/** The first sentence of a description, on one line, without its full stop: what fits beside a name in a list. */
export function firstSentence(text: string | undefined, maxLength = 120): string | undefined {
  // The cut before the search bounds the work on a description of megabytes.
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

/** Spaces that no line is broken at: before a word longer than the line, others would stand on a line of their own. */
const indent = '\u00a0'.repeat(4);

/** A line of a dialog's detail that stands below its heading. */
export function indented(line: string): string {
  return indent + line;
}

/** A text in lines of at most `width` characters where its words allow it, each but the first behind `indent`. */
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

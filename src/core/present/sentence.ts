import { visibleLine } from '../base/hostileText.js';

/** The first sentence of a description, on one line, without its full stop: what fits beside a name in a list. */
export function firstSentence(text: string | undefined, maxLength = 120): string | undefined {
  // The cut before the search bounds the work on a description of megabytes.
  const line = visibleLine(text?.trimStart().slice(0, 2_000).split(/\r?\n\s*\r?\n/, 1)[0] ?? '', 2_000);
  if (line === '') return undefined;
  const end = /[.!?](?=\s+[^a-z]|$)/.exec(line);
  const sentence = end ? line.slice(0, end.index + (end[0] === '.' ? 0 : 1)) : line;
  return sentence.length > maxLength ? `${sentence.slice(0, maxLength - 1).trimEnd()}…` : sentence;
}

import { el } from '../page/dom.js';

/**
 * Maximum length of the text between two marks, in characters; longer text is not formatted. Without the limit, marks
 * that are never closed would take quadratic time.
 */
const maxSpan = 300;

const link = String.raw`\[[^\]\n]{1,${maxSpan}}\]\(`;
/** Excludes a closing mark if the mark is the only text in quotation marks or parentheses. */
const notQuoted = String.raw`(?!(?<=["'(])\k<mark>["')])`;

/**
 * Code, bold, italic, links and escapes. Bold and italic begin before a letter, digit, code or link, and not after a
 * quote, in a word or in a path, so that `snake_case`, `"*"` and file patterns such as `**\/*.md` stay as they are.
 */
const spans = new RegExp(
  [
    String.raw`(?<ticks>\x60+)(?<code>[^\n]{1,${maxSpan}}?)\k<ticks>(?!\x60)`,
    String.raw`(?<![\p{L}\p{N}/*_\\"'])(?<mark>\*\*|__|\*|_)(?=[\p{L}\p{N}\x60]|${link})(?<inner>[^\n]{1,${maxSpan}}?)(?<=\S)${notQuoted}\k<mark>(?![\p{L}\p{N}*_/])`,
    String.raw`\[(?<label>[^\]\n]{1,${maxSpan}})\]\((?<address>[^)\s]{1,${maxSpan}})\)`,
    String.raw`\\(?<escaped>[*_\x60\[\]])`,
  ].join('|'),
  'gu',
);

/**
 * A description of a server with its inline Markdown. Everything is text: an address is shown and not linked, because a
 * click in a form must not lead away from it.
 */
export function inlineMarkdown(text: string): (Node | string)[] {
  const parts: (Node | string)[] = [];
  let end = 0;
  for (const match of text.matchAll(spans)) {
    const { code, mark, inner, label, address, escaped } = match.groups ?? {};
    parts.push(text.slice(end, match.index));
    end = match.index + match[0].length;
    if (code !== undefined) parts.push(el('code', {}, code));
    else if (inner !== undefined) parts.push(el(mark?.length === 2 ? 'strong' : 'em', {}, ...inlineMarkdown(inner)));
    else if (label !== undefined) parts.push(label === address ? label : `${label} (${address ?? ''})`);
    else parts.push(escaped ?? '');
  }
  parts.push(text.slice(end));
  return parts.filter((part) => part !== '');
}

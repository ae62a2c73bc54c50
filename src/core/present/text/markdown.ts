import { shownText, visibleLine } from '../../base/hostileText.js';

/**
 * Escapes server text for Markdown. Every ASCII punctuation mark is escaped (CommonMark, "Backslash escapes"), so that
 * nothing becomes a link, an image, HTML, an autolink or an icon; hidden characters are made visible first.
 */
export function escapeMarkdown(text: string, maxLength = 2_000): string {
  return shownText(text, maxLength).replace(/[!-/:-@[-`{-~]/g, '\\$&');
}

/** Like `escapeMarkdown`, for text on one line. */
export function escapeMarkdownLine(text: string, maxLength = 200): string {
  return visibleLine(text, maxLength).replace(/[!-/:-@[-`{-~]/g, '\\$&');
}

/** A code span on one line. No run of backticks in the text can end it. */
export function inlineCode(text: string, maxLength = 400): string {
  const line = visibleLine(text, maxLength);
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = line.startsWith('`') || line.endsWith('`') || line === '' ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** A Markdown code block with a fence that is longer than any in its content, so that the content cannot close it. */
export function codeBlock(text: string, language = ''): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Escapes server text with several paragraphs: blank lines separate them, single line breaks are kept. */
export function escapeParagraphs(text: string, maxLength = 2_000): string {
  return shownText(text.trim(), maxLength)
    .split(/\r?\n[ \t]*(?:\r?\n[ \t]*)+/)
    .map((paragraph) =>
      paragraph
        .split(/\r?\n/)
        .map((line) => line.trim().replace(/[!-/:-@[-`{-~]/g, '\\$&'))
        .join('  \n'),
    )
    .join('\n\n');
}

/**
 * Whether a text seems to be written as Markdown: it has a heading, a table or a code block, or at least two weaker
 * signs, such as a list and a link.
 */
export function looksLikeMarkdown(text: string): boolean {
  // Only the beginning is tested, so that the patterns are fast for every text.
  const start = text.slice(0, 4_000);
  if (/^#{1,6} \S/m.test(start) || /^(```|~~~)/m.test(start) || /^\|?[ :]*-{3,}[ :]*\|[ :|-]*$/m.test(start))
    return true;
  const signs = [
    /^[ ]{0,3}[-*+] \S/m,
    /^[ ]{0,3}\d+[.)] \S/m,
    /\*\*[^\s*][^*\n]*\*\*/,
    /`[^`\n]+`/,
    /\[[^[\]\n]{1,300}\]\([^()[\]\s]{1,1000}\)/,
    /^> \S/m,
  ];
  return signs.filter((sign) => sign.test(start)).length >= 2;
}

/** Maximum length of a text whose markup is removed, in UTF-16 code units. A longer text is returned unchanged. */
const maxStripped = 20_000;

/**
 * A text without the marks of Markdown, for places that show plain text: the text of links, bold text, code and
 * headings. The time is linear, because each pattern is limited in length.
 *
 * @param keepsAddresses whether the URL of a link is written after its text.
 */
export function withoutMarkup(text: string, keepsAddresses = false): string {
  if (text.length > maxStripped) return text;
  return text
    .replace(/!?\[([^[\]\n]{1,200})\]\(([^()\s]{1,500})\)/g, (_, words: string, address: string) =>
      keepsAddresses && words !== address ? `${words} (${address})` : words,
    )
    .replace(/`{1,3}([^`\n]{1,200})`{1,3}/g, '$1')
    .replace(/(?<![\w*])\*\*([^\s*][^*\n]{0,200})\*\*(?![\w*])/g, '$1')
    .replace(/(?<![\w_])__([^\s_][^_\n]{0,200})__(?![\w_])/g, '$1')
    .replace(/^ {0,3}#{1,6} +/gm, '');
}

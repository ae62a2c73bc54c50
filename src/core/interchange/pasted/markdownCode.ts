/** Maximum number of code blocks that are read. */
const maxBlocks = 20;

/** The code blocks of a Markdown text, or the whole text if it has none. Takes linear time. */
export function codeIn(text: string): string[] {
  const blocks = fencedBlocks(text);
  return blocks.length > 0 ? blocks : [(inlineCode(text) ?? flatBlock(text) ?? text).trim()];
}

/** The blocks between fences. A block that is not closed reaches to the end. */
function fencedBlocks(text: string): string[] {
  const blocks: string[] = [];
  let open: { fence: string; lines: string[] } | undefined;
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    const start = line.replace(/^[ \t>]+/, '');
    if (open) {
      if (!start.startsWith(open.fence)) {
        open.lines.push(line);
        continue;
      }
      blocks.push(open.lines.join('\n').trim());
      open = undefined;
      if (blocks.length === maxBlocks) return blocks;
      continue;
    }
    const fence = /^(?:`{3,}|~{3,})/.exec(start)?.[0];
    // A fence in the last line does not open a block.
    if (fence !== undefined && index < lines.length - 1) open = { fence, lines: [] };
  }
  if (open) blocks.push(open.lines.join('\n').trim());
  return blocks;
}

/** The text between two runs of the same number of grave accents; undefined for other texts. */
function inlineCode(text: string): string | undefined {
  const mark = graveAccents(text);
  const inner = text.slice(mark, text.length - mark);
  return mark > 0 && inner !== '' && !inner.includes('`') && text.endsWith('`'.repeat(mark)) ? inner : undefined;
}

/** The code of a fenced block whose line breaks were removed by an input box; undefined for other texts. */
function flatBlock(text: string): string | undefined {
  const mark = graveAccents(text);
  if (mark < 3 || !text.endsWith('```') || text.length < mark + 3) return undefined;
  let end = text.length;
  while (end > mark && text[end - 1] === '`') end--;
  return text.slice(mark, end).replace(/^(?:json[c5]?|bash|sh|shell|console|text)(?![\w-])/, '');
}

/** The number of grave accents at the start. */
function graveAccents(text: string): number {
  return /^`*/.exec(text)?.[0].length ?? 0;
}

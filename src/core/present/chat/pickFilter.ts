/**
 * The filter of a list such as "Run Tool…". Each word must occur in the server, the name, the title or the description;
 * the order of the words does not matter. This filter replaces the filter of VS Code, which looks for the whole text in
 * one field.
 */
import { t } from '@vscode/l10n';
import type { PickRow } from './toolPick.js';

/** Maximum number of lines of a filtered list besides exact matches, so that typing stays fast with many tools. */
const maxFiltered = 200;

/** The words of a filter; an empty list for an empty filter. */
function wordsOf(filter: string): string[] {
  return filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, 20);
}

/**
 * The rows that contain every word of the filter, the best match of each section first. The order of sections does not
 * change, and a section without rows has no separator. If the filter is empty, all rows are returned. If no row matches
 * and the filter begins with the name of a stopped server and a dot, the row that starts the server is returned.
 */
export function filterRows(rows: readonly PickRow[], filter: string): PickRow[] {
  const words = wordsOf(filter);
  if (words.length === 0) return [...rows];
  const found: PickRow[] = [];
  let separator: PickRow | undefined;
  let matches: { row: PickRow; rank: number }[] = [];
  let left = 0;
  const endSection = () => {
    if (matches.length === 0) return;
    if (separator) found.push(separator);
    // The sort is stable, so equal matches keep their order.
    found.push(...matches.sort((a, b) => a.rank - b.rank).map(({ row }) => row));
    matches = [];
  };
  let count = 0;
  for (const row of rows) {
    if (row.kind === 'separator') {
      endSection();
      separator = row;
      continue;
    }
    const rank = rankOf(row, words);
    if (rank === undefined) continue;
    if (rank > 0 && count >= maxFiltered) left++;
    else {
      count++;
      matches.push({ row, rank });
    }
  }
  endSection();
  if (left > 0)
    found.push({
      kind: 'separator',
      label: t('{0} other matches are hidden. Type more words to narrow the list.', left),
    });
  return found.length > 0 ? found : startingRows(rows, filter);
}

/**
 * The row that starts a server, if the filter begins with the name of the server and a dot. The tools of a stopped
 * server are not known yet.
 */
function startingRows(rows: readonly PickRow[], filter: string): PickRow[] {
  const text = filter.trim();
  const at = rows.findIndex(({ kind, target }) => kind === 'start' && text.startsWith(`${target?.server ?? ''}.`));
  const row = rows[at];
  return row ? [rows.slice(0, at).findLast(({ kind }) => kind === 'separator') ?? row, row] : [];
}

/** How well a row fits: 0 is best. Undefined if a word is missing. */
function rankOf(row: PickRow, words: readonly string[]): number | undefined {
  const label = row.label.toLowerCase();
  const { server = '', name = '' } = row.target ?? {};
  const own = `${server}.${name}`.toLowerCase();
  const where = (row.description ?? '').toLowerCase();
  const text = `${row.detail ?? ''}\n${row.search ?? ''}`.toLowerCase();
  const tool = name.toLowerCase();
  let rank = words.length === 1 && (label === words[0] || tool === words[0] || own === words[0]) ? 0 : 1;
  for (const word of words) {
    if (startsWord(label, word) || startsWord(tool, word)) continue;
    if (label.includes(word) || tool.includes(word)) rank += 1;
    else if (own.includes(word) || where.includes(word)) rank += 2;
    else if (text.includes(word)) rank += 4;
    else return undefined;
  }
  return rank;
}

/** Whether the first occurrence of `word` in `text` is at the beginning of a word. */
function startsWord(text: string, word: string): boolean {
  const at = text.indexOf(word);
  return at === 0 || (at > 0 && /[^\p{L}\p{N}]/u.test(text.charAt(at - 1)));
}

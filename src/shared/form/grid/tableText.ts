/** Reads and writes rows of cells as text: from a spreadsheet (tabs), or CSV with commas or semicolons (RFC 4180). */

export type Separator = '\t' | ',' | ';';

export interface TableText {
  rows: string[][];
  /** Absent for text with one cell in each line. */
  separator?: Separator;
}

/**
 * Reads a table. Tabs always separate cells. Commas or semicolons separate cells only if all lines then have the same
 * number of cells, because a text can contain these characters, too. A single line must also have as many cells as
 * there are `columns`, and no cell after the first may begin with a space.
 */
export function readTable(source: string, columns: number): TableText {
  const text = source.replace(/^\uFEFF/, '').replace(/\r?\n$/, '');
  if (text.includes('\t')) return { rows: split(text, '\t'), separator: '\t' };
  let best: TableText = { rows: split(text, undefined) };
  for (const separator of [',', ';'] as const) {
    const rows = split(text, separator).filter((row) => row.length > 1 || row[0] !== '');
    const [first = []] = rows;
    const isTable =
      first.length > (best.separator === undefined ? 1 : (best.rows[0]?.length ?? 0)) &&
      rows.every((row) => row.length === first.length) &&
      (rows.length > 1 || (first.length === columns && first.every((cell, at) => at === 0 || !cell.startsWith(' '))));
    if (isTable) best = { rows, separator };
  }
  return best;
}

/** Writes rows with tabs between the cells, in the format that spreadsheets paste. */
export function writeTable(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => row.map(quoted).join('\t')).join('\n');
}

function quoted(cell: string): string {
  return /^"|[\t\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/**
 * Splits a text into rows and cells. A cell in quotation marks can contain separators, line breaks, and doubled
 * quotation marks. An opening quotation mark without an end is an ordinary character.
 */
function split(text: string, separator: Separator | undefined): string[][] {
  const rows: string[][] = [[]];
  const end = separator === undefined ? /[\n\r]/g : new RegExp(`[\\n\\r${separator}]`, 'g');
  let at = 0;
  let hasQuotes = true;
  for (;;) {
    const inQuotes = hasQuotes && text[at] === '"' ? quotedCell(text, at, separator) : undefined;
    if (inQuotes === 'open') hasQuotes = false;
    if (typeof inQuotes === 'object') {
      rows.at(-1)?.push(inQuotes.cell);
      at = inQuotes.end;
    } else {
      end.lastIndex = at;
      const next = end.exec(text)?.index ?? text.length;
      rows.at(-1)?.push(text.slice(at, next));
      at = next;
    }
    if (at >= text.length) return rows;
    if (text[at] !== separator) {
      if (text.startsWith('\r\n', at)) at++;
      rows.push([]);
    }
    at++;
  }
}

/**
 * The cell that begins with the quotation mark at `start`. `open` if there is no closing quotation mark; undefined if
 * it is followed by other text.
 */
function quotedCell(
  text: string,
  start: number,
  separator: string | undefined,
): { cell: string; end: number } | 'open' | undefined {
  let close = start + 1;
  for (;;) {
    close = text.indexOf('"', close);
    if (close < 0) return 'open';
    if (text[close + 1] !== '"') break;
    close += 2;
  }
  const next = text[close + 1];
  if (next !== undefined && next !== separator && next !== '\n' && next !== '\r') return undefined;
  return { cell: text.slice(start + 1, close).replaceAll('""', '"'), end: close + 1 };
}

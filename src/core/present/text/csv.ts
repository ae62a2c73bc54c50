/**
 * Converts an array of objects to a table for other programs (RFC 4180), row by row. A text that a spreadsheet would
 * treat as a formula is prefixed with an apostrophe, because server text must not be evaluated. This includes texts in
 * which the sign of the formula follows spaces or is a full-width character.
 */
import { t } from '@vscode/l10n';
import { exactAt } from '../../base/exactNumbers.js';
import { isObject } from '../../base/guards.js';
import { UserError } from '../../base/hostError.js';
import { compactJson } from '../../base/jsonTokens.js';

export interface CsvOptions {
  /**
   * The separator; default: a comma. If it is a tab, line breaks and tabs inside cells become spaces, as spreadsheets
   * expect when pasting.
   */
  separator?: ',' | '\t';
}

/**
 * Maximum number of cells in a file. Each row has a cell for each column, so a result whose rows all have other names
 * would become a file that is far larger than the result.
 */
const maxCells = 10_000_000;

/** The rows of a file. Throws UserError if there are too many cells. */
export function csvFile(items: readonly unknown[]): Iterable<string> {
  const columns = columnsOf(items).length;
  if (columns * items.length > maxCells)
    throw new UserError(
      t(
        'This table is too large for a CSV file: it has {0} rows and {1} columns. Save the result as a file instead.',
        items.length,
        columns,
      ),
    );
  return csvRows(items);
}

/**
 * The rows with their line endings. The first row contains the names of the columns, in the order of their first
 * occurrence.
 */
export function* csvRows(items: readonly unknown[], { separator = ',' }: CsvOptions = {}): Generator<string> {
  const columns = columnsOf(items);
  const cell = separator === ',' ? quoted : flat;
  yield `${columns.map((name) => cell(name)).join(separator)}\r\n`;
  for (const item of items)
    yield `${columns.map((name) => cell(isObject(item) && Object.hasOwn(item, name) ? exactAt(item, name) : undefined)).join(separator)}\r\n`;
}

/** Whether a value can be shown as a table: it is an array that contains objects. */
export function isTabular(value: unknown): value is unknown[] {
  return Array.isArray(value) && value.some(isObject);
}

function columnsOf(items: readonly unknown[]): string[] {
  const columns = new Set<string>();
  for (const item of items) if (isObject(item)) for (const name of Object.keys(item)) columns.add(name);
  return [...columns];
}

function quoted(value: unknown): string {
  const text = cellText(value);
  // Semicolons are quoted, because spreadsheets separate cells by them if the comma is the decimal separator.
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function flat(value: unknown): string {
  return cellText(value).replace(/[\t\r\n]+/g, ' ');
}

/** What a spreadsheet may remove from the beginning of a cell: blanks, invisible characters, and quotes. */
const ignored = /^[\s"\u2800\p{Cc}\p{Default_Ignorable_Code_Point}]+/u;

function cellText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') return compactJson(value);
  // Only the first character matters, so the rest is not normalized: it can be long.
  const written = value.replace(ignored, '').slice(0, 10);
  // Also as written, because a sign and a combining character can be another sign together.
  const beginnings = [written, written.normalize('NFKC').trimStart() || value];
  const isFormula = beginnings.some((text) => /^[=+\-\u2212@\t\r]/.test(text));
  return isFormula && !/^[+-]?\d+(\.\d+)?$/.test(value) ? `'${value}` : value;
}

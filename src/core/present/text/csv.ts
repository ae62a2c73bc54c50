/**
 * An array of objects as a table for other programs (RFC 4180), row by row. Texts that a spreadsheet would take for a
 * formula get an apostrophe before them, also where blanks stand first or the sign has another width: what a server sends must not
 * be computed.
 */
import { exactAt } from '../../base/exactNumbers.js';
import { isObject } from '../../base/guards.js';
import { compactJson } from '../../base/jsonTokens.js';

export interface CsvOptions {
  /** Default a comma. With a tab, line breaks and tabs inside of cells become blanks, as spreadsheets paste them. */
  separator?: ',' | '\t';
}

/** The rows with their line ends; the first has the names of the columns, in the order they first appear. */
export function* csvRows(items: readonly unknown[], { separator = ',' }: CsvOptions = {}): Generator<string> {
  const columns = columnsOf(items);
  const cell = separator === ',' ? quoted : flat;
  yield `${columns.map((name) => cell(name)).join(separator)}\r\n`;
  for (const item of items)
    yield `${columns.map((name) => cell(isObject(item) && Object.hasOwn(item, name) ? exactAt(item, name) : undefined)).join(separator)}\r\n`;
}

/** True for what becomes a table: a list with objects in it. */
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
  // A semicolon separates cells where the comma is for decimals.
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function flat(value: unknown): string {
  return cellText(value).replace(/[\t\r\n]+/g, ' ');
}

function cellText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') return compactJson(value);
  return /^[=+\-@\t\r]/.test(value.normalize('NFKC').trimStart() || value) && !/^[+-]?\d+(\.\d+)?$/.test(value)
    ? `'${value}`
    : value;
}

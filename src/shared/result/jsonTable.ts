import type { JsonNode, JsonPath } from './resultModel.js';

/** An array of objects as rows and columns. */
export interface JsonTable {
  /** Property names in the order of their first appearance. `label` is the visible name. */
  columns: readonly { key: string; label: string }[];
  /**
   * The rows. `cells` has one cell for each column, which is undefined if the object has no such property. `index` is
   * the position of the object in the array.
   */
  rows: readonly TableRow[];
  /** Number of columns that were left out. */
  columnsLeftOut: number;
}

export interface TableRow {
  index: number;
  cells: readonly (JsonNode | undefined)[];
}

export interface SortOrder {
  column: number;
  isDescending: boolean;
}

const maxColumns = 40;

/** Converts an array of objects to a table. Undefined if a tree is easier to read. */
export function tableOf(node: JsonNode): JsonTable | undefined {
  if (node.kind !== 'array' || node.items.length === 0) return undefined;
  const columns = new Map<string, { key: string; label: string; at: number }>();
  let left = 0;
  for (const item of node.items) {
    if (item.kind !== 'object' || item.entries.length === 0) return undefined;
    for (const { key, label } of item.entries) {
      if (columns.has(key)) continue;
      columns.set(key, { key, label: label ?? key, at: columns.size < maxColumns ? columns.size : -1 });
      if (columns.size > maxColumns) left++;
    }
  }
  const shown = [...columns.values()].filter(({ at }) => at >= 0);
  // If the objects have few properties in common, a tree is easier to read.
  const filled = node.items.reduce((sum, item) => sum + (item.kind === 'object' ? item.entries.length : 0), 0);
  if (node.items.length > 1 && filled < columns.size * node.items.length * 0.3) return undefined;
  const rows = node.items.map((item, index): TableRow => {
    const cells: (JsonNode | undefined)[] = new Array<JsonNode | undefined>(shown.length).fill(undefined);
    for (const { key, value } of item.kind === 'object' ? item.entries : []) {
      const at = columns.get(key)?.at ?? -1;
      if (at >= 0) cells[at] = value;
    }
    return { index, cells };
  });
  return { columns: shown.map(({ key, label }) => ({ key, label })), rows, columnsLeftOut: left };
}

/** A table in a JSON value, and its path. */
export interface FoundTable {
  path: JsonPath;
  label: string;
  node: JsonNode;
}

/** The tables of a value: the value itself, or properties of the root object. */
export function tablesIn(root: JsonNode): FoundTable[] {
  if (tableOf(root)) return [{ path: [], label: '', node: root }];
  if (root.kind !== 'object') return [];
  return root.entries
    .filter(({ value }) => tableOf(value))
    .map(({ key, label, value }) => ({ path: [key], label: label ?? key, node: value }));
}

/** Two columns: file names and the addresses of these files. */
export interface LinkedColumns {
  text: number;
  address: number;
}

/**
 * Finds a column with file names and a column with the addresses of these files, so that one link can replace both.
 * Undefined if there are no such columns.
 */
export function linkedColumns({ columns, rows }: JsonTable): LinkedColumns | undefined {
  const texts = rows.map(({ cells }) =>
    cells.map((cell) => (cell?.kind === 'string' && cell.more === undefined ? cell.text : undefined)),
  );
  for (const address of columns.keys()) {
    if (!texts.every((cells) => cells[address]?.startsWith('file:///') === true)) continue;
    for (const text of columns.keys()) {
      if (text !== address && texts.every((cells) => isFileAt(cells[address] ?? '', cells[text] ?? '')))
        return { text, address };
    }
  }
  return undefined;
}

function isFileAt(address: string, name: string): boolean {
  try {
    return name !== '' && decodeURIComponent(address).endsWith(`/${name.replaceAll('\\', '/').replace(/^\//, '')}`);
  } catch {
    return false;
  }
}

/**
 * The sorted rows: numbers by value, and text in the user's sort order. Empty cells are always last. Equal rows keep
 * their order.
 */
export function sortRows(rows: readonly TableRow[], { column, isDescending }: SortOrder): TableRow[] {
  const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
  return [...rows].sort((a, b) => {
    const left = a.cells[column];
    const right = b.cells[column];
    const isLeftEmpty = left === undefined || left.kind === 'null';
    const isRightEmpty = right === undefined || right.kind === 'null';
    if (isLeftEmpty || isRightEmpty) return Number(isLeftEmpty) - Number(isRightEmpty) || a.index - b.index;
    return (isDescending ? -1 : 1) * compareNodes(left, right, collator) || a.index - b.index;
  });
}

function compareNodes(left: JsonNode, right: JsonNode, collator: Intl.Collator): number {
  if (left.kind === 'number' && right.kind === 'number') return compareNumbers(left.text, right.text);
  if (left.kind !== right.kind) return left.kind < right.kind ? -1 : 1;
  return collator.compare(cellText(left), cellText(right));
}

/**
 * Compares two numbers by value. If they are equal as doubles, their digits are compared, because long numbers such as
 * IDs can still differ.
 */
function compareNumbers(left: string, right: string): number {
  const [a, b] = [Number(left), Number(right)];
  if (a !== b) return a < b ? -1 : 1;
  if (left === right || !/^-?\d{16,}$/.test(left) || !/^-?\d{16,}$/.test(right)) return 0;
  const [one, other] = [BigInt(left), BigInt(right)];
  return one === other ? 0 : one < other ? -1 : 1;
}

/** The text of a value for a table cell, on one line. */
export function cellText(node: JsonNode): string {
  switch (node.kind) {
    case 'object':
      return `{${node.isCut ? '…' : node.entries.length}}`;
    case 'array': {
      if (
        node.items.length <= 5 &&
        !node.isCut &&
        node.items.every(({ kind }) => kind !== 'object' && kind !== 'array')
      )
        return node.items.map(cellText).join(', ');
      return `[${node.isCut ? '…' : node.items.length}]`;
    }
    default:
      return node.text;
  }
}

/**
 * The width that a column needs: the width of its content on one line, or enough for words that wrap. The long values
 * of a `word` column have no spaces, such as addresses and paths, so they are cut instead of wrapped.
 */
export type ColumnKind = 'number' | 'short' | 'word' | 'text';

/** Maximum number of rows that determine the kinds of the columns. */
const sampledRows = 200;
/**
 * Maximum length of a text in a `short` column, in UTF-16 code units. A longer text is wrapped, or cut if it is one
 * word.
 */
const shortText = 28;
/**
 * Maximum length of a word in a `word` column, in UTF-16 code units. A longer word makes the column a `text` column,
 * where cells can be expanded, unless the word is an address.
 */
const longWord = 160;

/** The kinds of the columns of a table, in their order. */
export function columnKinds({ columns, rows }: JsonTable): ColumnKind[] {
  const sample = rows.slice(0, sampledRows);
  return columns.map((_, column) => {
    const cells = sample.flatMap(({ cells }) => cells[column] ?? []).filter(({ kind }) => kind !== 'null');
    if (cells.length > 0 && cells.every(({ kind }) => kind === 'number')) return 'number';
    if (cells.every((cell) => !hasLongText(cell))) return 'short';
    return cells.every((cell) => !hasLongText(cell) || isWord(cell)) ? 'word' : 'text';
  });
}

function hasLongText(cell: JsonNode): boolean {
  return cell.kind !== 'object' && (cellText(cell).length > shortText || cellText(cell).includes('\n'));
}

function isWord(cell: JsonNode): boolean {
  const text = cellText(cell);
  return !/\s/.test(text) && (text.length <= longWord || /^(https?|file):\/\//i.test(text));
}

/**
 * Maximum number of properties of an object in a preview, and maximum length of each name and value, in UTF-16 code
 * units.
 */
const previewEntries = 3;
const previewText = 24;

/** An object or array on one line; shown while its cell is not expanded: `{ login: octocat, id: 1, … }`. */
export function cellPreview(cell: JsonNode): string {
  if (cell.kind !== 'object') return cellText(cell);
  const entries = cell.entries
    .slice(0, previewEntries)
    .map(({ key, label, value }) => `${firstOf(label ?? key)}: ${firstOf(cellText(value))}`);
  return `{ ${entries.join(', ')}${cell.entries.length > previewEntries || cell.isCut ? ', …' : ''} }`;
}

function firstOf(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > previewText ? `${line.slice(0, previewText - 1)}…` : line;
}

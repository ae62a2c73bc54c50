/** Pastes rows into a list of flat objects: from a spreadsheet, CSV, or JSON. */
import { t } from '@vscode/l10n';
import type { JsonValue } from '../../json.js';
import { isObject } from '../../json.js';
import type { Form, ListNode, Property } from '../form.js';
import type { FormState, ListState } from '../formState.js';
import { stateOf } from '../formValue.js';
import { parseJson } from '../formJson.js';
import { cellState, columnsOf, maxRows } from './gridCells.js';
import { setCells } from './gridEdits.js';
import { readTable } from './tableText.js';

export interface PastedCells {
  list: ListState;
  /** The changed cells, by row. */
  cells: { row: number; names: string[] }[];
  /** Columns of the pasted rows that the list does not have. */
  ignored: string[];
}

/** The states of the cells of one row, by name of the property. */
type Row = Map<string, FormState>;

/**
 * Pastes rows, beginning at the cell at `row` and `column`. If the first line contains column names, or if the text is
 * JSON with property names, the names decide the columns. Rows are added at the end as needed. Returns the reason as
 * text if the rows do not fit.
 */
export function pasteRows(
  form: Form,
  node: ListNode,
  list: ListState,
  source: string,
  at: { row: number; column: number },
): PastedCells | string {
  const columns = columnsOf(form, node) ?? [];
  const ignored = new Set<string>();
  const rows =
    jsonRows(form, columns, source, at.column, ignored) ?? textRows(form, columns, source, at.column, ignored);
  if (at.row + rows.length > maxRows)
    return t(
      '{0} rows do not fit. A table has at most {1} rows. To add more rows, edit the list as JSON.',
      rows.length,
      maxRows,
    );
  const placed = rows.map((cells, index) => ({ row: at.row + index, cells }));
  return {
    list: setCells(form, node, list, placed),
    cells: placed.map(({ row, cells }) => ({ row, names: [...cells.keys()] })),
    ignored: [...ignored],
  };
}

/** Undefined if the text is not a JSON object or array. */
function jsonRows(
  form: Form,
  columns: readonly Property[],
  source: string,
  column: number,
  ignored: Set<string>,
): Row[] | undefined {
  if (!/^\s*[[{]/.test(source)) return undefined;
  const value = parseJson(source)?.value;
  if (value === undefined || typeof value !== 'object' || value === null) return undefined;
  return (Array.isArray(value) ? value : [value]).map((item): Row => {
    if (isObject(item)) {
      const byName = new Map(columns.map((property) => [property.name, property]));
      for (const name of Object.keys(item)) if (!byName.has(name)) ignored.add(name);
      return new Map(
        columns
          .filter(({ name }) => Object.hasOwn(item, name))
          .map(({ name, node }) => [name, stateOf(form, node, item[name] as JsonValue)]),
      );
    }
    return inOrder(Array.isArray(item) ? item : [item], columns, column, ignored, (cell, property) =>
      stateOf(form, property.node, cell),
    );
  });
}

function textRows(
  form: Form,
  columns: readonly Property[],
  source: string,
  column: number,
  ignored: Set<string>,
): Row[] {
  const { rows, separator } = readTable(source, columns.length);
  const [first = [], ...rest] = rows;
  const header = rows.length > 1 ? headerOf(first, columns) : undefined;
  const options = { isDecimalComma: separator === ';' };
  if (!header)
    return rows.map((row) =>
      inOrder(row, columns, column, ignored, (cell, property) => cellState(form, property, cell, options)),
    );
  header.forEach((property, index) => !property && ignored.add((first[index] ?? '').trim()));
  return rest.map(
    (row): Row =>
      new Map(
        header.flatMap((property, index) =>
          property ? [[property.name, cellState(form, property, row[index] ?? '', options)] as const] : [],
        ),
      ),
  );
}

/**
 * The column for each cell of the first line. Undefined if the line is not a header. In a header, at least half of the
 * cells are different column names; if the line has several cells, at least two of them are.
 */
function headerOf(cells: readonly string[], columns: readonly Property[]): (Property | undefined)[] | undefined {
  const found = cells.map((cell) => {
    const wanted = cell.trim().toLowerCase();
    return columns.find(({ name, label }) => name.toLowerCase() === wanted || label.toLowerCase() === wanted);
  });
  const count = new Set(found.filter((property) => property !== undefined)).size;
  return count * 2 >= cells.length && count >= Math.min(2, cells.length) ? found : undefined;
}

function inOrder<T>(
  cells: readonly T[],
  columns: readonly Property[],
  first: number,
  ignored: Set<string>,
  stateFor: (cell: T, property: Property) => FormState,
): Row {
  const row: Row = new Map();
  cells.forEach((cell, index) => {
    const property = columns[first + index];
    if (property) row.set(property.name, stateFor(cell, property));
    else if (cell !== '') ignored.add(t('column {0}', index + 1));
  });
  return row;
}

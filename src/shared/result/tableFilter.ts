/** Filters the rows of a table by its columns. */
import { hasHit, patternOf } from './findText.js';
import type { TableRow } from './jsonTable.js';
import { cellText } from './jsonTable.js';
import type { JsonNode } from './resultModel.js';

/** Whether a cell matches. The cell is undefined if the row has no value in this column. */
export type CellTest = (cell: JsonNode | undefined) => boolean;

const comparison = /^(>=|<=|=|>|<)\s*(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/i;

/**
 * Parses the filter of a column: `> 10`, `<= 2.5` and `= 3` compare numbers; any other text is searched for in the
 * cells, regardless of case. Undefined for an empty text.
 */
export function cellTest(text: string): CellTest | undefined {
  const trimmed = text.trim();
  const [, operator, operand] = comparison.exec(trimmed) ?? [];
  if (operator !== undefined) {
    const bound = Number(operand);
    return (cell) => cell?.kind === 'number' && compares(Number(cell.text), operator, bound);
  }
  const pattern = patternOf(trimmed);
  return pattern && ((cell) => cell !== undefined && cellHasHit(cell, pattern));
}

/** Whether the text of a cell, or of a value inside it, contains a hit. */
function cellHasHit(cell: JsonNode, pattern: RegExp): boolean {
  pattern.lastIndex = 0;
  return cell.kind === 'object' || cell.kind === 'array' ? hasHit(cell, pattern) : pattern.test(cellText(cell));
}

/**
 * The rows whose cells match all tests. The keys of `tests` are column numbers. A row must also contain a hit of
 * `pattern`, if it is given.
 */
export function filterRows(
  rows: readonly TableRow[],
  tests: ReadonlyMap<number, CellTest>,
  pattern?: RegExp,
): readonly TableRow[] {
  if (tests.size === 0 && !pattern) return rows;
  return rows.filter(
    ({ cells }) =>
      [...tests].every(([column, test]) => test(cells[column])) &&
      (!pattern || cells.some((cell) => cell !== undefined && cellHasHit(cell, pattern))),
  );
}

function compares(value: number, operator: string, bound: number): boolean {
  switch (operator) {
    case '>':
      return value > bound;
    case '>=':
      return value >= bound;
    case '<':
      return value < bound;
    case '<=':
      return value <= bound;
    default:
      return value === bound;
  }
}

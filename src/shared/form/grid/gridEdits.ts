/** The edits of a list of flat objects as a table. They return the new list and do not modify the old one. */
import { setAt } from '../edit.js';
import type { Form, ListNode } from '../form.js';
import type { FormState, Item, ListState } from '../formState.js';
import { blankState } from '../newState.js';
import { rowField } from './gridCells.js';

/** The list of a state; an empty list if nothing is set. */
export function listOf(state: FormState): ListState {
  return state.kind === 'list' ? state : { kind: 'list', items: [] };
}

/** Sets cells, identified by row and property name. A row number beyond the last row appends a row. */
export function setCells(
  form: Form,
  node: ListNode,
  list: ListState,
  rows: readonly { row: number; cells: ReadonlyMap<string, FormState> }[],
): ListState {
  const field = rowField(form, node);
  // A form with the row as its root, because `setAt` changes a whole form.
  const rowForm: Form = { ...form, root: field };
  const items = [...list.items];
  let id = freeId(list);
  for (const { row, cells } of rows) {
    const item: Item = items[row] ?? { id: id++, state: blankState(form, field) };
    let { state } = item;
    for (const [name, cell] of cells) state = setAt(rowForm, state, [name], cell);
    items[Math.min(row, items.length)] = { ...item, state };
  }
  return { kind: 'list', items };
}

/** Inserts a blank row before the row with this index. */
export function insertRow(form: Form, node: ListNode, list: ListState, row: number): ListState {
  const item: Item = { id: freeId(list), state: blankState(form, rowField(form, node)) };
  return { kind: 'list', items: list.items.toSpliced(row, 0, item) };
}

/** Removes the row with this index. */
export function removeRow(list: ListState, row: number): ListState {
  return { kind: 'list', items: list.items.toSpliced(row, 1) };
}

/** Moves a row up (-1) or down (1). The first row cannot move up, and the last row cannot move down. */
export function moveRow(list: ListState, row: number, direction: 1 | -1): ListState {
  const item = list.items[row];
  const to = row + direction;
  if (!item || to < 0 || to >= list.items.length) return list;
  return { kind: 'list', items: list.items.toSpliced(row, 1).toSpliced(to, 0, item) };
}

function freeId({ items }: ListState): number {
  return items.reduce((largest, { id }) => Math.max(largest, id), 0) + 1;
}

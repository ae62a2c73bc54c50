import { t } from '@vscode/l10n';
import type { ListNode, Property } from '../../../shared/form/form.js';
import type { FormState, ListState } from '../../../shared/form/formState.js';
import { canGrid, cellState, columnsOf } from '../../../shared/form/grid/gridCells.js';
import { insertRow, listOf, moveRow, removeRow, setCells } from '../../../shared/form/grid/gridEdits.js';
import { pasteRows } from '../../../shared/form/grid/gridPaste.js';
import { canAddItem, nodeOf } from '../../../shared/form/places.js';
import type { Place } from '../../../shared/form/place.js';
import { el, iconButton, wordButton } from '../../page/dom.js';
import type { Control, ControlFrame } from '../control.js';
import type { FormContext } from '../formContext.js';
import { GridTable } from './gridTable.js';
import { isShownAsList, viewButton } from './listView.js';
import { UndoStack } from './undoStack.js';

/** A list of flat objects as a table. Returns undefined if the list does not fit, or if the user prefers a list. */
export function gridControl(
  context: FormContext,
  place: Place,
  node: ListNode,
  frame: ControlFrame,
): Control | undefined {
  const columns = columnsOf(context.form, node);
  if (!columns || isShownAsList(node) || !canGrid(context.form, place)) return undefined;
  return new GridControl(context, place, node, columns, frame);
}

class GridControl implements Control {
  readonly element: HTMLElement;
  readonly layout = 'group';
  private readonly table: GridTable;
  private readonly undos = new UndoStack();
  /** The touched cells, by the keys of their places. */
  private readonly touched = new Set<string>();
  private readonly notice = el('div', { class: 'grid-notice', attributes: { role: 'status' } });
  private readonly addButton = wordButton(t('Add Row'), () => this.addRow(), { iconName: 'add' });
  private readonly undoButton = iconButton('discard', t('Undo (Ctrl+Z)'), () => this.undo());

  constructor(
    private readonly context: FormContext,
    private place: Place,
    private readonly node: ListNode,
    private readonly columns: readonly Property[],
    private readonly frame: ControlFrame,
  ) {
    this.table = new GridTable({
      ids: frame.ids,
      label: frame.spokenLabel ?? place.field.label,
      columns,
      cellsOf: (row) => context.placesIn(row),
      nodeOf: (column) => nodeOf(context.form, column),
      isTouched: ({ key }) => context.isContinued || this.touched.has(key),
      set: (row, name, text) => this.setCell(row, name, text),
      paste: (text) => this.paste(text),
      move: (direction) => this.moveRow(direction),
      undo: () => this.undo(),
      redo: () => this.redo(),
    });
    const row = (icon: string, label: string, run: () => void) => iconButton(icon, label, run);
    this.element = el(
      'div',
      { class: 'grid' },
      this.table.element,
      el(
        'div',
        { class: 'grid-tools', attributes: { role: 'toolbar', 'aria-label': t('Rows of {0}', place.field.label) } },
        this.addButton,
        row('trash', t('Remove the row'), () => this.removeRow()),
        row('arrow-up', t('Move the row up (Alt+Up)'), () => this.moveRow(-1)),
        row('arrow-down', t('Move the row down (Alt+Down)'), () => this.moveRow(1)),
        this.undoButton,
        el('span', { class: 'field-space' }),
        viewButton(node, () => frame.redraw()),
      ),
      this.notice,
    );
    this.draw();
  }

  get children(): GridTable['rows'] {
    return this.table.rows;
  }

  focus(): void {
    this.table.focus();
  }

  setInvalid(): void {
    // Problems are shown at the cells and above the table.
  }

  refresh(now: Place): void {
    this.place = now;
    if (canGrid(this.context.form, now)) this.draw();
    else this.frame.redraw();
  }

  status({ state }: Place): string {
    if (state.kind === 'absent') return t('not set');
    const { length } = listOf(state).items;
    return length === 1 ? t('1 row') : t('{0} rows', length);
  }

  settle(): void {
    this.table.settle();
  }

  private get list(): ListState {
    return listOf(this.place.state);
  }

  private draw(): void {
    this.table.show(this.context.placesIn(this.place), canAddItem(this.place));
    this.addButton.toggleAttribute('disabled', !canAddItem(this.place));
    this.undoButton.toggleAttribute('disabled', !this.undos.canUndo);
  }

  /** Applies an edit, which can be undone. */
  private apply(next: FormState, notice: string): void {
    if (next === this.place.state) return;
    this.undos.push(this.place.state);
    this.put(next, notice);
  }

  private put(next: FormState, notice: string): void {
    this.frame.onTouched();
    this.context.set(this.place.address, next);
    this.notice.textContent = notice;
  }

  private setCell(row: number, name: string, text: string): void {
    const column = this.columns.find((one) => one.name === name);
    if (!column) return;
    const cells = new Map([[name, cellState(this.context.form, column, text)]]);
    const next = setCells(this.context.form, this.node, this.list, [{ row, cells }]);
    this.touch(next, [{ row, names: [name] }]);
    this.apply(next, '');
  }

  private paste(text: string): void {
    const pasted = pasteRows(this.context.form, this.node, this.list, text, this.table.active);
    if (typeof pasted === 'string') {
      this.notice.textContent = pasted;
      return;
    }
    const { list, cells, ignored } = pasted;
    this.touch(list, cells);
    const count = cells.length === 1 ? t('1 row pasted.') : t('{0} rows pasted.', cells.length);
    const left = ignored.slice(0, 10).join(', ');
    this.apply(list, ignored.length === 0 ? count : `${count} ${t('The table has no column for: {0}.', left)}`);
  }

  /** Marks cells as edited, so that their problems are shown. */
  private touch(list: ListState, cells: readonly { row: number; names: readonly string[] }[]): void {
    for (const { row, names } of cells) {
      const id = list.items[row]?.id ?? 0;
      for (const name of names) this.touched.add(`${this.place.key}#${id}/${JSON.stringify(name)}`);
    }
  }

  private addRow(): void {
    const row = this.list.items.length;
    this.apply(insertRow(this.context.form, this.node, this.list, row), '');
    this.table.activate(row, 0);
  }

  private removeRow(): void {
    const { row, column } = this.table.active;
    if (row >= this.list.items.length) return;
    this.apply(removeRow(this.list, row), t('Row {0} removed.', row + 1));
    this.table.activate(row, column);
  }

  private moveRow(direction: 1 | -1): void {
    const { row, column } = this.table.active;
    const next = moveRow(this.list, row, direction);
    if (next === this.list) return;
    this.apply(next, t('Row {0} moved to {1}.', row + 1, row + 1 + direction));
    this.table.activate(row + direction, column);
  }

  private undo(): void {
    const state = this.undos.undo(this.place.state);
    if (state) this.put(state, t('The change was undone.'));
    this.table.focus();
  }

  private redo(): void {
    const state = this.undos.redo(this.place.state);
    if (state) this.put(state, t('The change was redone.'));
  }
}

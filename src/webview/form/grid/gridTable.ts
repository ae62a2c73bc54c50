import { t } from '@vscode/l10n';
import type { FormNode, Property } from '../../../shared/form/form.js';
import type { Place } from '../../../shared/form/place.js';
import { el, setAttributes } from '../../page/dom.js';
import type { ControlFrame } from '../control.js';
import type { EditEnd } from './cellEditor.js';
import { CellEditor } from './cellEditor.js';
import type { CellContext, GridCell } from './gridRow.js';
import { GridRow } from './gridRow.js';

export interface GridTableOptions {
  ids: ControlFrame['ids'];
  label: string;
  columns: readonly Property[];
  cellsOf: (row: Place) => readonly Place[];
  /** The type of a column. */
  nodeOf: (column: Property) => FormNode;
  isTouched: (cell: Place) => boolean;
  set: (row: number, name: string, text: string) => void;
  paste: (text: string) => void;
  move: (direction: 1 | -1) => void;
  undo: () => void;
  redo: () => void;
}

/** Number of rows by which Page Up and Page Down move the focus. */
const page = 10;

/**
 * The cells of a table. One of them is active and has the focus; keys as in a spreadsheet move the focus and edit the
 * value. The last row is empty, and is added to the list when the user types in it. After the user has worked in the
 * table, Tab moves between the cells. Before that, after Escape, and at the last cell, Tab leaves the table.
 */
export class GridTable {
  readonly element: HTMLElement;
  rows: readonly GridRow[] = [];
  active = { row: 0, column: 0 };
  private readonly table: HTMLTableElement;
  private readonly body = el('tbody', { attributes: { role: 'rowgroup' } });
  /** The empty cells of the last row. */
  private readonly blanks: HTMLTableCellElement[];
  private readonly blankRow: HTMLTableRowElement;
  /** Shows the problem or the description of the active cell. */
  private readonly about: HTMLElement;
  private readonly cells: CellContext;
  private isLeaving = true;
  /** Whether the pointer was pressed on a cell, so that the focus comes from the pointer and not from Tab. */
  private isPointing = false;
  private editor: CellEditor | undefined;

  constructor(private readonly options: GridTableOptions) {
    const { columns, ids, label } = options;
    const keys = `${ids.control}-keys`;
    this.cells = {
      focus: (cell) => this.focusOn(cell),
      onProblems: (cell) => cell.element === this.activeElement && this.showAbout(),
      isTouched: ({ place }) => options.isTouched(place),
    };
    this.blanks = columns.map(() => el('td', { attributes: { role: 'gridcell' } }));
    this.blankRow = el(
      'tr',
      { class: 'blank', attributes: { role: 'row' } },
      el('th', { attributes: { role: 'rowheader', scope: 'row', 'aria-label': t('New row') } }, '+'),
      ...this.blanks,
    );
    this.about = el('div', { class: 'grid-about', id: `${ids.control}-cell` });
    this.table = el(
      'table',
      {
        id: ids.control,
        attributes: {
          role: 'grid',
          'aria-label': label,
          'aria-describedby': `${ids.describedBy} ${keys}`,
          'aria-colcount': columns.length + 1,
        },
      },
      el('thead', { attributes: { role: 'rowgroup' } }, headRow(columns)),
      this.body,
    );
    this.table.addEventListener('keydown', (event) => this.press(event));
    this.table.addEventListener('focusin', ({ target, relatedTarget }) => {
      const isEntered = target === this.activeElement && !this.table.contains(relatedTarget as Node | null);
      if (isEntered && !this.isPointing) this.isLeaving = true;
      this.isPointing = false;
      this.showAbout();
    });
    this.table.addEventListener('pointerdown', (event) => this.point(event));
    this.table.addEventListener('dblclick', () => this.edit());
    this.table.addEventListener('paste', (event) => this.pasted(event));
    this.table.addEventListener('copy', (event) => {
      if (this.editor) return;
      event.preventDefault();
      event.clipboardData?.setData('text/plain', this.activeCell?.text ?? '');
    });
    const help = t(
      'Press Enter to edit a cell, Delete to clear it, and Alt+Up or Alt+Down to move the row. To leave the table, press Escape, and then Tab. You can paste rows from a spreadsheet, CSV, or JSON.',
    );
    this.element = el(
      'div',
      {},
      el('div', { class: 'grid-scroll' }, this.table),
      this.about,
      el('div', { class: 'grid-keys', id: keys }, help),
    );
  }

  /** Draws the rows again. Rows that did not change keep their elements. */
  show(places: readonly Place[], canAdd: boolean): void {
    const known = new Map(this.rows.map((row) => [row.place.key, row]));
    this.rows = places.map((place) => {
      const row = known.get(place.key);
      if (!row) return new GridRow(place, this.options.cellsOf(place), this.cells);
      row.show(place, () => this.options.cellsOf(place));
      return row;
    });
    const elements = [...this.rows.map(({ element }) => element), ...(canAdd ? [this.blankRow] : [])];
    const isSame =
      this.body.childElementCount === elements.length && elements.every((one, at) => this.body.children[at] === one);
    const hadFocus = this.body.contains(document.activeElement);
    if (!isSame) this.body.replaceChildren(...elements);
    setAttributes(this.table, { 'aria-rowcount': elements.length + 1 });
    setAttributes(this.blankRow, { 'aria-rowindex': elements.length + 1 });
    this.mark(this.active.row, this.active.column);
    if (hadFocus && !this.body.contains(document.activeElement)) this.activeElement?.focus();
  }

  /** Ends the current edit, and keeps its text. */
  settle(): void {
    this.editor?.settle();
  }

  /** Moves the focus to the active cell. */
  focus(): void {
    this.activeElement?.focus();
  }

  /** Makes a cell the active one, and moves the focus to it. Positions outside of the table are moved inside. */
  activate(row: number, column: number): void {
    this.mark(row, column);
    const element = this.activeElement;
    element?.focus({ preventScroll: true });
    element?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  private mark(row: number, column: number): void {
    const old = this.activeElement;
    const last = this.body.childElementCount - 1;
    this.active = {
      row: Math.max(0, Math.min(last, row)),
      column: Math.max(0, Math.min(this.options.columns.length - 1, column)),
    };
    const element = this.activeElement;
    if (old !== element && old) setAttributes(old, { tabindex: -1, 'aria-describedby': undefined });
    if (element) setAttributes(element, { tabindex: 0, 'aria-describedby': this.about.id });
    this.showAbout();
  }

  private get activeCell(): GridCell | undefined {
    return this.rows[this.active.row]?.children[this.active.column];
  }

  private get activeElement(): HTMLTableCellElement | undefined {
    return this.activeCell?.element ?? this.blanks[this.active.column];
  }

  private focusOn(cell: GridCell): void {
    const row = this.rows.findIndex(({ children }) => children.includes(cell));
    if (row >= 0) this.activate(row, this.rows[row]?.children.indexOf(cell) ?? 0);
  }

  private showAbout(): void {
    const { row, column } = this.active;
    const property = this.options.columns[column];
    const problem = this.activeCell?.problem ?? '';
    const name = t('Row {0}, {1}', row + 1, property?.label ?? '');
    this.about.classList.toggle('has-problem', problem !== '');
    this.about.textContent = problem === '' ? (property?.description ?? '') : `${name}: ${problem}`;
  }

  private press(event: KeyboardEvent): void {
    if (this.editor || event.isComposing) return;
    const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
    const isCommand = ctrlKey || metaKey;
    const { row, column } = this.active;
    const width = this.options.columns.length;
    const wasLeaving = this.isLeaving;
    if (key !== 'Shift' && key !== 'Control' && key !== 'Alt' && key !== 'Meta') this.isLeaving = key === 'Escape';
    if (altKey) {
      if (key === 'ArrowUp' || key === 'ArrowDown') this.options.move(key === 'ArrowUp' ? -1 : 1);
      else return;
    } else if (isCommand) {
      const letter = key.toLowerCase();
      // The browser handles copy and paste. VS Code must not handle these keys as well.
      if (letter === 'c' || letter === 'v') return event.stopPropagation();
      if (letter === 'z' && !shiftKey) this.options.undo();
      else if (letter === 'y' || letter === 'z') this.options.redo();
      else if (key === 'Home') this.activate(0, 0);
      else if (key === 'End') this.activate(this.rows.length - 1, width - 1);
      else return;
    } else if (key === 'Tab') {
      this.isLeaving = wasLeaving;
      const next = row * width + column + (shiftKey ? -1 : 1);
      if (wasLeaving || next < 0 || next >= this.body.childElementCount * width) return;
      this.activate(Math.floor(next / width), next % width);
    } else if (key === 'ArrowUp') this.activate(row - 1, column);
    else if (key === 'ArrowDown') this.activate(row + 1, column);
    else if (key === 'ArrowLeft') this.activate(row, column - 1);
    else if (key === 'ArrowRight') this.activate(row, column + 1);
    else if (key === 'PageUp') this.activate(row - page, column);
    else if (key === 'PageDown') this.activate(row + page, column);
    else if (key === 'Home') this.activate(row, 0);
    else if (key === 'End') this.activate(row, width - 1);
    else if (key === 'Enter' || key === 'F2') this.edit();
    else if (key === 'Delete' || key === 'Backspace') this.write(row, '');
    else if (key === ' ' && this.isSwitch) this.write(row, this.activeCell?.text === 'true' ? 'false' : 'true');
    else if (key.length === 1 || key === 'Process') {
      // The editor gets the focus now, so that the browser inserts the typed character into it.
      this.edit('');
      return event.stopPropagation();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  private get isSwitch(): boolean {
    const column = this.options.columns[this.active.column];
    return column !== undefined && this.options.nodeOf(column).kind === 'switch';
  }

  private write(row: number, text: string): void {
    const { columns, set } = this.options;
    const name = columns[this.active.column]?.name;
    if (name === undefined || (this.activeCell?.text ?? '') === text) return;
    set(row, name, text);
  }

  private point({ target }: PointerEvent): void {
    if (this.editor?.element === target) return;
    const cell = (target as Element).closest('td');
    const row = cell?.closest('tr');
    if (!cell || !row) return;
    this.isLeaving = false;
    this.isPointing = true;
    // Only marks the cell, because the browser moves the focus after this event.
    this.mark([...this.body.children].indexOf(row), cell.cellIndex - 1);
  }

  /** Edits the active cell. With `text`, the edit replaces the value. */
  private edit(text?: string): void {
    const cell = this.activeElement;
    const { row, column } = this.active;
    const property = this.options.columns[column];
    if (!cell || !property || this.editor) return;
    const node = this.options.nodeOf(property);
    const now = this.activeCell?.text ?? '';
    const editor = new CellEditor({
      node,
      label: t('Row {0}, {1}', row + 1, property.label),
      text: now,
      isRequired: property.isRequired,
      onEnd: (changed, end) => this.endEdit(changed, end),
      onPaste: (pasted) => this.options.paste(pasted),
    });
    this.editor = editor;
    cell.classList.add('editing');
    cell.replaceChildren(editor.element);
    if (text !== undefined && editor.element instanceof HTMLTextAreaElement) editor.element.value = text;
    editor.focus(text === undefined);
  }

  private endEdit(text: string | undefined, end: EditEnd): void {
    const editor = this.editor;
    if (!editor) return;
    const { row, column } = this.active;
    const cell = editor.element.closest('td');
    const hadFocus = document.activeElement === editor.element;
    this.editor = undefined;
    editor.element.remove();
    cell?.classList.remove('editing');
    const drawn = this.activeCell;
    if (drawn) drawn.show(drawn.place);
    if (text !== undefined) this.write(row, text);
    if (!hadFocus) return;
    const width = this.options.columns.length;
    const next = row * width + column + (end === 'right' ? 1 : end === 'left' ? -1 : 0);
    if (end === 'down') this.activate(row + 1, column);
    else this.activate(Math.floor(Math.max(0, next) / width), Math.max(0, next) % width);
  }

  private pasted(event: ClipboardEvent): void {
    if (this.editor) return;
    const text = event.clipboardData?.getData('text/plain') ?? '';
    event.preventDefault();
    if (text.trim() !== '') this.options.paste(text);
  }
}

function headRow(columns: readonly Property[]): HTMLElement {
  return el(
    'tr',
    { attributes: { role: 'row', 'aria-rowindex': 1 } },
    el('th', { attributes: { role: 'columnheader', scope: 'col' } }, el('span', { class: 'spoken' }, t('Row'))),
    ...columns.map(({ label, description, isRequired }) =>
      el(
        'th',
        { attributes: { role: 'columnheader', scope: 'col', title: description } },
        label,
        isRequired && el('span', { class: 'field-required', title: t('Required') }, '*'),
      ),
    ),
  );
}

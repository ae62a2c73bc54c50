import { t } from '@vscode/l10n';
import { cellText } from '../../../shared/form/grid/gridCells.js';
import type { Place } from '../../../shared/form/place.js';
import { el, setAttributes } from '../../page/dom.js';
import type { DrawnField } from '../control.js';
import { defaultText } from '../fieldFacts.js';

/** The functions of the table that its cells use. */
export interface CellContext {
  /** Moves the focus to a cell. */
  focus: (cell: GridCell) => void;
  /** Called when the problems of a cell changed. */
  onProblems: (cell: GridCell) => void;
  isTouched: (cell: GridCell) => boolean;
}

/** One cell. It shows its value as text, or an editor while the user edits the value. */
export class GridCell implements DrawnField {
  readonly element = el('td', { attributes: { role: 'gridcell' } });
  readonly children = [];
  problem = '';

  constructor(
    public place: Place,
    private readonly context: CellContext,
  ) {
    this.show(place);
  }

  get label(): string {
    return this.place.field.label;
  }

  /** The value as text. An editor of the cell starts with this text. */
  get text(): string {
    return cellText(this.place.node, this.place.state);
  }

  get wasTouched(): boolean {
    return this.context.isTouched(this);
  }

  focus(): void {
    this.context.focus(this);
  }

  show(place: Place): void {
    this.place = place;
    const { text } = this;
    const isUnset = place.state.kind === 'absent';
    this.element.textContent = isUnset ? defaultText(place.field) : text.replace(/\r?\n/g, ' ↵ ');
    this.element.className = isUnset ? 'unset' : place.node.kind === 'number' ? 'number' : '';
    this.showMark();
  }

  showProblems(messages: readonly string[]): void {
    const problem = messages.join(' ');
    if (problem === this.problem) return;
    this.problem = problem;
    this.showMark();
    this.context.onProblems(this);
  }

  unfold(): void {
    // A table has no groups.
  }

  refresh(): void {
    // The table updates its rows itself.
  }

  private showMark(): void {
    this.element.classList.toggle('has-problem', this.problem !== '');
    setAttributes(this.element, {
      'aria-invalid': this.problem === '' ? undefined : 'true',
      title: this.problem === '' ? undefined : this.problem,
    });
  }
}

/** One row: its number and its cells. */
export class GridRow implements DrawnField {
  readonly element: HTMLTableRowElement;
  readonly children: readonly GridCell[];
  readonly wasTouched = false;
  private readonly head = el('th', { attributes: { role: 'rowheader', scope: 'row' } });

  constructor(
    public place: Place,
    cells: readonly Place[],
    context: CellContext,
  ) {
    this.children = cells.map((cell) => new GridCell(cell, context));
    this.element = el('tr', { attributes: { role: 'row' } }, this.head, ...this.children.map(({ element }) => element));
    this.showNumber();
  }

  get label(): string {
    return t('Row {0}', (this.place.index ?? 0) + 1);
  }

  focus(): void {
    this.children[0]?.focus();
  }

  /** Shows the current state. `cells` is called only if something changed. */
  show(place: Place, cells: () => readonly Place[]): void {
    const before = this.place;
    this.place = place;
    if (before.state === place.state && before.path === place.path) return;
    this.showNumber();
    cells().forEach((cell, index) => this.children[index]?.show(cell));
  }

  /** A problem of the whole row is shown at its number. */
  showProblems(messages: readonly string[]): void {
    setAttributes(this.head, { title: messages.length === 0 ? undefined : messages.join(' ') });
    this.head.classList.toggle('has-problem', messages.length > 0);
  }

  unfold(): void {
    // A table has no groups.
  }

  refresh(): void {
    // The table updates its rows itself.
  }

  private showNumber(): void {
    const number = (this.place.index ?? 0) + 1;
    this.head.textContent = String(number);
    setAttributes(this.element, { 'aria-rowindex': number + 1 });
  }
}

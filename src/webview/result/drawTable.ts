import { t } from '@vscode/l10n';
import type { JsonHit } from '../../shared/result/findText.js';
import { hitsInJson, hitsInText, maxHits } from '../../shared/result/findText.js';
import type { ColumnKind, JsonTable, LinkedColumns, SortOrder, TableRow } from '../../shared/result/jsonTable.js';
import { cellPreview, cellText, columnKinds, linkedColumns, sortRows } from '../../shared/result/jsonTable.js';
import type { JsonNode, JsonPath } from '../../shared/result/resultModel.js';
import type { JsonSource } from '../../shared/result/resultRequest.js';
import type { CellTest } from '../../shared/result/tableFilter.js';
import { cellTest, filterRows } from '../../shared/result/tableFilter.js';
import { el, icon } from '../page/dom.js';
import { iconButton, quietLink, textButton } from './controls.js';
import type { Findable, FindHit } from './find/findable.js';
import { rangeIn } from './find/findable.js';
import { foldedText, isFoldable } from './foldedText.js';
import { JsonTree } from './jsonTree.js';
import { valueText } from './controls.js';
import type { DrawContext } from './resultContext.js';
import { withScrollEdges } from './scrollEdges.js';

/**
 * Number of rows that are drawn in one step. More rows are drawn when the user selects a button or scrolls to the end.
 */
const rowsPerStep = 200;
/** Distance from the end of the drawn rows at which more rows are drawn, in CSS pixels. */
const nearEnd = 400;

/** A table with at most this many columns has room for whole paths and addresses. */
const fewColumns = 3;

export interface TablePlace {
  source: JsonSource;
  /** The path of the array in the source. */
  path: JsonPath;
}

/** An array of objects as a table that sorts and filters. A cell with an object or array can be expanded. */
export class TableView implements Findable {
  readonly element: HTMLElement;
  isCut?: boolean;
  readonly filterButton: HTMLButtonElement;
  private readonly body = el('tbody');
  private readonly more: HTMLButtonElement;
  private readonly linked: LinkedColumns | undefined;
  /** The columns that are drawn, in their order. */
  private readonly columns: readonly number[];
  private readonly kinds: readonly ColumnKind[];
  private readonly filters: HTMLElement;
  private readonly tests = new Map<number, CellTest>();
  private pattern: RegExp | undefined;
  private order: SortOrder | undefined;
  private rows: readonly TableRow[];
  private shown = rowsPerStep;
  /** The trees of expanded cells, by row and column. */
  private readonly trees = new Map<string, JsonTree>();
  /** The cells whose long text is expanded, by row and column. */
  private readonly unfolded = new Set<string>();

  constructor(
    private readonly table: JsonTable,
    label: string,
    private readonly place: TablePlace,
    private readonly context: DrawContext,
    /** Called with the number of rows that match the filters. */
    private readonly onCount: (count: number) => void,
  ) {
    this.rows = table.rows;
    this.linked = linkedColumns(table);
    this.kinds = columnKinds(table);
    this.columns = [...table.columns.keys()].filter((column) => column !== this.linked?.address);
    this.more = textButton('', () => this.fill(this.shown + rowsPerStep));
    this.filters = el('tr', { class: 'result-filters' }, ...this.columns.map((column) => this.filterCell(column)));
    this.filters.hidden = true;
    this.filterButton = iconButton('filter', t('Filter Columns'), () =>
      this.showFilters(this.filters.hidden !== false),
    );
    this.filterButton.setAttribute('aria-pressed', 'false');
    const left =
      table.columnsLeftOut === 0
        ? undefined
        : el('p', { class: 'result-hint' }, t('Columns that are not shown: {0}', table.columnsLeftOut));
    const scroll = el(
      'div',
      {
        class: 'result-scroll result-rows',
        attributes: { tabindex: 0, role: 'region', 'aria-label': label },
        on: {
          scroll: () => {
            const rest = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight;
            if (rest < nearEnd && !this.more.hidden) this.fill(this.shown + rowsPerStep);
          },
        },
      },
      el(
        'table',
        {
          class: `result-table${this.columns.length <= fewColumns ? ' result-few-columns' : ''}`,
          attributes: { 'aria-label': label },
        },
        el('thead', {}, this.headers(), this.filters),
        this.body,
      ),
    );
    this.element = el('div', {}, withScrollEdges(scroll), this.more, left);
    this.update();
  }

  find(pattern: RegExp): readonly FindHit[] {
    const hits: FindHit[] = [];
    this.rows.forEach((row, at) => {
      for (const column of this.columns) {
        const cell = row.cells[column];
        const room = maxHits - hits.length;
        if (!cell || room <= 0) continue;
        if (isOpenable(cell))
          for (const hit of hitsInJson(cell, pattern, this.pathOf(row, column), room))
            hits.push({
              reveal: () => this.revealInside(at, column, hit),
              peek: () => this.treeAt(row, column)?.peek(hit),
            });
        else
          for (const hit of hitsInText(cellText(cell), pattern, room)) {
            const range = () => {
              const drawn = this.cellAt(at, column);
              return drawn && rangeIn(drawn, hit);
            };
            hits.push({
              reveal: () => {
                this.drawTo(at);
                this.unfold(at, column);
                return range();
              },
              peek: range,
            });
          }
      }
    });
    return hits;
  }

  filter(pattern: RegExp | undefined): void {
    if (this.pattern?.source === pattern?.source) return;
    this.pattern = pattern;
    this.update();
  }

  private headers(): HTMLElement {
    const headers = this.columns.map((column) => {
      const sign = icon('blank', 'result-sort');
      const button = el(
        'button',
        { class: 'result-sort-button', attributes: { type: 'button' }, on: { click: () => sortBy(column) } },
        this.table.columns[column]?.label,
        sign,
      );
      const attributes = { scope: 'col', 'aria-sort': 'none' };
      return { column, cell: el('th', { class: this.classOf(column), attributes }, button), sign };
    });
    const sortBy = (column: number): void => {
      // Each click selects the next order: ascending, descending, original.
      const { order } = this;
      this.order =
        order?.column !== column
          ? { column, isDescending: false }
          : order.isDescending
            ? undefined
            : { column, isDescending: true };
      headers.forEach(({ cell, sign, column: index }) => {
        const sorted = this.order?.column === index ? this.order : undefined;
        cell.setAttribute('aria-sort', !sorted ? 'none' : sorted.isDescending ? 'descending' : 'ascending');
        sign.className = `codicon result-sort codicon-${!sorted ? 'blank' : sorted.isDescending ? 'arrow-down' : 'arrow-up'}`;
      });
      this.update();
    };
    return el('tr', {}, ...headers.map(({ cell }) => cell));
  }

  private filterCell(column: number): HTMLElement {
    const name = this.table.columns[column]?.label ?? '';
    const input = el('input', {
      class: 'input',
      attributes: { type: 'text', 'aria-label': t('Filter {0}', name), placeholder: t('Filter'), spellcheck: 'false' },
      title: t('Text in the cell, or a comparison such as > 10'),
    });
    input.addEventListener('input', () => {
      const test = cellTest(input.value);
      if (test) this.tests.set(column, test);
      else this.tests.delete(column);
      this.update();
    });
    input.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      this.showFilters(false);
      this.filterButton.focus();
    });
    return el('td', {}, input);
  }

  private showFilters(isShown: boolean): void {
    this.filters.hidden = !isShown;
    this.filterButton.setAttribute('aria-pressed', String(isShown));
    const inputs = this.filters.querySelectorAll('input');
    if (isShown) {
      inputs[0]?.focus();
      return;
    }
    // Hidden filters must have no effect, so they are cleared.
    inputs.forEach((input) => (input.value = ''));
    this.tests.clear();
    this.update();
  }

  private update(): void {
    const rows = filterRows(this.table.rows, this.tests, this.pattern);
    this.rows = this.order ? sortRows(rows, this.order) : rows;
    this.body.replaceChildren();
    this.fill(rowsPerStep);
    this.onCount(this.rows.length);
  }

  /** Draws the rows up to `shown` that are not drawn yet. */
  private fill(shown: number): void {
    const { rows, body } = this;
    this.shown = shown;
    body.append(...rows.slice(body.rows.length, shown).map((row) => this.rowElement(row)));
    this.more.textContent = t('Show {0} More Rows', Math.min(rowsPerStep, rows.length - shown));
    this.more.hidden = rows.length <= shown;
  }

  private drawTo(at: number): void {
    if (at >= this.shown) this.fill(Math.ceil((at + 1) / rowsPerStep) * rowsPerStep);
  }

  private cellAt(at: number, column: number): HTMLElement | undefined {
    return this.body.rows[at]?.cells[this.columns.indexOf(column)];
  }

  private rowElement(row: TableRow): HTMLElement {
    const { cells } = row;
    const { id, send } = this.context;
    const address = this.linked && cells[this.linked.address];
    const drawn = this.columns.map((column) => {
      const cell = cells[column];
      if (!cell) return el('td');
      const content =
        address && column === this.linked?.text
          ? [
              quietLink(cellText(cell), cellText(address), () =>
                send({ type: 'openLink', id, href: cellText(address) }),
              ),
            ]
          : isOpenable(cell)
            ? this.openable(row, column, cell)
            : cell.kind === 'string'
              ? this.text(row, column, cellText(cell))
              : [cellText(cell)];
      const isWord = this.kinds[column] === 'word' && cell.kind === 'string';
      const style = `result-value-${cell.kind} ${this.classOf(column)}${isWord ? ' result-one-line' : ''}`;
      return el('td', { class: style, ...(isWord ? { title: cellText(cell) } : {}) }, ...content);
    });
    return el('tr', {}, ...drawn);
  }

  private classOf(column: number): string {
    return `result-column-${this.kinds[column] ?? 'text'}`;
  }

  /** A text. Only the beginning of a long text is shown until the user expands it. */
  private text(row: TableRow, column: number, text: string): (Node | string)[] {
    if (!isFoldable(text) || this.kinds[column] === 'word') return [valueText(text, this.context)];
    const key = keyOf(row, column);
    return foldedText(text, this.unfolded.has(key), (isFolded) =>
      isFolded ? this.unfolded.delete(key) : this.unfolded.add(key),
    );
  }

  /** Expands a long text, because a hit may be in the part that is not shown. */
  private unfold(at: number, column: number): void {
    this.cellAt(at, column)?.querySelector<HTMLElement>('.result-fold[aria-expanded="false"]')?.click();
  }

  /** A button with a short text for the value, and the tree of the value while the cell is expanded. */
  private openable(row: TableRow, column: number, cell: JsonNode): (HTMLElement | undefined)[] {
    const tree = this.treeAt(row, column);
    const button = el(
      'button',
      {
        class: 'result-cell-button',
        attributes: { type: 'button', 'aria-expanded': String(tree !== undefined) },
        on: { click: () => this.toggle(row, column, button.parentElement) },
      },
      icon(tree ? 'chevron-down' : 'chevron-right'),
      cellPreview(cell),
    );
    return [button, tree?.element];
  }

  private toggle(row: TableRow, column: number, cell: HTMLElement | null): void {
    const key = keyOf(row, column);
    const node = row.cells[column];
    if (!cell || !node) return;
    if (!this.trees.delete(key))
      this.trees.set(key, new JsonTree(node, this.place.source, this.pathOf(row, column), this.context));
    const [button, tree] = this.openable(row, column, node);
    cell.replaceChildren(...[button, tree].filter((part) => part !== undefined));
    button?.focus();
  }

  private revealInside(at: number, column: number, hit: JsonHit): Range | undefined {
    const row = this.rows[at];
    if (!row) return undefined;
    this.drawTo(at);
    if (!this.treeAt(row, column)) {
      const focused = document.activeElement;
      this.toggle(row, column, this.cellAt(at, column) ?? null);
      if (focused instanceof HTMLElement) focused.focus();
    }
    return this.treeAt(row, column)?.reveal(hit);
  }

  private treeAt(row: TableRow, column: number): JsonTree | undefined {
    return this.trees.get(keyOf(row, column));
  }

  private pathOf(row: TableRow, column: number): JsonPath {
    return [...this.place.path, row.index, this.table.columns[column]?.key ?? ''];
  }
}

function keyOf({ index }: TableRow, column: number): string {
  return `${index} ${column}`;
}

/** Whether the text of a cell does not show the whole value. */
function isOpenable(cell: JsonNode): boolean {
  return cell.kind === 'object'
    ? cell.entries.length > 0
    : cell.kind === 'array' && cell.items.length > 0 && cellText(cell).startsWith('[');
}

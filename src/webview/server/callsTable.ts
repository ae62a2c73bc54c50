import { t } from '@vscode/l10n';
import type { ToolLine } from '../../shared/serverPage.js';
import { el, icon } from '../page/dom.js';
import { RedrawOnChange } from './redrawOnChange.js';
import { callDuration } from '../result/elapsed.js';

const sortColumns = ['tool', 'calls', 'failed', 'cancelled', 'p50', 'p95'] as const;
export type SortColumn = (typeof sortColumns)[number];

export interface CallOrder {
  column: SortColumn;
  isDescending: boolean;
}

/**
 * The calls of each tool. The table is initially sorted by the number of calls, descending. The user can change the
 * order.
 */
export class CallsTable {
  readonly element: HTMLElement;
  private readonly body: RedrawOnChange<readonly ToolLine[]>;
  private readonly heads: ReadonlyMap<SortColumn, { cell: HTMLElement; sign: HTMLElement }>;
  private tools: readonly ToolLine[] = [];
  private readonly table: HTMLElement;
  private readonly empty: HTMLElement;

  constructor(
    private order: CallOrder,
    private readonly keep: (order: CallOrder) => void,
  ) {
    const names: Readonly<Record<SortColumn, string>> = {
      tool: t('Tool'),
      calls: t('Calls'),
      failed: t('Failed'),
      cancelled: t('Canceled'),
      p50: t('Median'),
      p95: t('95% within'),
    };
    this.heads = new Map(sortColumns.map((column) => [column, this.headOf(column, names[column])]));
    this.body = new RedrawOnChange(el('tbody'), (tools) => tools.map((tool) => this.row(tool)));
    const label = t('Calls by tool');
    const head = el('thead', {}, el('tr', {}, ...[...this.heads.values()].map(({ cell }) => cell)));
    this.table = el(
      'div',
      { class: 'scroll', attributes: { tabindex: 0, role: 'region', 'aria-label': label } },
      el('table', { class: 'calls', attributes: { 'aria-label': label } }, head, this.body.element),
    );
    this.empty = el('p', { class: 'hint' }, t('No tool has been called since the window opened.'));
    this.element = el('section', {}, el('h2', {}, t('Calls')), this.table, this.empty);
    this.sort();
  }

  show(tools: readonly ToolLine[]): void {
    this.tools = tools;
    this.table.hidden = tools.length === 0;
    this.empty.hidden = tools.length > 0;
    this.sort();
  }

  private headOf(column: SortColumn, name: string): { cell: HTMLElement; sign: HTMLElement } {
    const sign = icon('blank', 'sort-sign');
    const button = el(
      'button',
      { class: 'sort', attributes: { type: 'button' }, on: { click: () => this.sortBy(column) } },
      el('span', {}, name),
      sign,
    );
    return { cell: el('th', { class: column === 'tool' ? '' : 'number', attributes: { scope: 'col' } }, button), sign };
  }

  /** Sorts by a column. The first order is descending for numbers and ascending for names. */
  private sortBy(column: SortColumn): void {
    const isDescending = this.order.column === column ? !this.order.isDescending : column !== 'tool';
    this.order = { column, isDescending };
    this.keep(this.order);
    this.sort();
  }

  private sort(): void {
    const { column, isDescending } = this.order;
    for (const [name, { cell, sign }] of this.heads) {
      const isSorted = name === column;
      cell.setAttribute('aria-sort', !isSorted ? 'none' : isDescending ? 'descending' : 'ascending');
      sign.className = `codicon sort-sign codicon-${!isSorted ? 'blank' : isDescending ? 'arrow-down' : 'arrow-up'}`;
    }
    this.body.show(sortTools(this.tools, this.order));
  }

  private row(line: ToolLine): HTMLElement {
    const number = (text: string, className = '') => el('td', { class: `number ${className}`.trim() }, text);
    return el(
      'tr',
      {},
      el('th', { class: 'tool', attributes: { scope: 'row' } }, line.tool),
      number(String(callsOf(line))),
      number(String(line.failed), line.failed > 0 ? 'has-failed' : ''),
      number(String(line.cancelled)),
      number(callDuration(line.p50Ms)),
      number(callDuration(line.p95Ms)),
    );
  }
}

function callsOf({ ok, failed, cancelled }: ToolLine): number {
  return ok + failed + cancelled;
}

/** Sorts tools. Tools with the same value are sorted by name. */
function sortTools(tools: readonly ToolLine[], { column, isDescending }: CallOrder): ToolLine[] {
  const value = (line: ToolLine): number =>
    ({
      tool: 0,
      calls: callsOf(line),
      failed: line.failed,
      cancelled: line.cancelled,
      p50: line.p50Ms ?? -1,
      p95: line.p95Ms ?? -1,
    })[column];
  const sign = isDescending ? -1 : 1;
  return [...tools].sort((one, other) =>
    column === 'tool'
      ? sign * one.tool.localeCompare(other.tool)
      : sign * (value(one) - value(other)) || one.tool.localeCompare(other.tool),
  );
}

import { t } from '@vscode/l10n';
import type { JsonTable, LinkedColumns, SortOrder, TableRow } from '../../shared/result/jsonTable.js';
import { cellText, linkedColumns, sortRows } from '../../shared/result/jsonTable.js';
import type { JsonNode } from '../../shared/result/resultModel.js';
import { el, icon } from '../page/dom.js';
import { isWebAddress, quietLink, textButton } from './controls.js';
import type { DrawContext } from './resultContext.js';

/** Number of rows that are drawn at once. A button draws more. */
const rowsPerStep = 200;

/** Draws an array of objects as a sortable table. */
export function drawTable(table: JsonTable, label: string, context: DrawContext): HTMLElement {
  let order: SortOrder | undefined;
  let shown = rowsPerStep;
  const body = el('tbody');
  const more = textButton('', () => {
    shown += rowsPerStep;
    fill();
  });
  const linked = linkedColumns(table);
  const headers = table.columns.flatMap(({ label: name }, column) => {
    if (column === linked?.address) return [];
    const sign = icon('blank', 'result-sort');
    const button = el(
      'button',
      { class: 'result-sort-button', attributes: { type: 'button' }, on: { click: () => sortBy(column) } },
      name,
      sign,
    );
    return [{ column, cell: el('th', { attributes: { scope: 'col', 'aria-sort': 'none' } }, button), sign }];
  });

  function sortBy(column: number): void {
    // The order changes from ascending to descending to the original order.
    order =
      order?.column !== column
        ? { column, isDescending: false }
        : order.isDescending
          ? undefined
          : { column, isDescending: true };
    headers.forEach(({ cell, sign, column: index }) => {
      const isSorted = order?.column === index;
      cell.setAttribute('aria-sort', !isSorted ? 'none' : order?.isDescending === true ? 'descending' : 'ascending');
      sign.className = `codicon result-sort codicon-${!isSorted ? 'blank' : order?.isDescending === true ? 'arrow-down' : 'arrow-up'}`;
    });
    fill();
  }

  function fill(): void {
    const rows = order ? sortRows(table.rows, order) : table.rows;
    body.replaceChildren(...rows.slice(0, shown).map((row) => rowElement(row, linked, context)));
    more.textContent = t('Show {0} More Rows', Math.min(rowsPerStep, rows.length - shown));
    more.hidden = rows.length <= shown;
  }

  fill();
  const head = el('thead', {}, el('tr', {}, ...headers.map(({ cell }) => cell)));
  const left =
    table.columnsLeftOut === 0
      ? undefined
      : el('p', { class: 'result-hint' }, t('{0} more columns are not shown.', table.columnsLeftOut));
  return el(
    'div',
    {},
    el(
      'div',
      { class: 'result-scroll', attributes: { tabindex: 0, role: 'region', 'aria-label': label } },
      el('table', { class: 'result-table', attributes: { 'aria-label': label } }, head, body),
    ),
    more,
    left,
  );
}

function rowElement({ cells }: TableRow, linked: LinkedColumns | undefined, context: DrawContext): HTMLElement {
  const { id, send } = context;
  const address = linked && cells[linked.address];
  const drawn = cells.flatMap((cell, column) => {
    if (column === linked?.address) return [];
    if (!cell) return [el('td')];
    const content =
      address && column === linked?.text
        ? quietLink(cellText(cell), cellText(address), () => send({ type: 'openLink', id, href: cellText(address) }))
        : cellContent(cell, context);
    return [el('td', { class: `result-value-${cell.kind}` }, content)];
  });
  return el('tr', {}, ...drawn);
}

function cellContent(node: JsonNode, context: DrawContext): Node | string {
  const text = cellText(node);
  return node.kind === 'string' ? valueText(text, context) : text;
}

/** Text that is a web address becomes a link. */
export function valueText(text: string, { id, send }: DrawContext): Node | string {
  return isWebAddress(text) || /^file:\/\/\/\S/.test(text)
    ? quietLink(text, text, () => send({ type: 'openLink', id, href: text }))
    : text;
}

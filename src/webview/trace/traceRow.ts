import { t } from '@vscode/l10n';
import type { TraceRow } from '../../shared/tracePage.js';
import { el, icon } from '../page/dom.js';

/** Draws one row of the list. */
export function drawRow(row: TraceRow): HTMLElement {
  const { seq, time, kind, id, method, summary, latency, size } = row;
  const what = wordOf(row);
  const cell = (index: number, ...children: (Node | string)[]) =>
    el('span', { class: `cell cell-${index}`, attributes: { role: 'gridcell' } }, ...children);
  const line = el(
    'div',
    {
      class: `row kind-${kind}${row.isError || row.outcome === 'failed' ? ' is-error' : ''}`,
      id: `line-${seq}`,
      attributes: { role: 'row' },
    },
    cell(0, time),
    cell(1, icon(iconOf(row)), el('span', { class: 'spoken' }, what)),
    cell(2, kind === 'invalid' ? t('not a message') : method),
    cell(3, id),
    cell(4, summary),
    cell(5, row.outcome === 'open' ? '…' : row.outcome === 'lost' ? t('no response') : latency),
    cell(6, size),
  );
  line.title = what;
  line.dataset['seq'] = String(seq);
  return line;
}

/** The kind and direction of a message as text. */
export function wordOf({
  kind,
  direction,
  isError,
  outcome,
  id,
}: Pick<TraceRow, 'kind' | 'direction' | 'isError' | 'outcome'> & { id: string }): string {
  const isSent = direction === 'sent';
  switch (kind) {
    case 'request':
      if (outcome === 'lost')
        return isSent ? t('Request sent, no response received') : t('Request received, no response sent');
      if (outcome === 'open') return isSent ? t('Request sent, not answered') : t('Request received, not answered');
      return isSent ? t('Request sent') : t('Request received');
    case 'response':
      if (isError) return isSent ? t('Error sent') : t('Error received');
      return isSent ? t('Response sent') : t('Response received');
    case 'notification':
      return isSent ? t('Notification sent') : t('Notification received');
    case 'invalid':
      return isSent ? t('Sent, not a JSON-RPC message') : t('Received, not a JSON-RPC message');
    case 'note':
      return id === '' ? t('Connection') : t('No response');
  }
}

function iconOf({ kind, direction, isError, id }: TraceRow): string {
  if (kind === 'note') return id !== '' ? 'circle-slash' : 'plug';
  if (kind === 'invalid') return 'warning';
  if (isError) return 'error';
  return direction === 'sent' ? 'arrow-right' : 'arrow-left';
}

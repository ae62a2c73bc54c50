import { t } from '@vscode/l10n';
import type { TraceAction, TraceStatus } from '../../shared/tracePage.js';
import { el, icon, wordButton } from '../page/dom.js';

/** The text that replaces an empty list. Undefined if the list has rows. */
export function emptyState(
  status: TraceStatus,
  { act, clearFilter }: { act: (action: TraceAction) => void; clearFilter: () => void },
): { key: string; element: HTMLElement } | undefined {
  const { source, end, first, held } = status;
  if (end > first) return undefined;
  const place = (key: string, iconName: string, text: string, ...buttons: HTMLElement[]) => ({
    key: `${key} ${text}`,
    element: el(
      'div',
      { class: 'empty' },
      icon(iconName),
      el('p', {}, text),
      el('div', { class: 'empty-buttons' }, ...buttons),
    ),
  });
  const open = wordButton(t('Open Trace File…'), () => act('openTrace'), { iconName: 'folder-opened' });
  if (source.kind === 'none') {
    return place(
      'none',
      'list-flat',
      t('The trace shows every message between MCP Deck and a server.'),
      wordButton(t('Choose Server to Trace…'), () => act('chooseTraceServer'), {
        iconName: 'record',
        isSecondary: false,
      }),
      open,
    );
  }
  if (held > 0)
    return place(
      'filter',
      'filter',
      status.isScanning ? t('Searching…') : t('No messages match the filter.'),
      wordButton(t('Clear Filter'), clearFilter, { iconName: 'filter' }),
    );
  if (source.kind === 'file') return place('file', 'file', t('The file contains no messages.'), open);
  if (!source.isCapturing)
    return place(
      'stopped',
      'debug-stop',
      t('Messages of "{0}" are not captured.', source.id),
      wordButton(t('Start Trace'), () => act('startTrace'), { iconName: 'record', isSecondary: false }),
    );
  if (!source.isRunning)
    return place(
      'idle',
      'debug-disconnect',
      t('"{0}" is not running. Its messages appear here when it starts.', source.id),
      wordButton(t('Start Server'), () => act('startServer'), { iconName: 'play', isSecondary: false }),
    );
  return place(
    'empty',
    'list-flat',
    t('Messages are captured. To see them here, run a tool or open a resource of "{0}".', source.id),
  );
}

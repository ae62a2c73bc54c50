import { t } from '@vscode/l10n';
import { visibleLine } from '../../base/hostileText.js';
import type { UpdateNews } from '../../gallery/updates/serverUpdates.js';

/** The words beside a server that was installed from a registry. Undefined if there is nothing new. */
export function updateWords(news: UpdateNews | undefined): string | undefined {
  if (!news) return undefined;
  const { version, entry, hasUpdate } = news;
  if (!entry) return t('no longer in its registry');
  const words = [
    ...(hasUpdate ? [`${visibleLine(version, 30)} → ${visibleLine(entry.version, 30)}`] : []),
    ...(entry.status === 'deprecated' ? [deprecation(entry.statusMessage)] : []),
  ];
  return words.length === 0 ? undefined : words.join(', ');
}

function deprecation(reason: string | undefined): string {
  return reason === undefined ? t('deprecated') : t('deprecated: {0}', visibleLine(reason, 80));
}

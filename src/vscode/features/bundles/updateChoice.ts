import * as vscode from 'vscode';
import { HostError } from '../../../core/base/hostError.js';
import type { UpdateNews } from '../../../core/gallery/updates/serverUpdates.js';
import type { ExtensionServices } from '../../ui/services.js';

/** The question about a newer version of an installed server. */
export interface UpdateQuestion {
  title: string;
  /** The subject of the decision, for example both versions. */
  about: string;
  news: Pick<UpdateNews, 'entry' | 'isPinned'>;
  from: string;
  to: string;
  /** The fields of the installed server. */
  fields: Readonly<Record<string, unknown>>;
  /** The next step if the user updates. */
  next: string;
}

/**
 * Asks what to do with a newer version. If the user skips the version, or pins or unpins the installed one, stores this
 * choice and resolves to false. Rejects with `cancelled` if the user closes the list.
 */
export async function wantsUpdate(
  deck: Pick<ExtensionServices, 'updates' | 'host'>,
  { title, about, news, from, to, fields, next }: UpdateQuestion,
): Promise<boolean> {
  const items = [
    { label: vscode.l10n.t('$(arrow-up) Update to {0}…', to), detail: next, action: 'update' as const },
    ...(news.isPinned
      ? [
          {
            label: vscode.l10n.t('$(pinned) Offer Newer Versions Again'),
            detail: vscode.l10n.t('The version is no longer pinned'),
            action: 'none' as const,
          },
        ]
      : [
          {
            label: vscode.l10n.t('$(circle-slash) Skip {0}', to),
            detail: vscode.l10n.t('MCP Deck still offers later versions'),
            action: 'skip' as const,
          },
          {
            label: vscode.l10n.t('$(pin) Keep {0} and Stop Offering Newer Versions', from),
            detail: vscode.l10n.t('The server stays at this version'),
            action: 'pin' as const,
          },
        ]),
  ];
  // The list stays open while the user reads the comparison in the editor.
  const picked = await vscode.window.showQuickPick(items, { title, placeHolder: about, ignoreFocusOut: true });
  if (!picked) throw notUpdated();
  if (picked.action === 'update') return true;
  const version = news.entry?.version ?? '';
  await deck.updates.choose(fields, picked.action === 'skip' ? { kind: 'skip', version } : { kind: picked.action });
  await deck.updates.refresh(deck.host.servers.list());
  return false;
}

/** The error when the user cancels an update. */
export function notUpdated(): HostError {
  return new HostError('cancelled', 'The server was not updated.');
}

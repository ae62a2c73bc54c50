import * as vscode from 'vscode';
import { visibleLine } from '../../core/base/hostileText.js';
import type { HostApi } from '../../core/host/hostApi.js';
import { failureActionLabel } from '../../core/present/failure/failureActions.js';
import type { CommandFunnel } from './commandFunnel.js';
import { offerFailureAction } from './performFailureAction.js';

interface Services {
  funnel: Pick<CommandFunnel, 'tell'>;
}

/** The enabled servers of the active preset that wait for the user's approval. */
export function unapprovedServers({ servers }: Pick<HostApi, 'servers'>): string[] {
  return servers
    .list()
    .filter(
      ({ entry, switches, state }) => entry.isEnabled && switches?.isLeftOut !== true && state.kind === 'needsTrust',
    )
    .map(({ id }) => id);
}

/**
 * Shows which servers need approval. The button opens the reviews of all of them. Each server starts while the user
 * reads the next question.
 * @param ids at least one server.
 * @param before a sentence in front of the text.
 * @param onReviewed called when the user has answered, and the servers have started or failed.
 */
export function tellUnapproved(
  { funnel }: Services,
  ids: readonly string[],
  before?: string,
  onReviewed?: () => void,
): void {
  const names = ids.map((id) => visibleLine(id, 60)).join(', ');
  const text =
    ids.length === 1
      ? vscode.l10n.t('1 server needs your approval: {0}', names)
      : vscode.l10n.t('{0} servers need your approval: {1}', ids.length, names);
  const review = async () => {
    await Promise.allSettled(ids.map((id) => offerFailureAction('reviewTrust', id)));
    onReviewed?.();
  };
  funnel.tell('warning', before === undefined ? text : `${before} ${text}`, [
    { title: failureActionLabel('reviewTrust'), run: review },
  ]);
}

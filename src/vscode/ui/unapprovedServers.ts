import * as vscode from 'vscode';
import { visibleLine } from '../../core/base/hostileText.js';
import type { HostApi } from '../../core/host/hostApi.js';
import { failureActionLabel } from '../../core/present/failure/failureActions.js';
import type { CommandFunnel } from './commandFunnel.js';
import { offerFailureAction } from './performFailureAction.js';

interface Services {
  host: Pick<HostApi, 'servers'>;
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
 * Maximum number of reviews in a row. More follow only if the user has approved all of them, so that a repository with
 * many servers does not force the user through as many questions.
 */
const maxReviews = 5;

/**
 * Opens the reviews of servers that need approval. Each server starts while the user reads the next question. Resolves
 * with the servers that still need approval, when the others have started or failed.
 */
export async function reviewServers({ host }: Pick<Services, 'host'>, ids: readonly string[]): Promise<string[]> {
  const needsApproval = (id: string) => host.servers.get(id)?.state.kind === 'needsTrust';
  for (let start = 0; start < ids.length; start += maxReviews) {
    const some = ids.slice(start, start + maxReviews);
    await Promise.allSettled(some.map((id) => offerFailureAction('reviewTrust', id)));
    if (some.some(needsApproval)) break;
  }
  return ids.filter(needsApproval);
}

/**
 * Shows which servers need approval. The button opens their reviews.
 * @param ids at least one server.
 * @param more texts in front of the sentence and after it.
 */
export function tellUnapproved(
  { host, funnel }: Services,
  ids: readonly string[],
  { before, after }: { before?: string; after?: string } = {},
): void {
  const names = ids.map((id) => visibleLine(id, 60)).join(', ');
  const text =
    ids.length === 1
      ? vscode.l10n.t('1 server needs your approval: {0}', names)
      : vscode.l10n.t('{0} servers need your approval: {1}', ids.length, names);
  const texts = [before, after === undefined ? text : `${text}.`, after].filter((part) => part !== undefined);
  funnel.tell('warning', texts.join(' '), [
    { title: failureActionLabel('reviewTrust'), run: () => reviewServers({ host }, ids) },
  ]);
}

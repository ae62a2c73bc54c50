import * as vscode from 'vscode';
import { HostError } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import type { ServerView, StoredOfServer } from '../../../core/catalog/hostApi.js';
import type { HostApi } from '../../../core/host/hostApi.js';
import type { OwnPlace } from '../../adapters/ownPlaces.js';
import { writeOwnPlace } from '../../adapters/ownPlaces.js';
import { showWarning } from '../../adapters/userMessages.js';

/** What happens to what is stored of a server that leaves: only the user knows whether it comes back. */
export type WithStored = 'keep' | 'forget';

/**
 * Takes a server out of the place that it is written in; asks unless `answer` is given. Tells whether what was stored
 * of it is forgotten.
 */
export async function removeServer(
  host: Pick<HostApi, 'lifecycle' | 'storedValues'>,
  { id, entry, state }: ServerView,
  place: OwnPlace,
  answer?: WithStored,
): Promise<boolean> {
  const stored = await host.storedValues.of(id);
  const withStored = answer ?? (await ask(entry.name, place, stored));
  if (state.kind !== 'stopped') await host.lifecycle.stop(id);
  await writeOwnPlace(place, { servers: { [entry.name]: undefined } });
  // Only when it has left: a file that cannot be written keeps a server that works.
  if (withStored === 'forget') await host.storedValues.forget(stored);
  return withStored === 'forget';
}

async function ask(name: string, place: OwnPlace, stored: StoredOfServer): Promise<WithStored> {
  const remove = { title: vscode.l10n.t('Remove') };
  const forget = { title: vscode.l10n.t('Remove and Forget') };
  const values = stored.inputs.map(({ input }) => visibleLine(input, 60)).join(', ');
  const lines = [
    ...(values === '' ? [] : [vscode.l10n.t('Stored values: {0}', values)]),
    ...(stored.signedInTo === undefined ? [] : [vscode.l10n.t('Sign-in: {0}', visibleLine(stored.signedInTo, 120))]),
  ];
  const detail =
    lines.length === 0
      ? vscode.l10n.t('There are no stored values or sign-ins to delete.')
      : [...lines, vscode.l10n.t('"{0}" forgets these too and signs out.', forget.title)].join('\n');
  const message = vscode.l10n.t('Remove "{0}" from {1}?', visibleLine(name, 80), place.label);
  // Enter gives the first: what is written can be written again, what is forgotten is gone.
  const chosen = await showWarning(
    message,
    { modal: true, detail },
    ...(lines.length === 0 ? [remove] : [remove, forget]),
  );
  if (!chosen) throw new HostError('cancelled', 'The server stays.');
  return chosen === forget ? 'forget' : 'keep';
}

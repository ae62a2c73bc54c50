import * as vscode from 'vscode';
import { HostError } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { visibleName } from '../../../core/base/visibleName.js';
import type { ServerView, StoredOfServer } from '../../../core/catalog/hostTypes.js';
import type { HostApi } from '../../../core/host/hostApi.js';
import type { OwnPlace } from '../../adapters/ownPlaces.js';
import { writeOwnPlace } from '../../adapters/ownPlaces.js';
import { showWarning } from '../../adapters/userMessages.js';

/**
 * Whether the stored values of a removed server are kept or deleted. The user decides, because the server may be added
 * again.
 */
export type StoredValuesChoice = 'keep' | 'forget';

/**
 * Removes a server from its file or setting. Asks the user unless `answer` is given. Returns whether its stored values
 * were deleted.
 */
export async function removeServer(
  host: Pick<HostApi, 'lifecycle' | 'storedValues'>,
  { id, entry, state }: ServerView,
  place: OwnPlace,
  answer?: StoredValuesChoice,
): Promise<boolean> {
  const stored = await host.storedValues.of(id);
  const withStored = answer ?? (await ask(entry.name, place, stored));
  if (state.kind !== 'stopped') await host.lifecycle.stop(id);
  await writeOwnPlace(place, { servers: { [entry.name]: undefined } });
  // The stored values are deleted last. If the file cannot be written, the server stays configured and still needs
  // them.
  if (withStored === 'forget') await host.storedValues.forget(stored);
  return withStored === 'forget';
}

async function ask(name: string, place: OwnPlace, stored: StoredOfServer): Promise<StoredValuesChoice> {
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
      : [...lines, vscode.l10n.t('"{0}" also deletes these values and signs you out.', forget.title)].join('\n');
  const message = vscode.l10n.t('Remove "{0}" from {1}?', visibleName(name, 80), place.label);
  // Pressing Enter chooses the first button, so the first button keeps the stored values. A removed definition can be
  // written again, but deleted values cannot be restored.
  const chosen = await showWarning(
    message,
    { modal: true, detail },
    ...(lines.length === 0 ? [remove] : [remove, forget]),
  );
  if (!chosen) throw new HostError('cancelled', 'The server was not removed.');
  return chosen === forget ? 'forget' : 'keep';
}

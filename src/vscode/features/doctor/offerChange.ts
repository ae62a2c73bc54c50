import * as vscode from 'vscode';
import { UserError } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import type { TrialChange } from '../../../core/catalog/inspection.js';
import type { ServerEntry } from '../../../core/registry/serverEntry.js';
import type { ExtensionServices } from '../../ui/services.js';
import { readFields } from '../../adapters/ownPlaces.js';
import { placeOf, writeOwnPlace } from '../../adapters/ownPlaces.js';
import { showInformation } from '../../adapters/userMessages.js';

/** Offers to write a field that was found to let a server start; nothing is written without a click. */
export async function offerChange({ host, consent }: ExtensionServices, { id, name, source }: ServerEntry, change: TrialChange): Promise<void> {
  const place = placeOf(source);
  const [[field, value] = ['', '']] = Object.entries(change);
  if (!place) return;
  const write = vscode.l10n.t('Write Into Definition');
  const question = vscode.l10n.t('"{0}" answers with "{1}": "{2}". Write that into its definition in {3}?', visibleLine(name, 60), field, value, place.label);
  if ((await showInformation(question, write)) !== write) return;
  if (!host.server(id)) throw new UserError(vscode.l10n.t('"{0}" is not in {1} any more.', visibleLine(name), place.label));
  const before = await readFields(name, place);
  await writeOwnPlace(place, { servers: { [name]: { ...before, ...change } } });
  consent.audit.note({ event: 'server-edited', server: id, source: place.label, fields: [field], caller: 'user' });
}

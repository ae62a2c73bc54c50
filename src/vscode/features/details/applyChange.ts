import * as vscode from 'vscode';
import { UserError } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import type { TrialChange } from '../../../core/catalog/inspection.js';
import { whenFound } from '../../../core/base/whenFound.js';
import { concerning } from '../../ui/commandFunnel.js';
import type { ExtensionServices } from '../../ui/services.js';
import { placeOf, readFields, writeOwnPlace } from '../../adapters/ownPlaces.js';

/**
 * Applies a change with which the server started during the diagnosis: writes the change to the definition and restarts
 * the server. Called only when the user clicks the button of the check.
 */
export async function applyChange(
  { host, consent }: Pick<ExtensionServices, 'consent' | 'host'>,
  server: string,
  change: TrialChange,
): Promise<void> {
  const entry = host.servers.get(server)?.entry;
  const place = entry && placeOf(entry.source);
  if (!place) throw new UserError(vscode.l10n.t('The server "{0}" is no longer configured.', visibleLine(server)));
  const before = await readFields(entry.name, place);
  await writeOwnPlace(place, { servers: { [entry.name]: { ...before, ...change } } });
  consent.audit.note({
    event: 'server-edited',
    server,
    source: place.label,
    fields: Object.keys(change),
    caller: 'user',
  });
  const isRead = await whenFound(host.servers.onDidChange, () =>
    Object.entries(change).every(([field, value]) =>
      Object.entries(host.servers.get(server)?.entry.definition ?? {}).some(
        ([name, now]) => name === field && now === value,
      ),
    )
      ? true
      : undefined,
  );
  if (isRead) await concerning(server, host.lifecycle.restart(server, { interactive: true }));
}

import { UserError } from '../../../core/base/hostError.js';
import * as vscode from 'vscode';
import { visibleLine } from '../../../core/base/hostileText.js';
import type { BundleServer } from '../../../core/gallery/bundles/bundleServer.js';
import { keptReferences } from '../../../core/gallery/bundles/bundleServer.js';
import type { StagedBundle } from '../../../core/gallery/bundles/bundleStore.js';
import type { ExtensionServices } from '../../ui/services.js';
import { applyUpdate, compareDefinitions, installedFields } from './applyUpdate.js';

/** A bundle that was unpacked for an installed server. */
export interface BundleUpdate {
  staged: StagedBundle;
  /** The ID of the installed server. */
  updates: string;
  made: Pick<BundleServer, 'inputs' | 'secrets'> & { fields: Readonly<Record<string, unknown>> };
}

/** Compares the definitions, asks, and replaces the definition of the server. */
export async function updateBundle(deck: ExtensionServices, { staged, updates, made }: BundleUpdate): Promise<void> {
  const view = deck.host.servers.get(updates);
  if (!view) throw new UserError(vscode.l10n.t('"{0}" no longer exists.', visibleLine(updates, 80)));
  const installed = await installedFields(view);
  const { info, folder } = staged;
  const after = { ...installed.before, ...keptReferences(info, made.fields, installed.before) };
  const known = new Set(view.entry.inputs.map(({ id }) => id));
  const version = installed.before['version'];
  const update = {
    ...installed,
    after,
    from: visibleLine(typeof version === 'string' ? version : '', 40),
    to: visibleLine(info.version, 40),
    inputs: made.inputs.filter(({ id }) => !known.has(id)),
    secrets: made.secrets,
    folder,
  };
  await compareDefinitions(deck, update);
  await applyUpdate(deck, {}, update);
}

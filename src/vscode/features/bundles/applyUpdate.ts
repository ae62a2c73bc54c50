import * as vscode from 'vscode';
import { UserError, isCancelled } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { visibleName } from '../../../core/base/visibleName.js';
import { whenFound } from '../../../core/base/whenFound.js';
import type { ServerView } from '../../../core/catalog/hostTypes.js';
import { textsOf } from '../../../core/config/variableSyntax.js';
import type { InputDefinition } from '../../../core/config/serverDefinition.js';
import { isLive } from '../../../core/connection/serverConnection.js';
import { comparedText, toolChangesText, toolsText } from '../../../core/present/documents/updateTexts.js';
import { failureText } from '../../../core/present/failure/failureText.js';
import type { OwnPlace } from '../../adapters/ownPlaces.js';
import { placeOf, readFields, readOwnPlace, writeOwnPlace } from '../../adapters/ownPlaces.js';
import { showInformation } from '../../adapters/userMessages.js';
import { changeQuestion } from '../../ui/changeQuestion.js';
import { askToWiden } from '../../ui/confirm.js';
import type { Invocation } from '../../ui/invocation.js';
import { releaseBundles } from '../../ui/releaseBundles.js';
import type { ExtensionServices } from '../../ui/services.js';
import type { Trial } from './trialStart.js';
import { trialStart } from './trialStart.js';
import { notUpdated, wantsUpdate } from './updateChoice.js';

/** A new definition of an installed server. */
export interface Update {
  view: ServerView;
  place: OwnPlace;
  /** The versions, for display. */
  from: string;
  to: string;
  before: Readonly<Record<string, unknown>>;
  after: Readonly<Record<string, unknown>>;
  /** Inputs that the new definition needs in addition. */
  inputs: readonly InputDefinition[];
  /** Values for inputs, which are kept in secret storage. */
  secrets: readonly { id: string; value: string }[];
  /** The folder of the new bundle. */
  folder?: string;
}

/** The place and the fields of an installed server. @throws UserError if it is not in a file or setting. */
export async function installedFields(view: ServerView): Promise<Pick<Update, 'view' | 'place' | 'before'>> {
  const place = placeOf(view.entry.source);
  if (!place)
    throw new UserError(
      vscode.l10n.t('"{0}" is not defined in a file or in your user settings.', visibleLine(view.id, 80)),
    );
  return { view, place, before: await readFields(view.entry.name, place) };
}

/** Shows both definitions side by side. */
export async function compareDefinitions(
  { comparisons }: Pick<ExtensionServices, 'comparisons'>,
  update: Update,
): Promise<void> {
  const { view, from, to, before, after, inputs } = update;
  const name = visibleLine(view.entry.name, 60);
  await comparisons.compare(
    vscode.l10n.t('{0}: {1} ↔ {2}', name, from, to),
    [`${name} ${from}`, `${name} ${to}`],
    [
      comparedText({ fields: before, inputs: view.entry.inputs }),
      comparedText({ fields: after, inputs: [...view.entry.inputs, ...inputs] }),
    ],
  );
}

/** The inputs of an update whose IDs are not used at its place. An existing input with the same ID is kept. */
async function newInputs({ place, inputs }: Update): Promise<InputDefinition[]> {
  const taken = new Set((await readOwnPlace(place)).inputs.map(({ id }) => id));
  return inputs.filter(({ id }) => !taken.has(id));
}

/**
 * Shows the user everything that the new definition runs, and asks. Then makes a trial start of the new version to
 * compare the tools (see `hasTrial`), writes the new definition, and restarts the server if it runs. The installed
 * version stays until the user agrees to the changes. A changed tool does not run until the user accepts the change.
 * Rejects with `cancelled` if the user does not agree.
 */
export async function applyUpdate(deck: ExtensionServices, invocation: Invocation, update: Update): Promise<void> {
  const { view, place, before, after, secrets, folder, from, to } = update;
  const { id, entry } = view;
  const name = visibleName(entry.name, 80);
  const asked = { ...entry, inputs: [...entry.inputs, ...(await newInputs(update))] };
  const { message, detail } = await changeQuestion(
    vscode.l10n.t('Update "{0}" from {1} to {2}?', name, from, to),
    entry.name,
    after,
    asked,
    place,
  );
  const trial = vscode.l10n.t(
    'MCP Deck starts version {0} first, compares its tools, and stops it. If the tools differ or the version does not start, you are asked again.',
    to,
  );
  const details = hasTrial(update) ? [trial, detail].join('\n\n') : detail;
  const go = vscode.l10n.t('Update');
  await askToWiden(deck.consent.audit, invocation, { server: id, message, detail: details, go });
  await refuseChanged(update);
  const typed = hasTrial(update) ? await compareTools(deck, update) : [];
  // The definition may have been edited while the questions were open.
  await refuseChanged(update);
  await writeOwnPlace(place, {
    servers: { [entry.name]: after },
    ...(place.kind === 'portable' ? {} : { inputs: await newInputs(update) }),
  });
  deck.consent.audit.note({
    event: 'server-edited',
    server: id,
    source: place.label,
    fields: Object.keys(after).filter((key) => JSON.stringify(after[key]) !== JSON.stringify(before[key])),
    caller: 'user',
  });
  await whenFound(deck.host.servers.onDidChange, () => {
    const found = deck.host.servers.get(id);
    const isRead = found?.entry.hash !== entry.hash || found.entry.definition.extra?.['version'] === after['version'];
    return isRead ? found : undefined;
  });
  for (const { id: input, value } of [...secrets, ...typed]) await deck.host.storedValues.keepInput(id, input, value);
  if (folder !== undefined) await deck.bundles.use(folder, { source: entry.source.id, name: entry.name });
  if (isLive(view.state)) await deck.host.lifecycle.restart(id);
  const isSameBundle = folder !== undefined && deck.bundles.foldersIn(textsOf(entry.definition)).includes(folder);
  if (!isSameBundle) await releaseBundles(deck, view);
  void showInformation(vscode.l10n.t('"{0}" was updated to {1}.', name, to));
}

/**
 * Whether the new version is started for a comparison. This needs a running installed version with known tools, and a
 * new version that is a local program.
 */
function hasTrial({ view, after }: Update): boolean {
  return isLive(view.state) && view.features !== undefined && typeof after['command'] === 'string';
}

/**
 * Makes a trial start of the new version. If its tools differ, shows the difference and asks again; if it does not
 * start, asks whether to update anyway. Resolves with the values of inputs that the user typed.
 */
async function compareTools(deck: ExtensionServices, update: Update): Promise<Trial['typed']> {
  const { view, before, after, inputs, secrets, from, to } = update;
  const { entry } = view;
  const name = visibleName(entry.name, 80);
  const definition = {
    name: entry.name,
    source: entry.source,
    fields: after,
    inputs: [...entry.inputs, ...inputs],
    values: secrets,
  };
  const title = vscode.l10n.t('Starting "{0}" {1} to compare its tools…', name, to);
  const trial = await trialStart(deck, definition, title).catch((error: unknown) => {
    if (isCancelled(error)) throw error;
    return failureText(error, undefined);
  });
  const tools = view.features?.tools ?? [];
  const changes = 'what' in trial ? undefined : toolChangesText(tools, trial.tools);
  if (!('what' in trial) && changes !== undefined)
    await deck.comparisons.compare(
      vscode.l10n.t('Tools of {0}: {1} ↔ {2}', name, from, to),
      [`${name} ${from} tools`, `${name} ${to} tools`],
      [toolsText(tools), toolsText(trial.tools)],
    );
  const about = 'what' in trial ? trial.what : changes;
  if (about !== undefined) {
    const isAgreed = await wantsUpdate(deck, {
      title: `${name}: ${from} → ${to}`,
      about,
      news: deck.updates.of(view.id) ?? { isPinned: false },
      from,
      to,
      fields: before,
      next:
        'what' in trial
          ? vscode.l10n.t('Replaces version {0}, although version {1} did not start', from, to)
          : vscode.l10n.t('Replaces version {0}. A changed tool runs only after you accept its change', from),
    });
    if (!isAgreed) throw notUpdated();
  }
  return 'what' in trial ? [] : trial.typed;
}

/** @throws UserError if the installed definition is no longer the compared one. */
async function refuseChanged({ view, place, before }: Update): Promise<void> {
  const { name } = view.entry;
  if (JSON.stringify(await readFields(name, place)) !== JSON.stringify(before))
    throw new UserError(
      vscode.l10n.t('"{0}" was changed in the meantime. Run "MCP Deck: Update Server…" again.', visibleLine(name, 80)),
    );
}

import * as vscode from 'vscode';
import { UserError } from '../../core/base/hostError.js';
import { visibleLine } from '../../core/base/hostileText.js';
import type { ServerView } from '../../core/catalog/hostTypes.js';
import type { InputDefinition } from '../../core/config/serverDefinition.js';
import { variablesIn } from '../../core/config/variableSyntax.js';
import { isLive } from '../../core/connection/serverConnection.js';
import { entryAsRead, isSameDefinition } from '../../core/interchange/portableDefinition.js';
import { findSecrets, withInputs } from '../../core/interchange/plainSecrets.js';
import { whenFound } from '../../core/base/whenFound.js';
import { freeName } from '../../core/base/freeName.js';
import type { NewServerValues } from '../../core/present/form/newServer.js';
import type { WrittenFields } from '../../core/present/form/serverForm.js';
import { definitionProblem, editedFields } from '../../core/present/form/serverForm.js';
import { isInputShown } from '../../core/present/form/shownWhole.js';
import type { NewServer } from './pages.js';
import type { ExtensionServices } from './services.js';
import type { OwnPlace } from '../adapters/ownPlaces.js';
import { readFields, readOwnPlace, writeOwnPlace } from '../adapters/ownPlaces.js';

/** A server that is defined in a file or setting, with its definition before the edit. */
export interface Edited {
  name: string;
  place: OwnPlace;
  before: WrittenFields;
}

/** Saves the changed fields. Checks them again, because the page is not trusted to have checked them. */
export async function saveEdited(
  { consent }: Pick<ExtensionServices, 'consent'>,
  { name, place, before }: Edited,
  after: WrittenFields,
): Promise<void> {
  const fields = editedFields({ before, after, now: await readFields(name, place) });
  refuse(name, fields);
  await writeOwnPlace(place, { servers: { [name]: fields } });
  consent.audit.note({
    event: 'server-edited',
    server: name,
    source: place.label,
    fields: changedFields(before, fields),
    caller: 'user',
  });
}

/**
 * Writes a new server. Replaces the secrets that the user typed with inputs, and stores all secrets in secret storage.
 * The portable file has no inputs, so the user is asked about the secrets. Returns undefined if the user cancels this
 * question.
 * @param isShown whether the page showed every value completely. Otherwise, the user is asked before a server is
 * written to the user settings, because servers in the user settings start without asking.
 */
export async function saveNew(
  deck: Pick<ExtensionServices, 'consent' | 'host'>,
  { inputs, secrets }: NewServer,
  { name, fields }: NewServerValues,
  place: OwnPlace,
  isShown: boolean,
): Promise<Edited | undefined> {
  refuse(name, fields);
  const title = vscode.l10n.t('Add Server');
  const taken = new Set(inputs.map(({ id }) => id));
  const typed = findSecrets([{ name, fields }]).map((secret) => ({ ...secret, id: freeName(secret.id, taken) }));
  // Loaded on first use, because it needs the YAML library.
  const { addImported, askWhereSecretsGo } = await import('./addImported.js');
  const moved = place.kind === 'portable' ? await askWhereSecretsGo(typed, title, place) : typed;
  if (!moved) return undefined;
  const named = variablesIn(withInputs([{ name, fields }], moved).servers, 'input:');
  const isUsed = ({ id }: { id: string }) => named.has(id);
  const used = inputs.filter(isUsed);
  const own = [...inputs.map(({ id }) => id), ...moved.map(({ id }) => id)];
  // The page does not show the inputs of the place, which the server can use by their IDs.
  const usesOthers = (await readOwnPlace(place)).inputs.some((input) => isUsed(input) && !own.includes(input.id));
  const { names } = await addImported(
    deck,
    {
      servers: [{ name, fields }],
      inputs: used,
      place,
      moved,
      held: secrets.filter(isUsed),
      isShown: isShown && !usesOthers && used.every(isInputShown),
    },
    'user',
  );
  const [written = name] = names;
  return { name: written, place, before: await readFields(written, place) };
}

/**
 * Waits until the host has read the file or setting with a definition that was just written, and resolves to its
 * server. Undefined if the server does not appear in time.
 */
function findSaved(
  { servers }: ExtensionServices['host'],
  { name, place, before }: Edited,
  inputs: readonly InputDefinition[],
): Promise<ServerView | undefined> {
  const saved = entryAsRead(name, before, inputs, place.source);
  if (!saved) return Promise.resolve(undefined);
  return whenFound(servers.onDidChange, () =>
    servers
      .list()
      .find(
        ({ entry }) => entry.name === name && entry.source.id === place.source.id && isSameDefinition(entry, saved),
      ),
  );
}

/**
 * Starts a server that was just saved, or restarts it if it is running. Resolves to the ID of the server; rejects with
 * the error of the start.
 *
 * @param isShown whether the page showed everything that the definition runs and sends. If so, the click on its button
 * is the approval.
 */
export async function startSaved(
  { host }: Pick<ExtensionServices, 'host'>,
  edited: Edited,
  isShown: boolean,
): Promise<string> {
  const { inputs } = await readOwnPlace(edited.place);
  const view = await findSaved(host, edited, inputs);
  if (!view)
    throw new UserError(
      vscode.l10n.t(
        '"{0}" was saved to {1}. Start it in the Servers view.',
        visibleLine(edited.name),
        edited.place.label,
      ),
    );
  const { id, entry, state } = view;
  if (isShown) await host.storedValues.approveShown(id, entry.hash);
  if (isLive(state)) await host.lifecycle.restart(id);
  else await host.lifecycle.start(id);
  return id;
}

/** Names of the fields that differ. */
export function changedFields(before: WrittenFields, after: WrittenFields): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
}

function refuse(name: string, fields: WrittenFields): void {
  const problem = definitionProblem(name, fields);
  if (problem !== undefined) throw new UserError(vscode.l10n.t('"{0}" was not saved: {1}', visibleLine(name), problem));
}

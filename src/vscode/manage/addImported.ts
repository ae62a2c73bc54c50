import * as vscode from 'vscode';
import type { HostApi } from '../../core/catalog/hostApi.js';
import type { InputDefinition } from '../../core/config/serverDefinition.js';
import { ownFormats } from '../../core/interchange/appFormats.js';
import type { CarriedServer, Loss } from '../../core/interchange/carried.js';
import { exportServer } from '../../core/interchange/exportFile.js';
import { mergeOwn } from '../../core/interchange/mergeOwn.js';
import type { PlainSecret } from '../../core/interchange/secrets.js';
import { withInputs } from '../../core/interchange/secrets.js';
import type { DeckContext } from '../feature.js';
import { knownValues } from './knownValues.js';
import type { OwnPlace } from './ownPlaces.js';
import { readOwnPlace, writeOwnPlace } from './ownPlaces.js';

/** Servers from elsewhere that are to be written into a place of ours. */
export interface Arrival {
  servers: readonly CarriedServer[];
  inputs: readonly InputDefinition[];
  place: OwnPlace;
  /** Plain secrets that move into the secret store. */
  moved: readonly PlainSecret[];
}

export interface Arrived {
  /** The names that they have now. */
  names: string[];
  losses: Loss[];
}

/** How long the host may take to read what was written. */
const readWithinMs = 10_000;

/** Writes servers into a place under free names. Starts nothing; secrets that move are nowhere in a file then. */
export async function addImported({ host }: Pick<DeckContext, 'host'>, { servers, inputs, place, moved }: Arrival): Promise<Arrived> {
  const hidden = withInputs(servers, moved);
  const merged = mergeOwn(await readOwnPlace(place), hidden.servers, [...inputs, ...hidden.inputs]);
  const losses: Loss[] = [...merged.notes];
  const written: Record<string, Record<string, unknown>> = {};
  for (const { server } of merged.servers) {
    const exported = exportServer(ownFormats[place.kind], server, knownValues(place.source.folderPath));
    losses.push(...exported.losses);
    if (exported.fields) Object.assign(written, { [server.name]: exported.fields });
  }
  // A file that cannot ask has no use for inputs.
  await writeOwnPlace(place, { servers: written, ...(place.kind === 'portable' ? {} : { inputs: merged.inputs }) });
  for (const { server, from } of merged.servers) {
    for (const { id, value } of moved.filter((secret) => secret.server === from)) await keep(host, place, server.name, merged.inputIds.get(id) ?? id, value);
  }
  return { names: Object.keys(written), losses };
}

/** Stores the value under the server's id, which it has once the host has read the place. */
async function keep(host: HostApi, place: OwnPlace, name: string, input: string, value: string): Promise<void> {
  if (place.kind === 'portable') return;
  const find = () => host.servers().find(({ entry }) => entry.name === name && entry.source.id === place.source.id && entry.inputs.some(({ id }) => id === input));
  const server = find() ?? (await changed(host, find));
  if (server) await host.keepInput(server.id, input, value);
}

function changed<T>(host: HostApi, find: () => T | undefined): Promise<T | undefined> {
  return new Promise((resolve) => {
    const end = (found: T | undefined) => {
      clearTimeout(timer);
      listener.dispose();
      resolve(found);
    };
    const timer = setTimeout(() => end(undefined), readWithinMs);
    const listener = host.onDidChange(() => {
      const found = find();
      if (found !== undefined) end(found);
    });
  });
}

/** The question where plain secrets go; undefined when the user gave up. */
export async function askWhereSecretsGo(secrets: readonly PlainSecret[], title: string): Promise<readonly PlainSecret[] | undefined> {
  if (secrets.length === 0) return [];
  const names = secrets.map(({ server, name, field }) => `${server}: ${field === 'args' ? vscode.l10n.t('argument {0}', Number(name) + 1) : name}`).join(', ');
  const move = { label: vscode.l10n.t('Move Secrets to the Secret Store'), detail: vscode.l10n.t('The file asks for them by name; nobody who reads it sees them.'), secrets };
  const keepPlain = { label: vscode.l10n.t('Keep Them as Plain Text'), detail: vscode.l10n.t('They stand in the file as they do now.'), secrets: [] };
  const picked = await vscode.window.showQuickPick([move, keepPlain], { title, placeHolder: vscode.l10n.t('These look like secrets: {0}', names), ignoreFocusOut: true });
  return picked?.secrets;
}

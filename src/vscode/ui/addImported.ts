import os from 'node:os';
import * as vscode from 'vscode';
import type { HostApi } from '../../core/host/hostApi.js';
import { isCancelled } from '../../core/base/hostError.js';
import { visibleLine } from '../../core/base/hostileText.js';
import type { AuditCaller } from '../../core/consent/audit.js';
import type { InputDefinition } from '../../core/config/serverDefinition.js';
import { variablesIn } from '../../core/config/variableSyntax.js';
import { arrivalRefusal } from '../../core/interchange/blockedArrivals.js';
import { ownFormats } from '../../core/interchange/appFormats.js';
import type { PortableServer, Loss } from '../../core/interchange/portableServer.js';
import { exportServer } from '../../core/interchange/exportFile.js';
import type { SecretKeeper } from '../../core/interchange/storeMovedSecrets.js';
import { storeMovedSecrets } from '../../core/interchange/storeMovedSecrets.js';
import type { Merged } from '../../core/interchange/mergeOwn.js';
import { mergeOwn } from '../../core/interchange/mergeOwn.js';
import type { PathBase } from '../../core/interchange/relocation.js';
import { placeLosses } from '../../core/interchange/relocation.js';
import type { PlainSecret } from '../../core/interchange/plainSecrets.js';
import { findSecrets, withInputs } from '../../core/interchange/plainSecrets.js';
import type { ExtensionServices } from './services.js';
import { askForUser } from './askForUser.js';
import { askUnlessProven } from './confirm.js';
import type { Invocation } from './invocation.js';
import type { Audit } from '../../core/consent/audit.js';
import { knownValues, withHomeAsTilde } from './homeFolder.js';
import type { OwnPlace } from '../adapters/ownPlaces.js';
import { readOwnPlace, writeOwnPlace } from '../adapters/ownPlaces.js';

/** Imported servers that will be written to a configuration file or to the user settings. */
export interface ImportRequest {
  servers: readonly PortableServer[];
  inputs: readonly InputDefinition[];
  place: OwnPlace;
  /**
   * Plain-text secrets to remove from the definitions. They are moved to secret storage, or to environment
   * variables if the file format has no inputs.
   */
  moved: readonly PlainSecret[];
  /** Secrets for which the definitions already contain inputs. Their values are stored in secret storage. */
  held?: readonly PlainSecret[];
  /** The base folder and the label of the original configuration. Absent for servers that were not read from one. */
  from?: PathBase & { label: string };
  /**
   * Whether the user saw everything that the servers run and send, and chose to add them. Default false: the user is
   * asked before they are written to the user settings, because servers in the user settings start without asking.
   */
  isShown?: boolean;
}

/** The content to write. */
export interface ImportPlan extends ImportOutcome {
  written: Record<string, Record<string, unknown>>;
  merged: Merged;
}

export interface ImportOutcome {
  /** The names of the servers after the import. They can differ from the names in the original. */
  names: string[];
  losses: Loss[];
  /** Maps each old input ID to its new ID. Contains only the IDs that changed. */
  inputIds: ReadonlyMap<string, string>;
}

/** Computes the content to write and the losses. Writes nothing. */
export async function planImport({ servers, inputs, place, moved, from }: ImportRequest): Promise<ImportPlan> {
  const hidden = withInputs(servers, moved);
  const merged = mergeOwn(await readOwnPlace(place), hidden.servers, [...inputs, ...hidden.inputs]);
  const losses: Loss[] = [...merged.notes];
  const written: Record<string, Record<string, unknown>> = {};
  for (const { server } of merged.servers) {
    const exported = exportServer(ownFormats[place.kind], server, knownValues(place.source.folderPath));
    losses.push(...exported.losses);
    if (exported.fields) Object.assign(written, { [server.name]: exported.fields });
    const { folderPath } = place.source;
    if (from)
      losses.push(...placeLosses(server, from, { base: folderPath ?? os.homedir(), workspaceFolder: folderPath }));
  }
  if (place.uri) losses.push(...plainSecretLosses(merged.servers.map(({ server }) => server)));
  return { names: Object.keys(written), losses, inputIds: merged.inputIds, written, merged };
}

/**
 * Asks before servers are written into a file of the workspace: arguments can name any file, and any program can accept
 * the rows of lists. For the user settings, `addImported` asks. Rejects with `cancelled` if the user does not agree.
 */
export async function askToWriteServers(audit: Audit, invocation: Invocation, request: ImportRequest): Promise<void> {
  const { place, from } = request;
  if (place.kind === 'user') return;
  const { names, merged } = await planImport(request);
  if (names.length === 0) return;
  await askUnlessProven(audit, invocation, {
    message: vscode.l10n.t(
      'Write {0} to {1}?',
      names.map((name) => visibleLine(name, 60)).join(', '),
      place.uri ? withHomeAsTilde(place.uri.fsPath) : place.label,
    ),
    detail: [
      from === undefined
        ? vscode.l10n.t('No server is started.')
        : vscode.l10n.t('The servers are read from {0}. No server is started.', from.label),
      ...plainSecretTexts(merged.servers.map(({ server }) => server)),
    ].join('\n\n'),
    page: 'import-and-export',
    go: from === undefined ? vscode.l10n.t('Add Servers') : vscode.l10n.t('Import Servers'),
  });
}

/**
 * Writes servers to a file or setting, under names that are not in use. The user settings receive only servers that the
 * user has approved or seen completely (`isShown`). Starts no server. Moved secrets are not written to any file.
 * Rejects with `blocked` if a policy blocks one of the servers.
 */
export async function addImported(
  { host, consent }: Pick<ExtensionServices, 'host' | 'consent'>,
  arrival: ImportRequest,
  caller: AuditCaller,
): Promise<ImportOutcome> {
  const { place, moved, held = [], from, isShown = false } = arrival;
  for (const server of arrival.servers) refuseBlocked(host, server);
  let { servers } = arrival;
  const note = (outcome: 'allowed' | 'refused', names: readonly string[]) => {
    if (names.length > 0)
      consent.audit.note({
        event: 'server-added',
        servers: names,
        to: place.label,
        ...(from ? { from: from.label } : {}),
        caller,
        outcome,
      });
  };
  if (place.kind === 'user' && !isShown) {
    const { merged } = await planImport(arrival);
    if (merged.servers.length > 0) {
      const agreed = await askForUser(
        merged.servers.map(({ server }) => server),
        [...arrival.inputs, ...merged.inputs],
        from?.label ?? vscode.l10n.t('text that was pasted or typed'),
      ).catch((error: unknown) => {
        if (isCancelled(error))
          note(
            'refused',
            merged.servers.map(({ server }) => server.name),
          );
        throw error;
      });
      const refused = new Set(merged.servers.filter(({ server }) => !agreed.has(server.name)).map((one) => one.from));
      servers = servers.filter(({ name }) => !refused.has(name));
      note(
        'refused',
        merged.servers.filter((one) => refused.has(one.from)).map(({ server }) => server.name),
      );
    }
  }
  // The plan is computed again, because the file may have changed while the question was open.
  const { names, losses, written, merged } = await planImport({ ...arrival, servers });
  await host.storedValues.forgetRemoved(names, place.source.id);
  // The portable file format does not support inputs, so they are not written to it.
  await writeOwnPlace(place, { servers: written, ...(place.kind === 'portable' ? {} : { inputs: merged.inputs }) });
  note('allowed', names);
  const { inputIds } = merged;
  if (place.kind === 'portable') return { names, losses, inputIds };
  const kept = merged.servers.flatMap(({ server, from: before }) => {
    const named = variablesIn(server.fields, 'input:');
    return [...moved.filter((secret) => secret.server === before), ...held]
      .map((secret) => ({ secret, server: server.name, input: inputIds.get(secret.id) ?? secret.id }))
      .filter(({ input }) => named.has(input));
  });
  return { names, losses: [...losses, ...(await storeMovedSecrets(keeperOf(host, place), kept))], inputIds };
}

/** Throws `blocked` if a policy does not allow the server. */
export function refuseBlocked({ servers }: Pick<HostApi, 'servers'>, server: PortableServer): void {
  const error = arrivalRefusal(server, (name, definition) => servers.blockedBy(name, definition));
  if (error) throw error;
}

/** Stores the secrets after the host has read the file or setting, because a server has no ID before that. */
function keeperOf(host: Pick<HostApi, 'servers' | 'storedValues'>, place: OwnPlace): SecretKeeper {
  return {
    find: (name, input) =>
      host.servers
        .list()
        .find(
          ({ entry }) =>
            entry.name === name && entry.source.id === place.source.id && entry.inputs.some(({ id }) => id === input),
        )?.id,
    onDidChange: host.servers.onDidChange,
    keepInput: (id, input, value) => host.storedValues.keepInput(id, input, value),
  };
}

/** A sentence for a question: the secrets that are written as plain text. Empty if there are none. */
export function plainSecretTexts(servers: readonly PortableServer[]): string[] {
  const names = findSecrets(servers).map((secret) => secretName(secret));
  return names.length === 0
    ? []
    : [vscode.l10n.t('These look like secrets and are written as plain text: {0}', names.join(', '))];
}

/** Lists the secrets that remain in plain text in the file. */
export function plainSecretLosses(servers: readonly PortableServer[]): Loss[] {
  return findSecrets(servers).map(({ server, field, name }) => ({
    server,
    field: `${field}.${name}`,
    message: vscode.l10n.t('The value looks like a secret and is written unchanged as plain text.'),
  }));
}

/**
 * Describes where a secret is: the name of its server, and its variable, header or argument. Never contains its value.
 */
function secretName({ server, name, field }: PlainSecret): string {
  return `${visibleLine(server, 60)}: ${field === 'args' ? vscode.l10n.t('argument {0}', Number(name) + 1) : visibleLine(name, 60)}`;
}

/** Asks where to move plain-text secrets. Returns undefined if the user cancels. */
export async function askWhereSecretsGo(
  secrets: readonly PlainSecret[],
  title: string,
  place: OwnPlace,
): Promise<readonly PlainSecret[] | undefined> {
  if (secrets.length === 0) return [];
  const names = secrets.map((secret) => secretName(secret)).join(', ');
  const move =
    place.kind === 'portable'
      ? {
          label: vscode.l10n.t('Replace Secrets with Environment Variables'),
          detail: vscode.l10n.t(
            'The file format has no inputs. The file refers to environment variables that you set for VS Code. The values are not copied.',
          ),
          secrets,
        }
      : {
          label: vscode.l10n.t('Move Secrets to Secret Storage'),
          detail: vscode.l10n.t('The file refers to the secrets by name, so the values are not visible in the file.'),
          secrets,
        };
  const keepPlain = {
    label: vscode.l10n.t('Keep Secrets as Plain Text'),
    detail:
      place.kind === 'portable'
        ? vscode.l10n.t('Everyone who reads the file sees the values, and such files are often shared.')
        : vscode.l10n.t('The values are written to the file as they are, and are visible there.'),
    secrets: [],
  };
  const picked = await vscode.window.showQuickPick([move, keepPlain], {
    title,
    placeHolder: vscode.l10n.t('These values look like secrets: {0}', names),
    ignoreFocusOut: true,
  });
  return picked?.secrets;
}

import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { HostError, UserError } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { visibleName } from '../../../core/base/visibleName.js';
import type { HostApi } from '../../../core/host/hostApi.js';
import type { ServersApi } from '../../../core/host/hostServers.js';
import type { StoredValuesApi } from '../../../core/host/storedValues.js';
import type { StoredInput } from '../../../core/registry/storedInputs.js';
import { namedServer } from '../../ui/chooseServer.js';
import { concerning } from '../../ui/commandFunnel.js';
import { askToWiden } from '../../ui/confirm.js';
import type { ExtensionServices, Feature } from '../../ui/services.js';
import type { Invocation } from '../../ui/invocation.js';
import { commandIds } from '../../manifest.js';
import { showInformation } from '../../adapters/userMessages.js';

/** The information about a stored value that scripts receive. It does not contain the value itself. */
type StoredValueInfo = Pick<StoredInput, 'server' | 'input' | 'place' | 'isSecret' | 'isUsed'>;

type Item = vscode.QuickPickItem & { run?(): Promise<void> };

/** Lists, replaces, and deletes stored input values of servers. Never shows the values. */
export const storedValuesFeature: Feature = {
  name: 'stored values',
  register(deck: Pick<ExtensionServices, 'commands' | 'consent' | 'host'>): Disposable {
    return deck.commands.defineCommand(commandIds.manageStoredValues, (invocation) =>
      manageStoredValues(deck, invocation),
    );
  },
};

async function manageStoredValues(
  deck: Pick<ExtensionServices, 'consent' | 'host'>,
  invocation: Invocation<'manageStoredValues'>,
): Promise<StoredValueInfo[] | undefined> {
  const { host } = deck;
  const { call, target } = invocation;
  const server = call ? call.server : target?.server;
  const all = await host.storedValues.inputs();
  // The values of a removed server may still be stored. So an unknown server is an error only if no values are stored
  // for it.
  if (server !== undefined && !all.some((stored) => stored.server === server)) namedServer(host.servers, server);
  const shown = all.filter((stored) => server === undefined || stored.server === server);
  if (call) return forCaller(deck, shown, invocation, call);
  if (shown.length === 0)
    throw new UserError(
      typeof server === 'string'
        ? vscode.l10n.t(
            'No values are stored for "{0}". The values of its inputs are stored when it first starts.',
            visibleLine(server, 80),
          )
        : vscode.l10n.t('No values are stored. The values of inputs are stored when a server first starts.'),
    );
  const title =
    typeof server === 'string'
      ? vscode.l10n.t('Stored Values of "{0}"', visibleLine(server, 80))
      : vscode.l10n.t('Stored Values');
  await act(items(host, shown), title);
  return undefined;
}

/** Lists the stored values. With `forget`, deletes the value of one input or all values of the server. */
async function forCaller(
  { host, consent }: Pick<ExtensionServices, 'consent' | 'host'>,
  stored: readonly StoredInput[],
  invocation: Invocation,
  { server, input, forget }: Readonly<Record<string, unknown>>,
): Promise<StoredValueInfo[]> {
  const meant = stored.filter((one) => input === undefined || one.input === input);
  if (forget === true) {
    if (typeof server !== 'string')
      throw new HostError('invalid-arguments', vscode.l10n.t('The argument object must contain "server" (a string).'));
    if (meant.length > 0) {
      await askToWiden(consent.audit, invocation, {
        server,
        message: vscode.l10n.t('Forget stored values of "{0}"?', visibleName(server, 80)),
        detail: vscode.l10n.t(
          'MCP Deck asks for these values again when the server next starts: {0}.',
          meant.map((one) => visibleLine(one.input, 80)).join(', '),
        ),
        go: vscode.l10n.t('Forget'),
      });
    }
    await forgetAll(host.storedValues, meant);
  }
  return meant.map(({ server: id, input: name, place, isSecret, isUsed }) => ({
    server: id,
    input: name,
    place,
    isSecret,
    isUsed,
  }));
}

/** One item for each value, grouped by server. Unused values come last. */
function items(host: Pick<HostApi, 'servers' | 'lifecycle' | 'storedValues'>, stored: readonly StoredInput[]): Item[] {
  const lines = (some: readonly StoredInput[]): Item[] => {
    const servers = [...new Set(some.map(({ server }) => server))];
    return servers.flatMap((server): Item[] => {
      const own = some.filter((one) => one.server === server);
      const separator: Item = { label: visibleLine(server, 80), kind: vscode.QuickPickItemKind.Separator };
      return [separator, ...own.map((one) => valueItem(host, one, own))];
    });
  };
  return [...lines(stored.filter(({ isUsed }) => isUsed)), ...lines(stored.filter(({ isUsed }) => !isUsed))];
}

function valueItem(
  host: Pick<HostApi, 'servers' | 'lifecycle' | 'storedValues'>,
  stored: StoredInput,
  ofServer: readonly StoredInput[],
): Item {
  const definition = definitionOf(host.servers, stored);
  const kind = stored.isSecret
    ? vscode.l10n.t('password, in secret storage')
    : vscode.l10n.t('text, for this workspace');
  const detail = stored.isUsed
    ? definition?.description
    : vscode.l10n.t('Not used by any server in this window: {0}', visibleLine(stored.place, 200));
  return {
    label: visibleLine(stored.input, 80),
    description: kind,
    ...(detail === undefined ? {} : { detail: visibleLine(detail, 300) }),
    iconPath: new vscode.ThemeIcon(stored.isSecret ? 'key' : 'symbol-string'),
    run: () =>
      act(actions(host, stored, ofServer), `${visibleLine(stored.server, 80)}: ${visibleLine(stored.input, 80)}`),
  };
}

function actions(
  host: Pick<HostApi, 'servers' | 'lifecycle' | 'storedValues'>,
  stored: StoredInput,
  ofServer: readonly StoredInput[],
): Item[] {
  const change: Item = {
    label: vscode.l10n.t('Change…'),
    iconPath: new vscode.ThemeIcon('edit'),
    run: () => changeValue(host, stored),
  };
  const forget: Item = {
    label: vscode.l10n.t('Forget'),
    iconPath: new vscode.ThemeIcon('trash'),
    run: () => forgetValues(host, [stored]),
  };
  const all: Item = {
    label: vscode.l10n.t('Forget All Values of "{0}"', visibleLine(stored.server, 80)),
    iconPath: new vscode.ThemeIcon('clear-all'),
    run: () => forgetValues(host, ofServer),
  };
  // A value that a command provides cannot be entered. After it is forgotten, the command runs at the next start.
  const isAsked = stored.isUsed && definitionOf(host.servers, stored)?.type !== 'command';
  return [...(isAsked ? [change] : []), forget, ...(ofServer.length > 1 ? [all] : [])];
}

async function changeValue(
  host: Pick<HostApi, 'servers' | 'lifecycle' | 'storedValues'>,
  { server, input }: StoredInput,
): Promise<void> {
  await concerning(server, host.storedValues.askInput(server, input));
  const kind = host.servers.get(server)?.state.kind;
  if (kind !== 'running' && kind !== 'starting' && kind !== 'failed') return;
  const restart = { title: kind === 'failed' ? vscode.l10n.t('Start Server') : vscode.l10n.t('Restart Server') };
  const text =
    kind === 'failed'
      ? vscode.l10n.t(
          '"{0}" gets the new value of "{1}" when it starts.',
          visibleLine(server, 80),
          visibleLine(input, 80),
        )
      : vscode.l10n.t(
          '"{0}" runs with the old value of "{1}" until it is restarted.',
          visibleLine(server, 80),
          visibleLine(input, 80),
        );
  if ((await showInformation(text, restart)) === restart)
    await concerning(server, host.lifecycle.restart(server, { interactive: true }));
}

async function forgetValues(
  host: Pick<HostApi, 'servers' | 'lifecycle' | 'storedValues'>,
  stored: readonly StoredInput[],
): Promise<void> {
  await forgetAll(host.storedValues, stored);
  const server = visibleLine(stored[0]?.server ?? '', 80);
  const text = stored.some(({ isUsed }) => isUsed)
    ? stored.length === 1
      ? vscode.l10n.t('Forgotten. MCP Deck asks for the value again when "{0}" next starts', server)
      : vscode.l10n.t('Forgotten. MCP Deck asks for the values again when "{0}" next starts', server)
    : vscode.l10n.t('Forgotten');
  void vscode.window.setStatusBarMessage(text, 5_000);
}

async function forgetAll(storedValues: StoredValuesApi, stored: readonly StoredInput[]): Promise<void> {
  for (const one of stored) await storedValues.forgetInput(one);
}

function definitionOf(servers: ServersApi, { server, input }: StoredInput) {
  return servers.get(server)?.entry.inputs.find(({ id }) => id === input);
}

/** Shows a list and performs the selected action. */
async function act(list: readonly Item[], title: string): Promise<void> {
  const picked = await vscode.window.showQuickPick(list, { title, matchOnDescription: true, matchOnDetail: true });
  if (!picked) throw new HostError('cancelled', 'Nothing was picked.');
  await picked.run?.();
}

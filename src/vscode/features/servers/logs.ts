import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import { HostError } from '../../../core/base/hostError.js';
import type { LogChannel } from '../../adapters/logChannels.js';
import type { ExtensionServices, Feature } from '../../ui/services.js';
import type { Invocation } from '../../ui/invocation.js';
import { commandIds } from '../../manifest.js';
import { namedServer } from '../../ui/chooseServer.js';

export const logCommands: Feature = {
  name: 'log commands',
  register(deck): Disposable {
    const store = new DisposableStore();
    store.add(
      deck.commands.defineCommand(commandIds.showLog, async (invocation) => (await chooseLog(deck, invocation)).show()),
    );
    store.add(deck.commands.defineCommand(commandIds.copyName, ({ element }) => copyName(element?.node.name)));
    return store;
  },
};

async function chooseLog(
  { host, logs }: Pick<ExtensionServices, 'host' | 'logs'>,
  { call, target }: Invocation,
): Promise<LogChannel> {
  const server = call ? call.server : target?.server;
  if (server !== undefined) return logs.forServer(namedServer(host.servers, server).id);
  // If a script specifies no server, it gets the log of MCP Deck.
  if (call) return logs.host;
  const servers = host.servers.list().map(({ id }) => ({ label: id, channel: logs.forServer(id) }));
  const own = { label: 'MCP Deck', description: vscode.l10n.t('the extension itself'), channel: logs.host };
  const picked = await vscode.window.showQuickPick([...servers, own], { title: vscode.l10n.t('Show Log') });
  if (!picked) throw new HostError('cancelled', 'No log was picked.');
  return picked.channel;
}

async function copyName(name: string | undefined): Promise<void> {
  if (name !== undefined) await vscode.env.clipboard.writeText(name);
}

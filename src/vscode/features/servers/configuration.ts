import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import { HostError } from '../../../core/base/hostError.js';
import type { ConfigSource, SourcePosition } from '../../../core/config/serverDefinition.js';
import type { ServersApi } from '../../../core/host/hostServers.js';
import { configurationFileSources, labelAmongFolders, userSource } from '../../adapters/configurationFiles.js';
import type { Feature } from '../../ui/services.js';
import type { Invocation } from '../../ui/invocation.js';
import { commandIds } from '../../manifest.js';
import { openSource } from '../../adapters/openSource.js';
import { addServer } from './addServer.js';
import { namedServer } from '../../ui/chooseServer.js';

export const configurationCommands: Feature = {
  name: 'configuration commands',
  register(deck): Disposable {
    const { host, commands } = deck;
    const store = new DisposableStore();
    store.add(
      commands.defineCommand(commandIds.openConfiguration, (invocation) => openConfiguration(host.servers, invocation)),
    );
    store.add(commands.defineCommand(commandIds.addServer, (invocation) => addServer(deck, invocation)));
    return store;
  },
};

async function openConfiguration(servers: ServersApi, invocation: Invocation): Promise<void> {
  const { source, position } = placeOf(servers, invocation) ?? { source: await pickSource(), position: undefined };
  await openSource(source, position);
}

/** The source of the server that the call specifies or that the user clicked. */
function placeOf(
  servers: ServersApi,
  { call, target }: Invocation,
): { source: ConfigSource; position: SourcePosition | undefined } | undefined {
  if (target?.broken !== undefined) {
    const broken = servers.brokenEntries().find(({ id }) => id === target.broken);
    if (broken) return { source: broken.source, position: broken.problem.position };
  }
  const server = call ? call.server : target?.server;
  if (server === undefined) return undefined;
  const { entry } = namedServer(servers, server);
  return { source: entry.source, position: entry.position };
}

async function pickSource(): Promise<ConfigSource> {
  const files = await Promise.all(
    configurationFileSources().map(async ({ source, uri }) => ((await exists(uri)) ? [source] : [])),
  );
  const items = [...files.flat(), userSource()].map((source) => ({ label: labelAmongFolders(source), source }));
  const picked = await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Open Configuration') });
  if (!picked) throw new HostError('cancelled', 'No configuration was picked.');
  return picked.source;
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(uri);
    return true;
  } catch {
    // A file that exists but whose status cannot be read is not offered either.
    return false;
  }
}

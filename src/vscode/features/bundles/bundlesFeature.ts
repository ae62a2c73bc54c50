import * as vscode from 'vscode';
import { HostError } from '../../../core/base/hostError.js';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import type { ExtensionServices, Feature } from '../../ui/services.js';
import type { Invocation } from '../../ui/invocation.js';
import { commandIds } from '../../manifest.js';

/** Installs bundles (MCPB) from files, and updates installed servers. The commands are loaded on first use. */
export const bundlesFeature: Feature = {
  name: 'bundles and updates',
  register(deck): Disposable {
    const store = new DisposableStore();
    store.add(
      deck.commands.defineCommand(commandIds.installBundle, async (invocation) => {
        const { diskPath, openBundleFile } = await import('./bundleInstaller.js');
        const file = await chosenFile(invocation, diskPath);
        if (file === undefined) throw new HostError('cancelled', 'No file was chosen.');
        await openBundleFile(deck, file);
      }),
    );
    store.add(
      deck.commands.defineCommand(commandIds.updateServer, async (invocation) => {
        await deck.updates.refresh(deck.host.servers.list());
        await (await import('./updateServer.js')).updateServer(deck, invocation);
      }),
    );
    store.add(watchUpdates(deck));
    return store;
  },
};

/**
 * Compares the servers with the stored lists of registries: at the start, when the list of servers changes, and when
 * the window gets the focus.
 */
function watchUpdates(deck: ExtensionServices): Disposable {
  const refresh = () =>
    void deck.updates
      .refresh(deck.host.servers.list())
      .catch((error: unknown) => deck.log.write('debug', `The lists of registries were not read: ${String(error)}`));
  const store = new DisposableStore();
  store.add(deck.host.servers.onDidChange(({ server }) => (server === undefined ? refresh() : undefined)));
  store.add(vscode.window.onDidChangeWindowState(({ focused }) => (focused ? refresh() : undefined)));
  refresh();
  return store;
}

/**
 * The bundle file that the call specifies or that the user clicked in the Explorer. Otherwise, the user chooses a file.
 */
async function chosenFile(
  { call, document }: Invocation<'installBundle'>,
  diskPath: (uri: vscode.Uri) => string,
): Promise<string | undefined> {
  if (call) {
    if (typeof call.file === 'string') return call.file;
    throw new HostError('invalid-arguments', vscode.l10n.t('The argument object must contain "file" (a path).'));
  }
  if (document) return diskPath(document);
  const [chosen] =
    (await vscode.window.showOpenDialog({
      title: vscode.l10n.t('Install Bundle'),
      openLabel: vscode.l10n.t('Check'),
      filters: { [vscode.l10n.t('MCP Bundles')]: ['mcpb', 'dxt'] },
    })) ?? [];
  return chosen && diskPath(chosen);
}

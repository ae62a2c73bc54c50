import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import type { Feature } from '../../ui/services.js';
import { commandIds } from '../../manifest.js';
import { Reports } from '../../ui/reports.js';

/**
 * Imports servers from and exports servers to files of other apps, and installs servers from links. Starts no server.
 * Loaded on first use.
 */
export const interchangeFeature: Feature = {
  name: 'import and export',
  register(deck): Disposable {
    const store = new DisposableStore();
    const reports = store.add(new Reports('mcpdeck-report'));
    store.add(
      deck.commands.defineCommand(commandIds.importServers, async (invocation) =>
        (await import('./importServers.js')).importServers(deck, reports, invocation),
      ),
    );
    store.add(
      deck.commands.defineCommand(commandIds.exportServers, async (invocation) =>
        (await import('./exportServers.js')).exportServers(deck, reports, invocation),
      ),
    );
    store.add(
      deck.uris.register('/install', async (uri) =>
        (await import('./openInstallLink.js')).openInstallLink(deck, reports, uri),
      ),
    );
    return store;
  },
};

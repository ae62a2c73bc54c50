import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import type { Feature } from '../../ui/services.js';
import type { Invocation } from '../../ui/invocation.js';
import { commandIds } from '../../manifest.js';
import { ConfigurationLenses } from './configurationLenses.js';
import type * as EditServers from './editServers.js';
import { Reports } from '../../ui/reports.js';
import { registerVariableHovers } from './variableHovers.js';

/**
 * Editor support in configuration files, and the commands that edit, move, and remove servers. The commands are loaded
 * on first use.
 */
export const editFeature: Feature = {
  name: 'editing servers',
  register(deck): Disposable {
    const store = new DisposableStore();
    const reports = store.add(new Reports('mcpdeck-move'));
    const first =
      (run: (module: typeof EditServers, invocation: Invocation) => Promise<unknown>) =>
      async (invocation: Invocation) =>
        run(await import('./editServers.js'), invocation);
    store.add(new ConfigurationLenses(deck.host.servers));
    store.add(registerVariableHovers(deck.host.servers));
    store.add(
      deck.commands.defineCommand(
        commandIds.editServer,
        first(({ editServer }, invocation) => editServer(deck, invocation)),
      ),
    );
    store.add(
      deck.commands.defineCommand(
        commandIds.duplicateServer,
        first(({ duplicateServer }, invocation) => duplicateServer(deck, invocation)),
      ),
    );
    store.add(
      deck.commands.defineCommand(
        commandIds.moveServer,
        first(({ moveServer }, invocation) => moveServer(deck, reports, invocation)),
      ),
    );
    store.add(
      deck.commands.defineCommand(
        commandIds.removeServer,
        first(({ removeChosenServer }, invocation) => removeChosenServer(deck, invocation)),
      ),
    );
    store.add(
      deck.commands.defineCommand(commandIds.setSecret, async (invocation) =>
        (await import('./setSecret.js')).setSecret(deck, invocation),
      ),
    );
    return store;
  },
};

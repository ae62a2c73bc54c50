import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import { commandIds } from '../../manifest.js';
import type { Feature } from '../../ui/services.js';
import { CheckDiagnostics } from './checkDiagnostics.js';
import { CheckTests } from './checkTests.js';
import { checkGroup, checkServer } from './checkServer.js';
import { LockComparison } from './lockComparison.js';

/** Checks of servers, and the comparison of servers with the lock file. */
export const checksFeature: Feature = {
  name: 'checks',
  register(deck): Disposable {
    const store = new DisposableStore();
    // Editors show the settings of the user under this scheme.
    const userSettings = vscode.Uri.joinPath(deck.extension.globalStorageUri, '..', '..', 'settings.json');
    const diagnostics = store.add(new CheckDiagnostics(userSettings.with({ scheme: 'vscode-userdata' })));
    const tests = store.add(new CheckTests(deck));
    store.add(
      deck.commands.defineCommand(commandIds.checkServer, (invocation) =>
        checkServer(deck, diagnostics, tests, invocation),
      ),
    );
    // The findings about a server that was removed are obsolete.
    store.add(
      deck.host.servers.onDidChange(({ server }) => {
        if (server !== undefined && !deck.host.servers.get(server)) diagnostics.delete(checkGroup(server));
      }),
    );
    store.add(new LockComparison(deck, diagnostics));
    return store;
  },
};

import * as vscode from 'vscode';
import { DisposableStore } from '../../../core/base/disposable.js';
import { UserError } from '../../../core/base/hostError.js';
import { commandIds } from '../../manifest.js';
import type { Feature } from '../../ui/services.js';
import { saveAsTest } from './saveAsTest.js';
import { TestExplorer } from './testExplorer.js';
import { TestReader } from './testFiles.js';

/**
 * Tests of servers: the Test Explorer, editor support in test files, and the commands that write cases and snapshots.
 */
export const testingFeature: Feature = {
  name: 'testing',
  register(deck) {
    const store = new DisposableStore();
    const reader = store.add(new TestReader(deck.extension));
    const explorer = store.add(new TestExplorer(deck, reader));
    store.add(deck.commands.defineCommand(commandIds.saveAsTest, (invocation) => saveAsTest(deck, reader, invocation)));
    store.add(
      deck.commands.defineCommand(commandIds.updateSnapshot, async ({ call }) => {
        // VS Code passes the test that the message belongs to. A program can pass other objects, which are not items of
        // the Test Explorer.
        if (!(await explorer.updateSnapshot(call?.test)))
          throw new UserError(vscode.l10n.t('Select "Update Snapshot" on the message of a failed test.'));
      }),
    );
    return store;
  },
};

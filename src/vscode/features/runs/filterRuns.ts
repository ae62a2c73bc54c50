import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import type { Feature } from '../../ui/services.js';
import { createInput } from '../../adapters/userMessages.js';
import { showInput } from '../../ui/steps.js';
import { commandIds } from '../../manifest.js';

/** Filters the Runs view while the user types. Escape restores the previous filter. */
export const filterRunsCommands: Feature = {
  name: 'filter runs',
  register({ commands, runFilter }): Disposable {
    const store = new DisposableStore();
    store.add(
      commands.defineCommand(commandIds.filterRuns, async ({ call }) => {
        if (call) {
          runFilter.filter = typeof call.words === 'string' ? call.words.slice(0, 1_000) : '';
          return;
        }
        const before = runFilter.filter;
        const { box } = createInput({
          title: vscode.l10n.t('Filter Runs'),
          placeholder: vscode.l10n.t('Filter by server, tool, arguments, outcome, or result'),
          value: before,
        });
        box.onDidChangeValue((text) => (runFilter.filter = text));
        runFilter.filter = (await showInput(box, () => ({ words: box.value })))?.words ?? before;
      }),
    );
    store.add(
      commands.defineCommand(commandIds.clearRunFilter, () => {
        runFilter.filter = '';
        return Promise.resolve();
      }),
    );
    return store;
  },
};

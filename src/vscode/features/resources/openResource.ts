import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import { ScriptCalls } from '../../ui/scripting.js';
import type { ExtensionServices, Feature } from '../../ui/services.js';
import type { Invocation } from '../../ui/invocation.js';
import { commandIds } from '../../manifest.js';
import { chooseResource } from '../../ui/chooseResource.js';
import { readToOpen, showResource } from '../../ui/showResource.js';

/** Commands that open resources in editors. For a script, they return the plain result and show nothing. */
export const openResourceCommands: Feature = {
  name: 'open resource commands',
  register(deck): Disposable {
    const store = new DisposableStore();
    store.add(
      deck.commands.defineCommand(commandIds.readResource, async (invocation) => {
        if (invocation.call) return new ScriptCalls(deck.host, deck.schemas).readResource(invocation.call);
        return openResource(deck, invocation, vscode.ViewColumn.Active);
      }),
    );
    store.add(
      deck.commands.defineCommand(commandIds.openResourceToSide, (invocation) =>
        openResource(deck, invocation, vscode.ViewColumn.Beside),
      ),
    );
    return store;
  },
};

async function openResource(
  deck: Pick<ExtensionServices, 'host' | 'resources' | 'templatePanels'>,
  invocation: Invocation,
  viewColumn: vscode.ViewColumn,
): Promise<void> {
  const address = await chooseResource(deck, invocation, vscode.l10n.t('Open Resource'));
  await showResource(await readToOpen(deck, address), viewColumn);
}

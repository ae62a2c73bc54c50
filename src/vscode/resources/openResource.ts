import * as vscode from 'vscode';
import type { Disposable } from '../../core/base/disposable.js';
import { DisposableStore } from '../../core/base/disposable.js';
import { visibleLine } from '../../core/base/hostileText.js';
import { filePath } from '../../core/resources/resourceFolders.js';
import type { ResourceAddress } from '../../core/resources/resourcePath.js';
import { concerning } from '../commandFunnel.js';
import { withRunProgress } from '../commands/runProgress.js';
import { ScriptCalls } from '../commands/scripting.js';
import type { DeckContext, Feature } from '../feature.js';
import type { Invocation } from '../invocation.js';
import { commandIds, resourceScheme } from '../manifest.js';
import { chooseResource } from './chooseResource.js';

/** Opening resources in editors; a script gets the plain result and nothing is shown. */
export const openResourceCommands: Feature = {
  name: 'open resource commands',
  register(deck): Disposable {
    const store = new DisposableStore();
    store.add(
      deck.commands.register(commandIds.readResource, async (invocation) => {
        if (invocation.call) return new ScriptCalls(deck.host, deck.schemas).readResource(invocation.call);
        return openResource(deck, invocation, vscode.ViewColumn.Active);
      }),
    );
    store.add(deck.commands.register(commandIds.openResourceToSide, (invocation) => openResource(deck, invocation, vscode.ViewColumn.Beside)));
    return store;
  },
};

async function openResource(deck: DeckContext, invocation: Invocation, viewColumn: vscode.ViewColumn): Promise<void> {
  const address = await chooseResource(deck.host, invocation, vscode.l10n.t('Open Resource'));
  const uri = await readToOpen(deck, address);
  await vscode.commands.executeCommand('vscode.open', uri, { preview: true, viewColumn } satisfies vscode.TextDocumentShowOptions);
}

/** Reads a resource, with progress and a way to give up; the editor that opens it at the address gets what came. */
export async function readToOpen({ host, resources }: DeckContext, address: ResourceAddress): Promise<vscode.Uri> {
  const title = vscode.l10n.t('Reading {0}', visibleLine(address.uri, 80));
  const { extension } = await withRunProgress(title, (options) => concerning(address.server, resources.prepare(address, options)));
  return vscode.Uri.from({ scheme: resourceScheme, path: filePath(host, address, extension) });
}

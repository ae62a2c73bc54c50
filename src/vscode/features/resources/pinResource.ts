import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import { HostError, UserError } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { copyName } from '../../../core/resources/saveCopy.js';
import type { ResourceAddress } from '../../../core/resources/resourcePath.js';
import { namedServer } from '../../ui/chooseServer.js';
import { startVisibly } from '../../ui/pickTarget.js';
import { requiredText } from '../../ui/scripting.js';
import type { ExtensionServices, Feature } from '../../ui/services.js';
import type { Invocation } from '../../ui/invocation.js';
import { commandIds } from '../../manifest.js';
import { chooseOpenResource } from '../../ui/chooseResource.js';
import { activeResource } from '../../ui/resourceUri.js';

const example = '{ "server": "name", "uri": "file:///…" }';

/** Commands that pin and refresh resources. */
export const pinResourceCommands: Feature = {
  name: 'pin resource commands',
  register(deck): Disposable {
    const store = new DisposableStore();
    store.add(deck.commands.defineCommand(commandIds.pinResource, (invocation) => pin(deck, invocation)));
    store.add(deck.commands.defineCommand(commandIds.unpinResource, (invocation) => unpin(deck, invocation)));
    store.add(
      deck.commands.defineCommand(commandIds.refreshResource, async (invocation) => {
        const address = await chooseOpenResource(deck, invocation, vscode.l10n.t('Refresh Resource'));
        // The server is started first, because the editor that reads the resource again does not start it.
        await startVisibly(deck.host, address.server);
        deck.resources.refresh(address);
      }),
    );
    return store;
  },
};

async function pin(
  deck: Pick<ExtensionServices, 'host' | 'pins' | 'templatePanels'>,
  invocation: Invocation<'pinResource'>,
): Promise<void> {
  const { host, pins } = deck;
  const address =
    named(invocation, (id) => namedServer(host.servers, id).id) ??
    (await chooseOpenResource(deck, invocation, vscode.l10n.t('Pin Resource')));
  const listed = host.servers.get(address.server)?.features?.resources.find(({ uri }) => uri === address.uri);
  await pins.pin({ ...address, name: listed?.title ?? listed?.name ?? copyName(address.uri) });
}

async function unpin(
  { pins }: Pick<ExtensionServices, 'pins'>,
  invocation: Invocation<'unpinResource'>,
): Promise<void> {
  await pins.unpin(named(invocation, String) ?? activeResource() ?? (await choosePin(pins.list())));
}

/** The resource that the argument object or the tree item identifies. */
function named(
  { call, target }: Invocation<'pinResource' | 'unpinResource'>,
  readServer: (id: unknown) => string,
): ResourceAddress | undefined {
  if (call) return { server: readServer(call.server), uri: requiredText(call, 'uri', example) };
  return target?.server !== undefined && target.uri !== undefined
    ? { server: target.server, uri: target.uri }
    : undefined;
}

async function choosePin(pins: readonly (ResourceAddress & { name: string })[]): Promise<ResourceAddress> {
  if (pins.length === 0) throw new UserError(vscode.l10n.t('No resource is pinned.'));
  const items = pins.map((address) => ({
    label: visibleLine(address.name, 120),
    description: visibleLine(address.server, 80),
    detail: visibleLine(address.uri, 200),
    address,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Unpin Resource'),
    matchOnDescription: true,
  });
  if (!picked) throw new HostError('cancelled', 'No resource was picked.');
  return picked.address;
}

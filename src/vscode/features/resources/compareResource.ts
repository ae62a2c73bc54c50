import path from 'node:path';
import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { HostError } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { copyName } from '../../../core/resources/saveCopy.js';
import { namedServer } from '../../ui/chooseServer.js';
import { requiredText } from '../../ui/scripting.js';
import type { ExtensionServices, Feature } from '../../ui/services.js';
import type { Invocation } from '../../ui/invocation.js';
import { commandIds } from '../../manifest.js';
import { chooseOpenResource } from '../../ui/chooseResource.js';
import { readToOpen } from '../../ui/showResource.js';

const maxMatches = 20;

export const compareResourceCommand: Feature = {
  name: 'compare resource command',
  register(deck): Disposable {
    return deck.commands.defineCommand(commandIds.compareResource, (invocation) => compare(deck, invocation));
  },
};

/** Shows the difference between a resource and a file. */
async function compare(
  deck: Pick<ExtensionServices, 'host' | 'resources' | 'templatePanels'>,
  invocation: Invocation<'compareResource'>,
): Promise<void> {
  const { call } = invocation;
  const example = '{ "server": "name", "uri": "file:///…", "file": "/path" }';
  const address = call
    ? { server: namedServer(deck.host.servers, call.server).id, uri: requiredText(call, 'uri', example) }
    : await chooseOpenResource(deck, invocation, vscode.l10n.t('Compare Resource with File'));
  const file = call ? vscode.Uri.file(requiredText(call, 'file', example)) : await chooseFile(copyName(address.uri));
  const resource = await readToOpen(deck, address);
  const title = `${visibleLine(resource.path.slice(resource.path.lastIndexOf('/') + 1), 80)} ↔ ${path.posix.basename(file.path)}`;
  await vscode.commands.executeCommand('vscode.diff', resource, file, title);
}

type FileItem = vscode.QuickPickItem & { uri?: vscode.Uri };

/** Asks the user for a file: a workspace file with the name of the resource, an open file, or any other file. */
async function chooseFile(name: string): Promise<vscode.Uri> {
  const named = await vscode.workspace.findFiles(
    `**/${name.replace(/[^\p{L}\p{N}._ -]/gu, '?')}`,
    undefined,
    maxMatches,
  );
  const open = vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .flatMap(({ input }) => (input instanceof vscode.TabInputText && input.uri.scheme === 'file' ? [input.uri] : []));
  const seen = new Set<string>();
  const files = [...named, ...open].filter((uri) => !seen.has(uri.toString()) && seen.add(uri.toString()));
  const other: FileItem = { label: vscode.l10n.t('Choose File…'), iconPath: new vscode.ThemeIcon('folder-opened') };
  const items: FileItem[] = files.map((uri) => ({
    label: path.posix.basename(uri.path),
    description: vscode.workspace.asRelativePath(vscode.Uri.joinPath(uri, '..')),
    iconPath: new vscode.ThemeIcon('file'),
    uri,
  }));
  const picked =
    items.length === 0
      ? other
      : await vscode.window.showQuickPick([...items, other], {
          title: vscode.l10n.t('Compare With'),
          matchOnDescription: true,
        });
  if (!picked) throw new HostError('cancelled', 'No file was chosen.');
  if (picked.uri) return picked.uri;
  const [chosen] =
    (await vscode.window.showOpenDialog({ title: vscode.l10n.t('Compare With'), canSelectMany: false })) ?? [];
  if (!chosen) throw new HostError('cancelled', 'No file was chosen.');
  return chosen;
}

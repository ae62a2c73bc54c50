import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import type { RootFolder } from '../../../core/requests/chosenRoots.js';
import { fileFolders } from '../../adapters/workspaceRoots.js';
import type { ExtensionServices, Feature } from '../../ui/services.js';
import type { Invocation } from '../../ui/invocation.js';
import { commandIds } from '../../manifest.js';
import { chooseServer } from '../../ui/chooseServer.js';
import { askUnlessProven } from '../../ui/confirm.js';
import { exactText } from '../../../core/base/exactText.js';
import { visibleName } from '../../../core/base/visibleName.js';

export const chooseRootsCommand: Feature = {
  name: 'roots command',
  register(deck): Disposable {
    return deck.commands.defineCommand(commandIds.chooseRoots, (invocation) => chooseRoots(deck, invocation));
  },
};

type FolderItem = vscode.QuickPickItem & { folder?: RootFolder };

/**
 * Asks for the folders that a server gets as roots. If the user selects exactly the workspace folders, the choice is
 * removed, so that the roots follow the workspace.
 */
async function chooseRoots(
  { host, consent, requests: { roots } }: Pick<ExtensionServices, 'consent' | 'host' | 'requests'>,
  invocation: Invocation,
): Promise<void> {
  const { entry } = await chooseServer(host.servers, invocation, {
    title: vscode.l10n.t('Roots'),
    isCandidate: ({ entry: { definition } }) => definition.type !== 'builtin',
    noneMessage: vscode.l10n.t('No server is configured.'),
  });
  const workspace = fileFolders();
  const current = roots.folders(entry, workspace);
  const isChosen = ({ path }: RootFolder) => current.some((folder) => folder.path === path);
  const known = [...workspace, ...current.filter(({ path }) => !workspace.some((folder) => folder.path === path))];
  const items: FolderItem[] = [
    ...known.map((folder) => ({ label: folder.name, description: folder.path, picked: isChosen(folder), folder })),
    { label: vscode.l10n.t('Another Folder…'), iconPath: new vscode.ThemeIcon('add') },
  ];
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Roots of "{0}"', entry.name),
    placeHolder: vscode.l10n.t(
      'The server receives these folders as roots. They do not limit the access of its process.',
    ),
    canPickMany: true,
    matchOnDescription: true,
  });
  if (!picked) return;
  const more = picked.some(({ folder }) => folder === undefined)
    ? await vscode.window.showOpenDialog({
        canSelectFolders: true,
        canSelectFiles: false,
        canSelectMany: true,
        openLabel: vscode.l10n.t('Add'),
      })
    : [];
  if (!more) return;
  const paths = [
    ...new Set([
      ...picked.flatMap(({ folder }) => (folder ? [folder.path] : [])),
      ...more.filter(({ scheme }) => scheme === 'file').map(({ fsPath }) => fsPath),
    ]),
  ];
  const added = paths.filter((path) => !current.some((folder) => folder.path === path));
  if (added.length > 0)
    await askUnlessProven(consent.audit, invocation, {
      server: entry.id,
      message: vscode.l10n.t('Add roots for "{0}"?', visibleName(entry.name, 80)),
      detail: vscode.l10n.t('New roots: {0}', added.map((path) => exactText(path)).join(', ')),
      go: vscode.l10n.t('Add Roots'),
    });
  const isWorkspace = paths.length === workspace.length && workspace.every(({ path }) => paths.includes(path));
  await roots.choose(entry, isWorkspace ? undefined : paths);
  consent.audit.note({ event: 'roots', server: entry.id, folders: isWorkspace ? null : paths });
}

import os from 'node:os';
import * as vscode from 'vscode';
import { appFilesHere } from '../../ui/appFileText.js';
import { configurationFileSources } from '../../adapters/configurationFiles.js';
import { HostError, UserError } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { withoutBlocked } from '../../../core/interchange/blockedArrivals.js';
import { guessApp, projectFolder } from '../../../core/interchange/appFiles.js';
import type { AppId } from '../../../core/interchange/appFormats.js';
import { appFormats } from '../../../core/interchange/appFormats.js';
import type { PortableServer, Loss } from '../../../core/interchange/portableServer.js';
import type { FoundGroup, UnreadableFile } from '../../../core/interchange/foundApps.js';
import { readFoundFile } from '../../../core/interchange/foundApps.js';
import { findSecrets } from '../../../core/interchange/plainSecrets.js';
import { failureLine } from '../../../core/present/failure/failureText.js';
import type { InterchangeReport } from '../../../core/present/documents/interchangeReport.js';
import { fileFolders } from '../../adapters/workspaceRoots.js';
import type { ExtensionServices } from '../../ui/services.js';
import type { ArgumentObject, Invocation } from '../../ui/invocation.js';
import { auditCallerOf } from '../../ui/invocation.js';
import type { ImportRequest } from '../../ui/addImported.js';
import { addImported, askToWriteServers, askWhereSecretsGo } from '../../ui/addImported.js';
import type { OwnPlace } from '../../adapters/ownPlaces.js';
import { descriptionOfPlace, ownPlaces } from '../../adapters/ownPlaces.js';
import type { Reports } from '../../ui/reports.js';
import { showInterchangeReport } from './showInterchangeReport.js';
import { withHomeAsTilde } from '../../ui/homeFolder.js';

/** "Import Servers…": asks for the app, the servers, and the target. Reports the parts that could not be imported. */
export async function importServers(
  deck: Pick<ExtensionServices, 'consent' | 'extension' | 'host'>,
  reports: Reports,
  invocation: Invocation<'importServers'>,
): Promise<InterchangeReport> {
  const { call } = invocation;
  const choice = call ? await readCall(deck, call) : await ask(deck);
  const request = { ...choice, from: choice.home };
  await askToWriteServers(deck.consent.audit, invocation, request);
  const { names, losses } = await addImported(deck, request, auditCallerOf(invocation));
  const title = vscode.l10n.t(
    'Servers of {0} that were written to {1}: {2} of {3}. Nothing was started.',
    choice.from,
    choice.place.label,
    names.length,
    choice.servers.length,
  );
  const report: InterchangeReport = {
    title,
    servers: names,
    losses: [...choice.losses, ...losses],
    unusable: choice.unusable,
  };
  if (!call) await showInterchangeReport(reports, report);
  return report;
}

/** The project folder that the file belongs to. Undefined for a file that belongs to no project. */
function folderOf(file: string): string | undefined {
  return projectFolder(
    file,
    fileFolders().map(({ path }) => path),
    os.homedir(),
  );
}

/** The servers to import and their target. */
interface Choice {
  from: string;
  servers: readonly PortableServer[];
  inputs: FoundGroup['imported']['inputs'];
  losses: Loss[];
  unusable: FoundGroup['imported']['unusable'];
  place: OwnPlace;
  home: Required<ImportRequest>['from'];
  moved: ReturnType<typeof findSecrets>;
}

async function ask({ extension, host }: Pick<ExtensionServices, 'extension' | 'host'>): Promise<Choice> {
  const title = vscode.l10n.t('Import Servers');
  const found = allowedOf(host, await pickGroup(extension, title));
  const servers = await pickServers(found, title);
  const place = await pickPlace(title, servers, found.file.folder);
  const secrets = findSecrets(servers);
  const moved = await askWhereSecretsGo(secrets, title, place);
  if (!moved) throw new HostError('cancelled', 'The question about secrets was canceled.');
  return { ...choiceOf(found, servers), place, moved: [...moved] };
}

function choiceOf(
  { title, imported, file, group }: FoundGroup,
  servers: readonly PortableServer[],
): Omit<Choice, 'place' | 'moved'> {
  const names = new Set(servers.map(({ name }) => name));
  const folder = group.project ?? file.folder;
  return {
    from: title,
    home: { base: folder, workspaceFolder: folder, label: withHomeAsTilde(file.path) },
    servers,
    inputs: imported.inputs,
    losses: imported.losses.filter(({ server }) => names.has(server)),
    unusable: imported.unusable,
  };
}

/** The group without the servers that a policy blocks; the report lists them as unusable. */
function allowedOf({ servers }: ExtensionServices['host'], found: FoundGroup): FoundGroup {
  const imported = withoutBlocked(
    found.imported,
    (name, definition) => servers.blockedBy(name, definition),
    (error) => failureLine(error, undefined),
  );
  return { ...found, imported };
}

type GroupItem = vscode.QuickPickItem & { found?: FoundGroup | UnreadableFile };

async function pickGroup(extension: vscode.ExtensionContext, title: string): Promise<FoundGroup> {
  const items: GroupItem[] = (await findApps(extension)).map((found) => ({
    label: labelOf(found),
    description: descriptionOf(found),
    detail: withHomeAsTilde(found.file.path),
    found,
  }));
  const other: GroupItem = { label: vscode.l10n.t('Choose File…'), iconPath: new vscode.ThemeIcon('folder-opened') };
  const placeHolder =
    items.length === 0
      ? vscode.l10n.t('No servers of other apps were found in their usual locations on this machine.')
      : vscode.l10n.t('Select an app. No server is started.');
  const picked = await vscode.window.showQuickPick([...items, other], {
    title,
    placeHolder,
    matchOnDescription: true,
    matchOnDetail: true,
    ignoreFocusOut: true,
  });
  if (!picked) throw new HostError('cancelled', 'No app was picked.');
  if (!picked.found) return chooseFile(title);
  if ('problem' in picked.found)
    throw new UserError(
      vscode.l10n.t('{0} cannot be imported. {1}', withHomeAsTilde(picked.found.file.path), picked.found.problem),
    );
  return picked.found;
}

function labelOf(found: FoundGroup | UnreadableFile): string {
  const project = 'group' in found ? (found.group.project ?? found.file.folder) : found.file.folder;
  return project === undefined
    ? found.title
    : `${found.title} (${visibleLine(project.split(/[\\/]/).at(-1) ?? project, 60)})`;
}

function descriptionOf(found: FoundGroup | UnreadableFile): string {
  if ('problem' in found) return visibleLine(found.problem, 120);
  const count = found.imported.servers.length;
  return count === 1 ? vscode.l10n.t('1 server') : vscode.l10n.t('{0} servers', count);
}

async function chooseFile(title: string): Promise<FoundGroup> {
  const [uri] =
    (await vscode.window.showOpenDialog({
      title,
      filters: { [vscode.l10n.t('Configuration')]: ['json', 'jsonc', 'yaml', 'yml'] },
    })) ?? [];
  if (!uri) throw new HostError('cancelled', 'No file was chosen.');
  const guess = guessApp(uri.fsPath);
  const items = Object.values(appFormats).map((format) => ({
    label: format.title,
    app: format.id,
    ...(format.id === guess ? { description: vscode.l10n.t('suggested by the file name') } : {}),
  }));
  items.sort((a, b) => Number(b.app === guess) - Number(a.app === guess));
  const picked = await vscode.window.showQuickPick(items, {
    title,
    placeHolder: vscode.l10n.t('Which app does the file belong to?'),
    ignoreFocusOut: true,
  });
  if (!picked) throw new HostError('cancelled', 'No app was picked.');
  return firstGroup(uri.fsPath, picked.app);
}

async function firstGroup(file: string, app: AppId, project?: string): Promise<FoundGroup> {
  const folder = folderOf(file);
  const found = await readFoundFile({ app, path: file, ...(folder === undefined ? {} : { folder }) });
  const [bad] = found.filter((one) => 'problem' in one);
  if (bad) throw new UserError(vscode.l10n.t('{0} cannot be imported. {1}', withHomeAsTilde(file), bad.problem));
  const group = found
    .filter((one) => 'group' in one)
    .find((one) => project === undefined || one.group.project === project);
  if (!group)
    throw new UserError(vscode.l10n.t('{0} contains no servers of {1}.', withHomeAsTilde(file), appFormats[app].title));
  return group;
}

async function pickServers({ imported, title: from }: FoundGroup, title: string): Promise<PortableServer[]> {
  const { servers, losses, unusable } = imported;
  if (servers.length === 0)
    throw new UserError(
      vscode.l10n.t(
        'No server of {0} can be used in MCP Deck. {1}',
        from,
        unusable.map(({ name, reason }) => `${visibleLine(name, 60)}: ${reason}`).join(' '),
      ),
    );
  const items = servers.map((server) => {
    const lost = losses.filter((loss) => loss.server === server.name).length;
    return {
      label: visibleLine(server.name),
      description: visibleLine(whatItRuns(server), 200),
      picked: true,
      server,
      ...(lost === 0
        ? {}
        : {
            detail:
              lost === 1
                ? vscode.l10n.t('1 field cannot be imported unchanged. For details, see the report.')
                : vscode.l10n.t('{0} fields cannot be imported unchanged. For details, see the report.', lost),
          }),
    };
  });
  const picked = await vscode.window.showQuickPick(items, {
    title,
    placeHolder: vscode.l10n.t('Select the servers to import'),
    canPickMany: true,
    ignoreFocusOut: true,
  });
  if (!picked || picked.length === 0) throw new HostError('cancelled', 'No server was picked.');
  return picked.map(({ server }) => server);
}

/**
 * The command line or the URL of a server. Arguments that look like secrets are replaced by dots.
 */
function whatItRuns({ name, fields }: PortableServer): string {
  const hidden = new Set(
    findSecrets([{ name, fields }])
      .filter(({ field }) => field === 'args')
      .map(({ name: index }) => Number(index)),
  );
  const args = Array.isArray(fields['args']) ? (fields['args'] as unknown[]) : [];
  const { command, url } = fields;
  return typeof command === 'string'
    ? [command, ...args.map((arg, index) => (hidden.has(index) ? '•••' : String(arg)))].join(' ')
    : typeof url === 'string'
      ? url
      : '';
}

/** Asks for the target. For servers of a project, the locations in the same project are offered first. */
async function pickPlace(
  title: string,
  servers: readonly PortableServer[],
  folder: string | undefined,
): Promise<OwnPlace> {
  const items = placesFor(folder).map((place) => ({
    label: place.label,
    description: descriptionOfPlace(place),
    place,
  }));
  const placeHolder =
    servers.length === 1
      ? vscode.l10n.t('Where should the server be saved?')
      : vscode.l10n.t('Where should the servers be saved?');
  const picked = await vscode.window.showQuickPick(items, { title, placeHolder, ignoreFocusOut: true });
  if (!picked) throw new HostError('cancelled', 'No place was picked.');
  return picked.place;
}

function placesFor(folder: string | undefined): OwnPlace[] {
  const rank = ({ kind, source }: OwnPlace) =>
    folder === undefined ? 0 : source.folderPath === folder ? 0 : kind === 'user' ? 2 : 1;
  return ownPlaces().sort((one, other) => rank(one) - rank(other));
}

/**
 * Reads the arguments of a script: all or some servers of one file, and one target. By default, secrets are moved to
 * secret storage.
 */
async function readCall(
  { host }: Pick<ExtensionServices, 'host'>,
  call: ArgumentObject<'importServers'>,
): Promise<Choice> {
  const {
    file,
    app = typeof file === 'string' ? guessApp(file) : undefined,
    servers: wanted,
    to,
    secrets = 'move',
    project,
  } = call;
  const isApp = (value: unknown): value is AppId => typeof value === 'string' && Object.hasOwn(appFormats, value);
  if (typeof file !== 'string' || !isApp(app))
    throw new HostError(
      'invalid-arguments',
      vscode.l10n.t(
        'The argument object must contain "file" (a path) and "app" (one of {0}).',
        Object.keys(appFormats).join(', '),
      ),
    );
  const folder = folderOf(file);
  const places = placesFor(folder);
  const place =
    to === undefined
      ? places.find(({ source, kind }) => (folder !== undefined && source.folderPath === folder) || kind === 'user')
      : places.find(({ kind }) => kind === to);
  if (!place)
    throw new HostError(
      'invalid-arguments',
      vscode.l10n.t('"to" must be "user", "vscode", or "portable". The last two need an open folder.'),
    );
  const found = allowedOf(host, await firstGroup(file, app, typeof project === 'string' ? project : undefined));
  const servers = found.imported.servers.filter(({ name }) => !Array.isArray(wanted) || wanted.includes(name));
  return { ...choiceOf(found, servers), place, moved: secrets === 'move' ? findSecrets(servers) : [] };
}

/** Reads the servers in the files of all apps. Leaves out the files that MCP Deck already uses as sources. */
async function findApps(extension: vscode.ExtensionContext): Promise<(FoundGroup | UnreadableFile)[]> {
  const own = new Set(configurationFileSources().map(({ uri }) => uri.fsPath));
  const files = (await appFilesHere(extension)).filter((file) => !own.has(file.path));
  return (await Promise.all(files.map(readFoundFile))).flat();
}

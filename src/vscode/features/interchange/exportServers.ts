import * as vscode from 'vscode';
import { HostError, UserError, messageOf } from '../../../core/base/hostError.js';
import { visibleName } from '../../../core/base/visibleName.js';
import { onStorage } from '../../../core/base/storageFailure.js';
import type { ServerView } from '../../../core/catalog/hostTypes.js';
import { guessApp } from '../../../core/interchange/appFiles.js';
import type { AppFile } from '../../../core/interchange/appFiles.js';
import type { AppId } from '../../../core/interchange/appFormats.js';
import { appFormats } from '../../../core/interchange/appFormats.js';
import { describePortable, portableDefinition } from '../../../core/interchange/portableDefinition.js';
import type { FileWithServers } from '../../../core/interchange/exportFile.js';
import { exportInputs, exportToFile } from '../../../core/interchange/exportFile.js';
import { formatOf } from '../../../core/interchange/importFile.js';
import type { InterchangeReport } from '../../../core/present/documents/interchangeReport.js';
import { exportQuestion } from '../../../core/present/questions/exportQuestion.js';
import type { ServerEntry } from '../../../core/registry/serverEntry.js';
import type { ConfigSource } from '../../../core/config/serverDefinition.js';
import { serverNode } from '../../../core/present/tree/serverNodes.js';
import { namedServer } from '../../ui/chooseServer.js';
import type { ExtensionServices } from '../../ui/services.js';
import { askToWiden } from '../../ui/confirm.js';
import type { Invocation } from '../../ui/invocation.js';
import { auditCallerOf } from '../../ui/invocation.js';
import { plainSecretLosses, plainSecretTexts } from '../../ui/addImported.js';
import { appFilesHere, appFileText, writeAppFile } from '../../ui/appFileText.js';
import { realFile } from '../../ui/realFile.js';
import { knownValues } from '../../ui/homeFolder.js';
import type { Reports } from '../../ui/reports.js';
import { showInterchangeReport } from './showInterchangeReport.js';
import { withHomeAsTilde } from '../../ui/homeFolder.js';

/** "Export Servers…": asks for the servers and the target file. Shows what is written, and what is left out, first. */
export async function exportServers(
  deck: Pick<ExtensionServices, 'consent' | 'extension' | 'host'>,
  reports: Reports,
  invocation: Invocation<'exportServers'>,
): Promise<InterchangeReport> {
  const { call, target } = invocation;
  const title = vscode.l10n.t('Export Servers');
  const views = call
    ? namedViews(deck, call.servers)
    : target?.server !== undefined
      ? [namedServer(deck.host.servers, target.server)]
      : await pickViews(deck, title);
  refuseSameNames(views);
  const chosen = call ? fileOf(call) : await pickFile(deck, title);
  // A link in a repository can lead to a file of the user.
  const file = { ...chosen, path: await realFile(chosen.path) };
  const before = await appFileText(file.path);
  const { text, losses, servers } = exported(file, before, views);
  const written = views.flatMap(({ entry }, index) => (servers[index]?.fields ? [{ entry, ...servers[index] }] : []));
  const names = new Set(written.map(({ entry }) => entry.name));
  const report: InterchangeReport = {
    title: vscode.l10n.t(
      'Servers that were written to {0}: {1} of {2}.',
      withHomeAsTilde(file.path),
      names.size,
      views.length,
    ),
    servers: [...names],
    losses: losses.filter(({ server }) => names.has(server)),
    unusable: losses
      .filter(({ server }) => !names.has(server))
      .map(({ server, message }) => ({ name: server, reason: message })),
  };
  if (names.size === 0) {
    if (!call) await showInterchangeReport(reports, report);
    return report;
  }
  // The user must agree, because the other app may start the servers without asking.
  const { message, detail, whole } = exportQuestion(
    { app: appFormats[file.app].title, file: withHomeAsTilde(file.path) },
    written.map(({ entry, isReplacement }) => ({
      name: entry.name,
      description: describePortable(portableDefinition(entry), entry.inputs, sourceOf(entry)),
      isReplacement,
    })),
    plainSecretTexts(written.map(({ entry }) => portableDefinition(entry))),
    report,
  );
  await askToWiden(deck.consent.audit, invocation, {
    message,
    detail,
    go: title,
    page: 'import-and-export',
    isExpected: true,
    whole: whole === undefined ? undefined : { title, text: whole, texts: reports },
  });
  // Another program may have changed the file in the meantime.
  if ((await appFileText(file.path)) !== before)
    throw new UserError(
      vscode.l10n.t('{0} was changed by another program at the same time. Export again.', withHomeAsTilde(file.path)),
    );
  if (text !== before) {
    await onStorage({ operation: 'write', thing: withHomeAsTilde(file.path), server: report.servers.join(', ') }, () =>
      writeAppFile(file.path, text),
    );
    deck.consent.audit.note({
      event: 'server-exported',
      servers: report.servers,
      to: withHomeAsTilde(file.path),
      caller: auditCallerOf(invocation),
    });
  }
  if (!call) {
    await vscode.window.showTextDocument(vscode.Uri.file(file.path), { preview: true });
    await showInterchangeReport(reports, report);
  }
  return report;
}

/** Servers of different places can have the same name, but the file has one entry for each name. */
function refuseSameNames(views: readonly ServerView[]): void {
  const names = views.map(({ entry }) => entry.name);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined)
    throw new UserError(
      vscode.l10n.t('Two of the servers are named "{0}". Select only one of them.', visibleName(repeated, 60)),
    );
}

/** The source without its folder, because the other app decides about the working directory. */
function sourceOf({ source: { id, kind, label } }: ServerEntry): ConfigSource {
  return { id, kind, label };
}

function exported({ app, path, folder }: AppFile, before: string, views: readonly ServerView[]): FileWithServers {
  const format = formatOf(app, before);
  const servers = views.map(({ entry }) => portableDefinition(entry));
  try {
    const file = exportToFile(format, before, servers, (index) =>
      knownValues(views[index]?.entry.source.folderPath ?? folder),
    );
    const asking = views.flatMap(({ entry: { name, inputs } }, index) => {
      const { fields, continued } = file.servers[index] ?? {};
      return fields ? [{ name, fields, inputs, continued }] : [];
    });
    const asked = format.notation === 'vscode' ? exportInputs(file.text, asking) : { text: file.text, losses: [] };
    return {
      ...file,
      text: asked.text,
      losses: [...plainSecretLosses(servers), ...file.losses, ...asked.losses],
    };
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(
      vscode.l10n.t('{0} cannot be changed: {1} Correct the file first.', withHomeAsTilde(path), messageOf(error)),
    );
  }
}

function namedViews({ host }: Pick<ExtensionServices, 'host'>, names: unknown): ServerView[] {
  if (!Array.isArray(names) || names.length === 0)
    throw new HostError(
      'invalid-arguments',
      vscode.l10n.t('The argument object must contain "servers" (a list of names).'),
    );
  return names.map((name) => namedServer(host.servers, name));
}

function fileOf({
  file,
  app = typeof file === 'string' ? guessApp(file) : undefined,
}: Readonly<Record<string, unknown>>): AppFile {
  if (typeof file !== 'string' || typeof app !== 'string' || !Object.hasOwn(appFormats, app))
    throw new HostError(
      'invalid-arguments',
      vscode.l10n.t(
        'The argument object must contain "file" (a path) and "app" (one of {0}).',
        Object.keys(appFormats).join(', '),
      ),
    );
  return { app: app as AppId, path: file };
}

async function pickViews({ host }: Pick<ExtensionServices, 'host'>, title: string): Promise<ServerView[]> {
  const items = host.servers
    .list()
    .filter(({ entry }) => entry.definition.type !== 'builtin')
    .map((view) => ({
      label: serverNode(view, Date.now()).label,
      description: view.entry.source.label,
      view,
    }));
  if (items.length === 0) throw new UserError(vscode.l10n.t('No configured server can be exported.'));
  const picked = await vscode.window.showQuickPick(items, {
    title,
    placeHolder: vscode.l10n.t('Select the servers to export'),
    canPickMany: true,
    ignoreFocusOut: true,
  });
  if (!picked || picked.length === 0) throw new HostError('cancelled', 'No server was picked.');
  return picked.map(({ view }) => view);
}

async function pickFile({ extension }: Pick<ExtensionServices, 'extension'>, title: string): Promise<AppFile> {
  const files = await Promise.all(
    (await appFilesHere(extension)).map(async (file) => ({ file, isThere: (await appFileText(file.path)) !== '' })),
  );
  const items: (vscode.QuickPickItem & { file?: AppFile })[] = files
    .sort((a, b) => Number(b.isThere) - Number(a.isThere))
    .map(({ file, isThere }) => ({
      label: appFormats[file.app].title,
      description: isThere ? '' : vscode.l10n.t('new file'),
      detail: withHomeAsTilde(file.path),
      file,
    }));
  const picked = await vscode.window.showQuickPick([...items, { label: vscode.l10n.t('Another File…') }], {
    title,
    placeHolder: vscode.l10n.t('Select the target file. Its other content is kept.'),
    matchOnDetail: true,
    ignoreFocusOut: true,
  });
  if (!picked) throw new HostError('cancelled', 'No file was picked.');
  return picked.file ?? (await askFile(title));
}

async function askFile(title: string): Promise<AppFile> {
  const app = await vscode.window.showQuickPick(
    Object.values(appFormats).map((format) => ({ label: format.title, format })),
    { title, placeHolder: vscode.l10n.t('Which app is the file for?'), ignoreFocusOut: true },
  );
  const uri =
    app &&
    (await vscode.window.showSaveDialog({
      title,
      filters: app.format.syntax === 'yaml' ? { YAML: ['yaml'] } : { JSON: ['json'] },
    }));
  if (!app || !uri) throw new HostError('cancelled', 'No file was chosen.');
  return { app: app.format.id, path: uri.fsPath };
}

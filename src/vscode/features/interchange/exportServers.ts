import * as vscode from 'vscode';
import { HostError, UserError, messageOf } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { visibleName } from '../../../core/base/visibleName.js';
import { onStorage } from '../../../core/base/storageFailure.js';
import { parseConfigText } from '../../../core/config/parseConfig.js';
import type { ServerView } from '../../../core/catalog/hostTypes.js';
import { guessApp } from '../../../core/interchange/appFiles.js';
import type { AppFile } from '../../../core/interchange/appFiles.js';
import type { AppId } from '../../../core/interchange/appFormats.js';
import { appFormats } from '../../../core/interchange/appFormats.js';
import { describePortable, portableDefinition } from '../../../core/interchange/portableDefinition.js';
import type { PortableServer } from '../../../core/interchange/portableServer.js';
import type { FileWithServers } from '../../../core/interchange/exportFile.js';
import { exportInputs, exportToFile } from '../../../core/interchange/exportFile.js';
import { formatOf } from '../../../core/interchange/importFile.js';
import type { InterchangeReport } from '../../../core/present/documents/interchangeReport.js';
import { startSections } from '../../../core/present/questions/startQuestion.js';
import { dialogPart } from '../../../core/present/text/lines.js';
import type { ServerEntry } from '../../../core/registry/serverEntry.js';
import { serverNode } from '../../../core/present/tree/serverNodes.js';
import { namedServer } from '../../ui/chooseServer.js';
import type { ExtensionServices } from '../../ui/services.js';
import type { WideningQuestion } from '../../ui/confirm.js';
import { askToWiden } from '../../ui/confirm.js';
import type { Invocation } from '../../ui/invocation.js';
import { auditCallerOf } from '../../ui/invocation.js';
import { plainSecretLosses, plainSecretTexts } from '../../ui/addImported.js';
import { appFilesHere, appFileText, realFile, writeAppFile } from '../../ui/appFileText.js';
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
  const { text, losses, replaced, written } = exported(file, before, views);
  const arrived = views.filter((_view, index) => written[index] !== undefined);
  const names = new Set(arrived.map(({ entry }) => entry.name));
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
  await askToWiden(deck.consent.audit, invocation, question(file, arrived, { report, replaced, reports }));
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

/**
 * VS Code fills in the stored value of an input of the file without asking. Therefore, a server that runs or contacts
 * something else must not use such an input.
 */
function refuseInputsOf(
  before: string,
  servers: readonly { name: string; fields: object; isSameStart: boolean }[],
): void {
  const { inputs } = parseConfigText(before, { id: 'export', kind: 'vscode', label: 'export' });
  for (const { name, fields, isSameStart } of servers) {
    const used = isSameStart ? undefined : inputs.find(({ id }) => JSON.stringify(fields).includes(`\${input:${id}}`));
    if (used)
      throw new UserError(
        vscode.l10n.t(
          'The file has an input "{0}", whose stored value would be sent to "{1}". Rename this input of the server first.',
          visibleName(used.id, 60),
          visibleName(name, 60),
        ),
      );
  }
}

function exported(file: AppFile, before: string, views: readonly ServerView[]): FileWithServers {
  const format = formatOf(file.app, before);
  const servers = views.map(({ entry }) => portableDefinition(entry));
  try {
    const { text, losses, replaced, written, isSameStart } = exportToFile(
      format,
      before,
      servers,
      knownValues(file.folder ?? views[0]?.entry.source.folderPath),
    );
    // Only the inputs that the written fields name are written too, and shown in the question.
    const asking = views.flatMap(({ entry: { name, inputs } }, index) => {
      const fields = written[index];
      return fields ? [{ name, fields, inputs, isSameStart: isSameStart[index] === true }] : [];
    });
    if (format.notation === 'vscode') refuseInputsOf(before, asking);
    const asked = format.notation === 'vscode' ? exportInputs(text, asking) : { text, losses: [] };
    return {
      text: asked.text,
      losses: [...plainSecretLosses(servers), ...losses, ...asked.losses],
      replaced,
      written,
      isSameStart,
    };
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(
      vscode.l10n.t('{0} cannot be changed: {1} Correct the file first.', withHomeAsTilde(file.path), messageOf(error)),
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

/** The question before servers are written: what the app will run, which entries are replaced, and what is left out. */
function question(
  { app, path }: AppFile,
  views: readonly ServerView[],
  { report, replaced, reports }: { report: InterchangeReport; replaced: readonly string[]; reports: Reports },
): WideningQuestion {
  const { title } = appFormats[app];
  const servers = views.map(({ entry }) => portableDefinition(entry));
  const list = (names: readonly string[]) => names.map((name) => visibleName(name, 60)).join(', ');
  const left = [
    ...report.unusable.map(({ name, reason }) => `${visibleName(name, 60)}: ${visibleLine(reason, 300)}`),
    ...report.losses.map(
      ({ server, field, message }) =>
        `${visibleName(server, 60)}, ${visibleLine(field, 120)}: ${visibleLine(message, 300)}`,
    ),
  ];
  const text = [
    vscode.l10n.t('{0} reads this file and might start the servers in it.', title),
    ...(replaced.length > 0 ? [vscode.l10n.t('Entries of the file that are replaced: {0}', list(replaced))] : []),
    ...plainSecretTexts(servers),
    ...servers.map((server, index) => startText(server, views[index]?.entry)),
    ...(left.length > 0 ? [[vscode.l10n.t('Some values cannot be written for {0}:', title), ...left].join('\n')] : []),
  ].join('\n\n');
  const detail = dialogPart(text);
  return {
    message: vscode.l10n.t('Write {0} to {1}?', list(report.servers), visibleLine(withHomeAsTilde(path), 4_000)),
    detail,
    go: vscode.l10n.t('Export Servers'),
    page: 'import-and-export',
    isExpected: true,
    whole: detail === text ? undefined : { title: vscode.l10n.t('Export Servers'), text, texts: reports },
  };
}

/** What MCP Deck runs or contacts for the server. The other app decides about the working directory. */
function startText(server: PortableServer, entry: ServerEntry | undefined): string {
  const { id = '', kind = 'vscode', label = '' } = entry?.source ?? {};
  const description = describePortable(server, entry?.inputs ?? [], { id, kind, label });
  const lines = 'problem' in description ? [description.problem] : startSections(description);
  return [vscode.l10n.t('"{0}" as in MCP Deck:', visibleName(server.name, 60)), ...lines].join('\n');
}

import * as vscode from 'vscode';
import { HostError, UserError, messageOf } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { onStorage } from '../../../core/base/storageFailure.js';
import type { ServerView } from '../../../core/catalog/hostTypes.js';
import { guessApp } from '../../../core/interchange/appFiles.js';
import type { AppFile } from '../../../core/interchange/appFiles.js';
import type { AppId } from '../../../core/interchange/appFormats.js';
import { appFormats } from '../../../core/interchange/appFormats.js';
import { portableDefinition } from '../../../core/interchange/portableDefinition.js';
import type { ExportedFile } from '../../../core/interchange/exportFile.js';
import { exportInputs, exportToFile } from '../../../core/interchange/exportFile.js';
import { formatOf } from '../../../core/interchange/importFile.js';
import type { InterchangeReport } from '../../../core/present/documents/interchangeReport.js';
import { interchangeText } from '../../../core/present/documents/interchangeReport.js';
import { serverNode } from '../../../core/present/tree/serverNodes.js';
import { namedServer } from '../../ui/chooseServer.js';
import type { ExtensionServices } from '../../ui/services.js';
import { askToWiden } from '../../ui/confirm.js';
import type { Invocation } from '../../ui/invocation.js';
import { auditCallerOf } from '../../ui/invocation.js';
import { plainSecretLosses, plainSecretTexts } from '../../ui/addImported.js';
import { appFilesHere, appFileText, writeAppFile } from '../../ui/appFileText.js';
import { knownValues } from '../../ui/homeFolder.js';
import type { Reports } from '../../ui/reports.js';
import { showInterchangeReport } from './showInterchangeReport.js';
import { withHomeAsTilde } from '../../ui/homeFolder.js';
import { showWarning } from '../../adapters/userMessages.js';

/** "Export Servers…": asks for the servers and the target file. Shows the losses before it writes. */
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
  const file = call ? fileOf(call) : await pickFile(deck, title);
  const before = await appFileText(file.path);
  const { text, losses } = exported(file, before, views);
  const arrived = new Set(
    views
      .map(({ entry }) => entry.name)
      .filter((name) => !losses.some(({ server, field }) => server === name && field === '')),
  );
  const report: InterchangeReport = {
    title: vscode.l10n.t(
      'Servers that were written to {0}: {1} of {2}.',
      withHomeAsTilde(file.path),
      arrived.size,
      views.length,
    ),
    servers: [...arrived],
    losses: losses.filter(({ server }) => arrived.has(server)),
    unusable: losses
      .filter(({ server }) => !arrived.has(server))
      .map(({ server, message }) => ({ name: server, reason: message })),
  };
  const isComplete = report.losses.length + report.unusable.length === 0;
  if (call || isComplete) {
    // The user must agree, because the other app may start the servers without asking.
    await askToWiden(deck.consent.audit, invocation, {
      message: vscode.l10n.t(
        'Write {0} to {1}?',
        report.servers.map((name) => visibleLine(name, 60)).join(', '),
        withHomeAsTilde(file.path),
      ),
      detail: [
        vscode.l10n.t('{0} reads this file and might start the servers in it.', appFormats[file.app].title),
        ...plainSecretTexts(views.map(({ entry }) => portableDefinition(entry))),
      ].join('\n\n'),
      go: vscode.l10n.t('Export Servers'),
    });
  } else if (!(await confirm(report, file, reports))) throw new HostError('cancelled', 'Nothing was written.');
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
    if (isComplete) await showInterchangeReport(reports, report);
  }
  return report;
}

function exported(file: AppFile, before: string, views: readonly ServerView[]): ExportedFile {
  const format = formatOf(file.app, before);
  const servers = views.map(({ entry }) => portableDefinition(entry));
  try {
    const { text, losses } = exportToFile(
      format,
      before,
      servers,
      knownValues(file.folder ?? views[0]?.entry.source.folderPath),
    );
    const asked =
      format.notation === 'vscode'
        ? exportInputs(
            text,
            servers.map((server, index) => ({ ...server, inputs: views[index]?.entry.inputs ?? [] })),
          )
        : { text, losses: [] };
    return { text: asked.text, losses: [...plainSecretLosses(servers), ...losses, ...asked.losses] };
  } catch (error) {
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
    placeHolder: vscode.l10n.t('Select the servers.'),
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

/** Maximum number of values that the question lists. Readable secrets are the first ones. */
const maxShownLines = 12;

async function confirm(report: InterchangeReport, file: AppFile, reports: Reports): Promise<boolean> {
  const look: vscode.MessageItem = { title: vscode.l10n.t('Show Report') };
  const go: vscode.MessageItem = { title: vscode.l10n.t('Write File') };
  const lines = [
    ...report.unusable.map(({ name, reason }) => `${name}: ${reason}`),
    ...report.losses.map(({ server, field, message }) => `${server}, ${field}: ${message}`),
  ];
  const more = lines.length - maxShownLines;
  const detail = [
    ...lines.slice(0, maxShownLines),
    ...(more > 0 ? [vscode.l10n.t('Number of further lines in the report: {0}', more)] : []),
  ].join('\n');
  const answer = await showWarning(
    vscode.l10n.t('Some values cannot be written for {0}. Write the others?', appFormats[file.app].title),
    { modal: true, detail },
    look,
    go,
  );
  if (answer === look)
    await reports.show(
      vscode.l10n.t('Server Report'),
      interchangeText({
        ...report,
        title: vscode.l10n.t(
          'Nothing was written yet. The following parts cannot be written to {0} unchanged:',
          withHomeAsTilde(file.path),
        ),
      }),
    );
  return answer === go;
}

import path from 'node:path';
import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import { HostError, UserError } from '../../../core/base/hostError.js';
import { onStorage } from '../../../core/base/storageFailure.js';
import { fileNameOf } from '../../../core/present/text/fileName.js';
import { readTraceFile, traceLines, writeTraceFile } from '../../../core/trace/traceFile.js';
import { askToWrite } from '../../ui/confirm.js';
import { chooseServer, namedServer } from '../../ui/chooseServer.js';
import type { ExtensionServices, Feature } from '../../ui/services.js';
import type { ArgumentObject, Invocation } from '../../ui/invocation.js';
import { commandIds, traceViewId } from '../../manifest.js';
import { withProgress } from '../../adapters/userMessages.js';

const extension = 'jsonl';

/** The commands of the Trace view. */
export const traceFeature: Feature = {
  name: 'trace',
  register(deck): Disposable {
    const { commands } = deck;
    const store = new DisposableStore();
    store.add(commands.defineCommand(commandIds.showTrace, (invocation) => showTrace(deck, invocation)));
    store.add(commands.defineCommand(commandIds.chooseTraceServer, () => showTrace(deck, {})));
    store.add(
      commands.defineCommand(commandIds.startTrace, async (invocation) =>
        deck.host.traces.start(await serverOf(deck, invocation)),
      ),
    );
    store.add(
      commands.defineCommand(commandIds.stopTrace, async (invocation) =>
        deck.host.traces.stop(await serverOf(deck, invocation)),
      ),
    );
    store.add(
      commands.defineCommand(commandIds.clearTrace, async (invocation) =>
        deck.host.traces.log(await serverOf(deck, invocation))?.clear(),
      ),
    );
    store.add(commands.defineCommand(commandIds.exportTrace, (invocation) => exportTrace(deck, invocation)));
    store.add(commands.defineCommand(commandIds.openTrace, ({ call }) => openTrace(deck, call)));
    return store;
  },
};

/** Shows the trace of a server and starts to capture messages. */
async function showTrace(deck: Pick<ExtensionServices, 'host' | 'trace'>, invocation: Invocation): Promise<void> {
  const view = await chooseServer(deck.host.servers, invocation, {
    title: vscode.l10n.t('Show Trace'),
    isCandidate: ({ entry }) => entry.isEnabled,
    noneMessage: vscode.l10n.t('No server is enabled.'),
  });
  deck.host.traces.start(view.id);
  deck.trace.showServer(view.id);
  await vscode.commands.executeCommand(`${traceViewId}.focus`);
}

/** The server that the call specifies, that the user clicked, that the view shows, or that the user selects. */
async function serverOf(deck: Pick<ExtensionServices, 'host' | 'trace'>, invocation: Invocation): Promise<string> {
  const { server } = deck.trace;
  if (server !== undefined && !invocation.call && invocation.target?.server === undefined) return server;
  const view = await chooseServer(deck.host.servers, invocation, {
    title: vscode.l10n.t('Select a Server'),
    isCandidate: ({ entry }) => entry.isEnabled,
    noneMessage: vscode.l10n.t('No server is enabled.'),
  });
  return view.id;
}

async function exportTrace(
  { host, trace, consent }: Pick<ExtensionServices, 'consent' | 'host' | 'trace'>,
  invocation: Invocation<'exportTrace'>,
): Promise<void> {
  const { call } = invocation;
  if (call) {
    const { id } = namedServer(host.servers, call.server);
    const log = host.traces.log(id);
    if (!log)
      throw new HostError('invalid-arguments', vscode.l10n.t('No messages of "{0}" were captured.', id), {
        data: { isComplete: true },
        hint: vscode.l10n.t('Start tracing the server first.'),
      });
    const file = fileArgument(call.file);
    await askToWrite(consent.audit, invocation, file);
    return onStorage({ operation: 'write', thing: file, server: id }, () =>
      writeTraceFile(file, traceLines(log, id, host.servers.secretValues(id))),
    );
  }
  const shown = trace.exported;
  if (!shown) throw new UserError(vscode.l10n.t('There is nothing to export yet. Start tracing a server first.'));
  if (shown.log.end === shown.log.first)
    throw new UserError(vscode.l10n.t('There is nothing to export yet. No message was traced.'));
  const name = `${fileNameOf(shown.name)}-trace.${extension}`;
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  const target = await vscode.window.showSaveDialog({
    defaultUri: folder ? vscode.Uri.joinPath(folder.uri, name) : vscode.Uri.file(name),
    filters: filters(),
    title: vscode.l10n.t('Export Trace'),
  });
  if (!target) return;
  await onStorage({ operation: 'write', thing: target.fsPath, server: shown.name }, () =>
    writeTraceFile(target.fsPath, traceLines(shown.log, shown.name, shown.secrets)),
  );
  vscode.window.setStatusBarMessage(
    vscode.l10n.t('Exported messages, without secrets: {0}', shown.log.end - shown.log.first),
    5_000,
  );
}

async function openTrace(
  deck: Pick<ExtensionServices, 'trace'>,
  call: ArgumentObject<'openTrace'> | undefined,
): Promise<void> {
  const file = call ? fileArgument(call.file) : await askForFile();
  if (file === undefined) return;
  const reading = await withProgress(
    { location: vscode.ProgressLocation.Window, title: vscode.l10n.t('Reading the trace…') },
    () => onStorage({ operation: 'read', thing: file }, () => readTraceFile(file)),
  );
  deck.trace.showFile(path.basename(file), reading);
  await vscode.commands.executeCommand(`${traceViewId}.focus`);
}

async function askForFile(): Promise<string | undefined> {
  const [picked] =
    (await vscode.window.showOpenDialog({
      canSelectMany: false,
      filters: filters(),
      title: vscode.l10n.t('Open Trace'),
    })) ?? [];
  return picked?.fsPath;
}

function filters(): Record<string, string[]> {
  return { [vscode.l10n.t('Traces')]: [extension], [vscode.l10n.t('All Files')]: ['*'] };
}

function fileArgument(file: unknown): string {
  if (typeof file === 'string' && path.isAbsolute(file)) return file;
  throw new HostError(
    'invalid-arguments',
    vscode.l10n.t('The argument object must contain "file" (an absolute path).'),
  );
}

import path from 'node:path';
import * as vscode from 'vscode';
import { UserError } from '../../core/base/hostError.js';
import { visibleLine } from '../../core/base/hostileText.js';
import { csvFile, csvRows, isTabular } from '../../core/present/text/csv.js';
import { fileNameOf } from '../../core/present/text/fileName.js';
import { beginningOf, jsonPieces } from '../../core/present/text/jsonPieces.js';
import { jsonOf, exactValueAt } from '../../core/present/result/resultSource.js';
import type { PresentedResult, ResultDocument } from '../../core/present/result/resultPage.js';
import { presentToolResult } from '../../core/present/result/toolResult.js';
import { pathText } from '../../shared/result/resultModel.js';
import type { JsonPath } from '../../shared/result/resultModel.js';
import type { JsonSource, ResultRequest } from '../../shared/result/resultRequest.js';
import type { ExtensionServices } from './services.js';
import { userChoice } from './invocation.js';
import { commandIds } from '../manifest.js';
import { compareRuns } from './compareRuns.js';
import { storedResult, toolCall } from './shownRun.js';
import type { KeptRun } from '../../core/runs/runLog.js';
import { makeFolder, onFile, writeWholeFile } from '../adapters/storage.js';
import { writePieces } from '../adapters/writePieces.js';
import { openLink } from './openLink.js';
import { extensionOf } from '../adapters/resultFolder.js';

/** Maximum length of text that can be copied to the clipboard, in characters. */
const maxCopiedLength = 8 * 1024 * 1024;

/** A result, and the data that its buttons need. */
export interface ShownResult extends Pick<KeptRun, 'id' | 'server' | 'result'> {
  /** The name of the tool, prompt or resource. */
  name: string;
  /** The raw request and response of the protocol. */
  raw: { request: unknown; response: unknown };
  /** Presents the whole result, or one part of it. */
  presented: (part: number | undefined) => PresentedResult;
}

/**
 * Handles the buttons of a result. The page sends only the ID of a run and a position in the result. All content comes
 * from the run itself.
 */
export function actOnResult(
  deck: Pick<ExtensionServices, 'apps' | 'funnel' | 'results' | 'runLog'>,
  request: ResultRequest,
): void {
  const failed = deck.runLog.findFailed(request.id);
  if (failed) {
    const { id, server, tool, response } = failed;
    actOnRaw(deck, request, { id, target: { server, id: tool }, request: toolCall(failed), response });
    return;
  }
  findRun(deck, request.id)
    .then((run) => performOnResult(deck, request, run))
    .catch((error: unknown) => deck.funnel.show(error, deck.runLog.history.run(request.id)?.server));
}

/** The result of a run of this window, or the stored text of an earlier run. Undefined if neither exists. */
async function findRun({ runLog }: Pick<ExtensionServices, 'runLog'>, id: string): Promise<ShownResult | undefined> {
  const kept = runLog.find(id);
  if (kept) return shownRun(kept);
  const record = runLog.history.run(id);
  return record && shownRun({ ...record, result: (await storedResult(runLog, record)).result });
}

/** A call without a result: the request, and the response if there was one. */
export interface RawCall {
  id: string;
  target: { server: string; id: string };
  request: unknown;
  response: unknown;
}

/** Handles the buttons of a call without a result. Only the raw request and response are available. */
export function actOnRaw(
  deck: Pick<ExtensionServices, 'apps' | 'funnel' | 'results' | 'runLog'>,
  request: ResultRequest,
  { id, target, request: sent, response }: RawCall,
): void {
  const nothing = { server: target.server, name: target.id, result: { content: [] } };
  const shown: ShownResult = {
    ...nothing,
    id,
    raw: { request: sent, response },
    presented: (part) => presentedBlocks(nothing, part),
  };
  performOnResult(deck, request, request.id === id ? shown : undefined).catch((error: unknown) =>
    deck.funnel.show(error, target.server),
  );
}

/** Performs an action on a result. Rejects with the error to show to the user. */
export async function performOnResult(
  deck: Pick<ExtensionServices, 'apps' | 'results' | 'runLog'>,
  request: ResultRequest,
  run: ShownResult | undefined,
): Promise<void> {
  if (request.type === 'openLink') return openLink(request.href, run?.server);
  if (request.type === 'answerRequest') {
    const target = { request: request.request };
    await vscode.commands.executeCommand(commandIds.answerRequest, userChoice(commandIds.answerRequest, target));
    return;
  }
  if (!run)
    throw new UserError(
      vscode.l10n.t(
        'This result is no longer available, because a window keeps only the latest results. Run the tool again.',
      ),
    );
  switch (request.type) {
    case 'openInEditor':
      return deck.results.open(run.presented(request.part));
    case 'openStructured':
      return deck.results.open({ ...shell(run), document: jsonDocument(run.result.structuredContent) });
    case 'openRaw':
      return deck.results.open({ ...shell(run), document: jsonDocument(run.raw[request.what]) });
    case 'copyRaw':
      return copyText(jsonPieces(run.raw[request.what]));
    case 'copy':
      return copyResult(run.presented(request.part));
    case 'copyJson':
      if (request.what === 'path') return copyText([pathText(request.path)]);
      return copyValue(valueIn(run, request.source, request.path));
    case 'exportTable':
      return exportTable(run, valueIn(run, request.source, request.path), request.path, request.to);
    case 'saveAs':
      return saveAs(run.server, run.presented(request.part));
    case 'compareWithPrevious':
      return compareRuns(deck, await previousId(deck, run), run.id);
    case 'insertAtCursor':
    case 'sendToChat':
      // These buttons exist only for prompts; see promptActions.ts.
      return;
    case 'showLog':
      await vscode.commands.executeCommand(commandIds.showLog, { server: run.server });
      return;
    case 'openApp': {
      const kept = deck.runLog.find(run.id);
      if (kept) deck.apps.show(kept);
      return;
    }
    case 'openResource': {
      const block = run.result.content[request.part];
      if (block?.type !== 'resource_link') return;
      // The command reads the resource from the server that sent the link. The URI itself is never opened.
      await vscode.commands.executeCommand(
        commandIds.readResource,
        userChoice(commandIds.readResource, { server: run.server, uri: block.uri }),
      );
    }
  }
}

function shownRun(run: KeptRun): ShownResult {
  const { result, server, tool } = run;
  return {
    ...run,
    name: tool,
    raw: { request: toolCall(run), response: result },
    presented: (part) => presentedBlocks({ server, name: tool, result }, part),
  };
}

/** Presents the content of a result, or one content block of it. */
export function presentedBlocks(
  { result, server, name }: Pick<ShownResult, 'result' | 'server' | 'name'>,
  part: number | undefined,
): PresentedResult {
  const block = part === undefined ? undefined : result.content[part];
  return presentToolResult(block ? { content: [block] } : result, { server, tool: name });
}

function shell({ name }: ShownResult): Omit<PresentedResult, 'document'> {
  return { title: vscode.l10n.t('{0} - result', visibleLine(name, 80)), isError: false, summary: '', files: [] };
}

function jsonDocument(value: unknown): ResultDocument {
  const beginning = beginningOf(jsonPieces(value), maxVirtual);
  return {
    languageId: 'json',
    length: beginning.isWhole ? beginning.text.length : Infinity,
    pieces: () => jsonPieces(value),
  };
}

/** Maximum length of a document that is not written to a file, in characters. */
const maxVirtual = 1 << 20;

function valueIn({ result }: ShownResult, source: JsonSource, path: JsonPath): unknown {
  return exactValueAt(jsonOf(result, source), path);
}

/** Copies text to the clipboard and shows a confirmation. Rejects if the text is too large. */
export async function copyText(pieces: Iterable<string>): Promise<void> {
  const { text, isWhole } = beginningOf(pieces, maxCopiedLength);
  if (!isWhole)
    throw new UserError(vscode.l10n.t('This content is too large for the clipboard. Save it as a file instead.'));
  await vscode.env.clipboard.writeText(text);
  vscode.window.setStatusBarMessage(vscode.l10n.t('Copied'), 2_000);
}

function copyResult({ document }: PresentedResult): Promise<void> {
  if (!document)
    throw new UserError(vscode.l10n.t('This result has no text to copy. Save the result as a file instead.'));
  return copyText(document.pieces());
}

function copyValue(value: unknown): Promise<void> {
  // A string is copied unchanged, and any other value as JSON.
  return copyText(typeof value === 'string' ? [value] : jsonPieces(value));
}

async function exportTable(
  { server, name: tool }: ShownResult,
  value: unknown,
  place: JsonPath,
  to: 'file' | 'clipboard',
): Promise<void> {
  if (!isTabular(value)) throw new UserError(vscode.l10n.t('There is no table at this location.'));
  if (to === 'clipboard') return copyText(csvRows(value, { separator: '\t' }));
  const rows = csvFile(value);
  const name = [tool, ...place.map(String)].join(' ');
  const target = await askWhere(`${fileNameOf(name)}.csv`, { CSV: ['csv'] });
  if (target) await onFile('write', target, server, () => write(target, rows));
}

async function saveAs(server: string, { title, document, files }: PresentedResult): Promise<void> {
  const [first, ...others] = files;
  if (document && first) {
    const [folder] =
      (await vscode.window.showOpenDialog({
        canSelectFiles: false,
        canSelectFolders: true,
        title: vscode.l10n.t('Folder for the Files of This Result'),
        openLabel: vscode.l10n.t('Save Here'),
      })) ?? [];
    if (!folder) return;
    const target = vscode.Uri.joinPath(folder, `${fileNameOf(title)} ${Date.now()}`);
    await makeFolder(target, server);
    await onFile('write', target, server, () =>
      write(vscode.Uri.joinPath(target, `${fileNameOf(title)}.${extensionOf(document.languageId)}`), document.pieces()),
    );
    for (const file of [first, ...others])
      await writeWholeFile(vscode.Uri.joinPath(target, file.name), file.bytes, server);
    return;
  }
  if (document) {
    const target = await askWhere(`${fileNameOf(title)}.${extensionOf(document.languageId)}`);
    if (target) await onFile('write', target, server, () => write(target, document.pieces()));
    return;
  }
  if (!first) return;
  const target = await askWhere(first.name);
  if (target) await writeWholeFile(target, first.bytes, server);
}

function askWhere(name: string, filters?: Record<string, string[]>): Thenable<vscode.Uri | undefined> {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  const defaultUri = folder ? vscode.Uri.joinPath(folder.uri, name) : vscode.Uri.file(name);
  return vscode.window.showSaveDialog({ defaultUri, ...(filters ? { filters } : {}) });
}

/** Writes a file in pieces. A file system without streams gets the whole text at once. */
async function write(target: vscode.Uri, pieces: Iterable<string>): Promise<void> {
  if (target.scheme !== 'file') {
    await vscode.workspace.fs.writeFile(target, new TextEncoder().encode([...pieces].join('')));
    return;
  }
  await writePieces(path.normalize(target.fsPath), pieces, 0o644);
}

async function previousId({ runLog }: Pick<ExtensionServices, 'runLog'>, run: ShownResult): Promise<string> {
  await runLog.history.whenRead();
  const { startedAt } = runLog.history.run(run.id) ?? { startedAt: Infinity };
  const previous = runLog.history.previousOf(run.server, run.name, startedAt);
  if (!previous) throw new UserError(vscode.l10n.t('The previous run is no longer in the history.'));
  return previous.id;
}

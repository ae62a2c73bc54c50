import path from 'node:path';
import * as vscode from 'vscode';
import { slugOf } from '../../../core/base/freeName.js';
import { isObject } from '../../../core/base/guards.js';
import { HostError, UserError } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { tracedCall } from '../../../core/present/documents/tracedCall.js';
import type { RunRecord } from '../../../core/runs/runRecord.js';
import type { RecordedCase } from '../../../core/testing/newCase.js';
import { writeWholeFile } from '../../adapters/storage.js';
import { showInformation } from '../../adapters/userMessages.js';
import type { ReadFile } from '../../../core/testing/testModel.js';
import { chooseRun } from '../../ui/chooseRun.js';
import type { Invocation } from '../../ui/invocation.js';
import type { ExtensionServices } from '../../ui/services.js';
import { storedResult } from '../../ui/shownRun.js';
import type { TestReader } from './testFiles.js';
import { findTestFiles, textOfTest, unsavedDocument } from './testFiles.js';

type Services = Pick<ExtensionServices, 'host' | 'runLog' | 'trace'>;

/** A call with its result, and the names of the arguments that are not stored. */
type ChosenCall = RecordedCase & { omitted: readonly string[] };

/**
 * Adds a run, or a call in the trace that is shown, as a case to a test file that the user selects, and shows the case.
 * Secrets are left out.
 */
export async function saveAsTest(
  deck: Services,
  reader: TestReader,
  invocation: Invocation<'saveAsTest'>,
): Promise<void> {
  const chosen = await chosenCall(deck, invocation);
  const uri = await chooseFile(chosen, reader);
  const secrets = deck.host.servers.secretValues(chosen.server);
  const { editor, line, omitted } = await ((await exists(uri)) ? addedToFile : writtenToFile)(
    reader,
    uri,
    chosen,
    secrets,
  );
  const position = new vscode.Position(line - 1, 0);
  editor.selection = new vscode.Selection(position, position);
  editor.revealRange(new vscode.Range(position, position), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  const left = [...chosen.omitted, ...omitted];
  if (left.length > 0)
    void showInformation(
      vscode.l10n.t(
        'These arguments are not in the test, because they are secret or too large: {0}. Add them with environment variables, such as {1}.',
        left.map((name) => visibleLine(name, 60)).join(', '),
        '${env:NAME}',
      ),
    );
}

interface SavedCase {
  editor: vscode.TextEditor;
  /** Line of the case, starting at 1. */
  line: number;
  omitted: readonly string[];
}

async function writtenToFile(
  reader: TestReader,
  uri: vscode.Uri,
  chosen: ChosenCall,
  secrets: readonly string[],
): Promise<SavedCase> {
  const { text, ...added } = await reader.withNewCase(undefined, uri, chosen, secrets);
  await writeWholeFile(uri, Buffer.from(text));
  return { ...added, editor: await vscode.window.showTextDocument(uri) };
}

/** Maximum number of times that a file is read again, because it changed before the case was added. */
const maxAttempts = 5;

async function addedToFile(
  reader: TestReader,
  uri: vscode.Uri,
  chosen: ChosenCall,
  secrets: readonly string[],
): Promise<SavedCase> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const before = await textOfTest(uri);
    const { text, ...added } = await reader.withNewCase(before, uri, chosen, secrets);
    if ((await textOfTest(uri)) !== before) continue;
    const unsaved = unsavedDocument(uri);
    // A document without unsaved changes can be older than the file, and VS Code would not save it.
    if (!unsaved) await writeWholeFile(uri, Buffer.from(text));
    else if (!(await savedInEditor(unsaved, before, text))) continue;
    return { ...added, editor: await vscode.window.showTextDocument(uri) };
  }
  throw new UserError(
    vscode.l10n.t(
      '{0} was changed by another program at the same time. Save the test again.',
      visibleLine(vscode.workspace.asRelativePath(uri), 200),
    ),
  );
}

/** Replaces the text of an editor and saves it. False if the text has changed in the meantime. */
async function savedInEditor(document: vscode.TextDocument, before: string, text: string): Promise<boolean> {
  const editor = await vscode.window.showTextDocument(document);
  const whole = document.validateRange(new vscode.Range(0, 0, document.lineCount, 0));
  // The user can type at any time. Then VS Code refuses the edit.
  if (document.getText() !== before || !(await editor.edit((edit) => edit.replace(whole, text)))) return false;
  if (await document.save()) return true;
  throw new UserError(
    vscode.l10n.t(
      '{0} was not saved. To keep the new test, save the file.',
      visibleLine(vscode.workspace.asRelativePath(document.uri), 200),
    ),
  );
}

async function chosenCall(deck: Services, invocation: Invocation<'saveAsTest'>): Promise<ChosenCall> {
  const { target } = invocation;
  if (target?.message !== undefined) return callOfTrace(deck, target.message);
  const run = await chooseRun(deck, invocation, vscode.l10n.t('Save as Test'));
  return { ...(await callOfRun(deck, run)), omitted: run.omitted };
}

function callOfTrace({ trace }: Services, message: number): ChosenCall {
  const shown = trace.exported;
  const call = shown && tracedCall(shown.log, message, shown.log.redactor(shown.secrets));
  if (!call) throw new UserError(vscode.l10n.t('This call is no longer stored, or it has no result.'));
  const { tool, arguments: values, result } = call;
  const content = Array.isArray(result['content']) ? (result['content'] as unknown[]) : [];
  const texts = content.flatMap((part) =>
    isObject(part) && part['type'] === 'text' && typeof part['text'] === 'string' ? [part['text']] : [],
  );
  return {
    server: shown.name,
    tool,
    arguments: values,
    isError: result['isError'] === true,
    structured: result['structuredContent'],
    text: texts.join('\n'),
    omitted: [],
  };
}

/** The call with its result: the whole result if this window has it, otherwise the stored text. */
async function callOfRun({ runLog }: Services, run: RunRecord): Promise<RecordedCase> {
  const { server, tool } = run;
  const kept = runLog.find(run.id);
  const { result, isWhole } = kept ? { result: kept.result, isWhole: true } : await storedResult(runLog, run);
  const texts = result.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return {
    server,
    tool,
    arguments: run.arguments,
    isError: result.isError === true || run.outcome === 'error',
    structured: result.structuredContent,
    text: isWhole ? texts.join('\n') : undefined,
  };
}

/** Asks for a test file of the server, or for a new file. */
async function chooseFile({ server }: ChosenCall, reader: TestReader): Promise<vscode.Uri> {
  // Reads the files one after the other, so that their texts are not all in memory at the same time.
  const found: { uri: vscode.Uri; read: ReadFile }[] = [];
  for (const uri of await findTestFiles()) found.push({ uri, read: (await reader.read(uri)).read });
  const fitting = found.filter(
    ({ read }) => 'test' in read && read.test.server && 'name' in read.test.server && read.test.server.name === server,
  );
  const items: (vscode.QuickPickItem & { uri?: vscode.Uri })[] = [
    ...fitting.map(({ uri }) => ({ label: visibleLine(vscode.workspace.asRelativePath(uri), 200), uri })),
    { label: `$(new-file) ${vscode.l10n.t('New File…')}` },
  ];
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Save as Test'),
    placeHolder: vscode.l10n.t('Select a test file of "{0}", or a new file', visibleLine(server, 60)),
  });
  if (!picked) throw new HostError('cancelled', 'No file was picked.');
  const uri = picked.uri ?? (await chooseNewFile(server));
  if (!uri) throw new HostError('cancelled', 'No file was chosen.');
  return uri;
}

function chooseNewFile(server: string): Thenable<vscode.Uri | undefined> {
  const name = `${slugOf(server) || 'server'}.mcptest.yaml`;
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  return vscode.window
    .showSaveDialog({
      defaultUri: folder ? vscode.Uri.joinPath(folder.uri, name) : vscode.Uri.file(path.resolve(name)),
      // If the filter were "mcptest.yaml", VS Code's own dialog would append that extension a second time.
      filters: { [vscode.l10n.t('Tests of Servers')]: ['yaml'] },
      title: vscode.l10n.t('Save as Test'),
    })
    .then((uri) =>
      !uri || /\.mcptest\.(?:ya?ml|json)$/.test(uri.path)
        ? uri
        : uri.with({ path: `${uri.path.replace(/\.ya?ml$/, '')}.mcptest.yaml` }),
    );
}

function exists(uri: vscode.Uri): Thenable<boolean> {
  return vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
}

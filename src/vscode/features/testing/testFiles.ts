import { isUtf8 } from 'node:buffer';
import path from 'node:path';
import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { UserError, messageOf } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { readBytesUpTo } from '../../../core/config/smallFile.js';
import { receiveFile } from '../../../core/testing/filePieces.js';
import type { ParsedFile } from '../../../core/testing/readTestFile.js';
import type { NewCase, RecordedCase } from '../../../core/testing/newCase.js';
import type { ReadWorkerAnswer, ReadWorkerRequest } from '../../../core/testing/readWorker.js';
import type { ReadFile } from '../../../core/testing/testModel.js';
import type { FileProblem } from '../../../core/testing/yamlTree.js';
import { foldersWithoutTests, testFilePattern } from '../../manifest.js';
import { WorkerCalls } from '../../ui/workerCalls.js';

/** Maximum number of files that are listed. */
const maxFiles = 2_000;
/** Maximum size of a file, in bytes. In addition, the reader limits the number of characters. */
const maxBytes = 4_000_000;

/** The test files of the workspace, including those that version control ignores. */
export async function findTestFiles(token?: vscode.CancellationToken): Promise<vscode.Uri[]> {
  const found = await vscode.workspace.findFiles(testFilePattern, foldersWithoutTests, maxFiles, token);
  return found.filter(isTestFile);
}

/** Whether a file is a test file that the Test Explorer lists. Only files on this machine can run. */
export function isTestFile({ scheme, path }: vscode.Uri): boolean {
  return scheme === 'file' && /\.mcptest\.(?:ya?ml|json)$/.test(path) && !/\/(?:node_modules|\.git)\//.test(path);
}

/** The text of a file: from its editor if that has unsaved changes, otherwise from disk, where it must be UTF-8. */
export async function textOfTest(uri: vscode.Uri): Promise<string> {
  const unsaved = unsavedDocument(uri);
  if (unsaved) return unsaved.getText();
  const bytes = await readBytesUpTo(uri.fsPath, maxBytes);
  if (isUtf8(bytes)) return bytes.toString('utf8');
  const name = visibleLine(vscode.workspace.asRelativePath(uri), 200);
  throw new UserError(vscode.l10n.t('{0} is not valid UTF-8. Save the file in that encoding.', name));
}

/** The document of a file that has unsaved changes in its editor. */
export function unsavedDocument(uri: vscode.Uri): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((one) => one.isDirty && one.uri.toString() === uri.toString());
}

/** Reads and changes test files in a worker thread. */
export class TestReader implements Disposable {
  private readonly worker: WorkerCalls<ReadWorkerRequest, ReadWorkerAnswer>;

  constructor({ extensionPath }: Pick<vscode.ExtensionContext, 'extensionPath'>) {
    const file = path.join(extensionPath, 'dist', 'lib', 'testReader.js');
    this.worker = new WorkerCalls(file, 'The test file was not read in time.', vscode.l10n.bundle);
  }

  /** Reads a test file. A file that cannot be read has one problem. */
  async read(uri: vscode.Uri): Promise<{ read: ReadFile; lineCount: number }> {
    try {
      const text = await textOfTest(uri);
      const { read } = await this.parsed({ text, file: uri.fsPath, hasRoot: false });
      return { read, lineCount: text.split('\n').length };
    } catch (error) {
      return { read: { problems: [{ line: 1, column: 1, message: messageOf(error) }] }, lineCount: 1 };
    }
  }

  /** The tests of an open file, or its problems, with its values and their positions. */
  parse(document: vscode.TextDocument): Promise<ParsedFile> {
    return this.parsed({ text: document.getText(), file: document.uri.fsPath, hasRoot: true });
  }

  /**
   * Adds a case to the text of a file; see `withNewCase`.
   *
   * @param text undefined for a new file.
   */
  async withNewCase(
    text: string | undefined,
    uri: vscode.Uri,
    recorded: RecordedCase,
    secrets: readonly string[],
  ): Promise<NewCase> {
    const answer = await this.worker.call({ kind: 'add', text, file: uri.fsPath, recorded, secrets });
    if ('added' in answer) return answer.added;
    throw new UserError('refused' in answer ? answer.refused : '');
  }

  dispose(): void {
    this.worker.dispose();
  }

  private async parsed(file: { text: string; file: string; hasRoot: boolean }): Promise<ParsedFile> {
    const answer = await this.worker.call({ kind: 'read', ...file });
    if (!('file' in answer)) throw new Error('The file was not read.');
    return receiveFile(answer.file);
  }
}

/** The problems of a file as one text. */
export function problemsText(problems: readonly FileProblem[]): string {
  const shown = problems.slice(0, 10).map(({ line, message }) => vscode.l10n.t('Line {0}: {1}', line, message));
  return [...shown, ...(problems.length > shown.length ? ['…'] : [])].join('\n');
}

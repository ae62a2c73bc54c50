import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import type { CommandId } from '../../manifest.js';
import { commandIds, requestScheme } from '../../manifest.js';
import { withLanguage } from '../../ui/safeLanguage.js';
import type { TitleButtons } from '../../ui/titleButtons.js';
import { queryWith } from '../../ui/titleButtons.js';

/**
 * The role of a document: it contains the request (`asked`) or the response (`answer`). The role is the first folder of
 * the document's path, so that `when` clauses can use it.
 */
export type DocumentRole = 'asked' | 'answer';

/** The buttons in the title of a document. If the user pressed one of them, its command skips the question. */
const buttonsOf: Record<DocumentRole, readonly CommandId[]> = {
  asked: [commandIds.approveSampling],
  answer: [commandIds.sendAnswer],
};

/** Stores the documents of requests that are under review. They are stored only in memory. */
export class RequestDocuments implements vscode.FileSystemProvider, Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new vscode.EventEmitter<vscode.FileChangeEvent[]>());
  readonly onDidChangeFile = this.changed.event;
  private readonly files = new Map<string, { bytes: Uint8Array; mtime: number }>();
  /** The tokens of open documents, by path. */
  private readonly tokens = new Map<string, string>();

  constructor(private readonly buttons: TitleButtons) {
    this.store.add(vscode.workspace.registerFileSystemProvider(requestScheme, this, { isCaseSensitive: true }));
  }

  /** Opens a document beside the active editor. */
  async open(request: string, role: DocumentRole, title: string, text: string): Promise<void> {
    const uri = vscode.Uri.from({
      scheme: requestScheme,
      path: `/${role}/${request}/${title.replace(/[\\/:*?"<>|\s]+/g, ' ').trim()}.md`,
    });
    const isNew = !this.files.has(uri.path);
    if (isNew) this.files.set(uri.path, { bytes: Buffer.from(text), mtime: Date.now() });
    const token = this.tokens.get(uri.path) ?? this.buttons.issue(buttonsOf[role], { request });
    this.tokens.set(uri.path, token);
    const document = await vscode.workspace.openTextDocument(uri.with({ query: queryWith({}, token) }));
    const editor = await vscode.window.showTextDocument(await withLanguage(document, 'markdown'), { preview: false });
    // The request may have ended while its document was opened.
    if (!this.files.has(uri.path))
      return closeTabs((shown) => shown.scheme === requestScheme && shown.path === uri.path);
    if (!isNew || role !== 'answer') return;
    // The cursor is placed below the marker line, where the user writes the answer.
    const end = editor.document.lineAt(editor.document.lineCount - 1).range.end;
    editor.selection = new vscode.Selection(end, end);
  }

  /** The text in the editor, saved or not. Undefined if the document was closed. */
  textOf(request: string, role: DocumentRole): string | undefined {
    const document = vscode.workspace.textDocuments.find(({ uri, isClosed }) => !isClosed && isOf(uri, request, role));
    return document?.getText();
  }

  /** Closes the documents of a request and deletes them. */
  async close(request: string, role?: DocumentRole): Promise<void> {
    const isMine = (uri: vscode.Uri) => isOf(uri, request, 'asked') || isOf(uri, request, 'answer');
    const isWanted = (uri: vscode.Uri) => (role === undefined ? isMine(uri) : isOf(uri, request, role));
    for (const document of vscode.workspace.textDocuments)
      if (document.isDirty && isWanted(document.uri)) await document.save();
    await closeTabs(isWanted);
    for (const path of [...this.files.keys()]) {
      if (!isWanted(vscode.Uri.from({ scheme: requestScheme, path }))) continue;
      this.files.delete(path);
      this.buttons.withdraw(this.tokens.get(path));
      this.tokens.delete(path);
    }
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const { bytes, mtime } = this.require(uri);
    return { type: vscode.FileType.File, ctime: mtime, mtime, size: bytes.length };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return this.require(uri).bytes;
  }

  writeFile(uri: vscode.Uri, bytes: Uint8Array): void {
    this.require(uri);
    this.files.set(uri.path, { bytes, mtime: Date.now() });
    this.changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  readDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  createDirectory(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): never {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  dispose(): void {
    this.store.dispose();
  }

  private require(uri: vscode.Uri): { bytes: Uint8Array; mtime: number } {
    const file = this.files.get(uri.path);
    if (!file) throw vscode.FileSystemError.FileNotFound(uri);
    return file;
  }
}

/** The ID of the request that a document belongs to. */
export function requestOf(uri: vscode.Uri): string | undefined {
  return uri.scheme === requestScheme ? uri.path.split('/')[2] : undefined;
}

async function closeTabs(isWanted: (uri: vscode.Uri) => boolean): Promise<void> {
  const tabs = vscode.window.tabGroups.all
    .flatMap(({ tabs: all }) => all)
    .filter(({ input }) => input instanceof vscode.TabInputText && isWanted(input.uri));
  await vscode.window.tabGroups.close(tabs, true);
}

function isOf(uri: vscode.Uri, request: string, role: DocumentRole): boolean {
  return uri.scheme === requestScheme && uri.path.startsWith(`/${role}/${request}/`);
}

import * as vscode from 'vscode';
import type { Disposable } from '../../core/base/disposable.js';
import { DisposableStore } from '../../core/base/disposable.js';
import type { PresentedResult, ResultDocument, ResultFile } from '../../core/present/result/resultPage.js';
import type { ResultFolder } from '../adapters/resultFolder.js';
import { withLanguage } from './safeLanguage.js';

const resultScheme = 'mcpdeck-result';

/**
 * Maximum length of a text that opens as a virtual document, in characters. Longer texts are written to files, because
 * VS Code transfers a virtual document in one piece.
 */
const maxVirtualLength = 1 << 20;
const maxKeptLength = 32 << 20;
const maxKeptResults = 50;
/** Maximum number of images that open automatically. All other images stay in their folder. */
const maxOpenedFiles = 4;

export interface OpenOptions {
  /** Whether the opened editor does not take the focus. */
  preserveFocus?: boolean;
}

/** Opens results. Text opens as a read-only document in a preview tab; images and audio open as files beside it. */
export class ResultDocuments implements vscode.TextDocumentContentProvider, Disposable {
  private readonly store = new DisposableStore();
  /** Texts by URI path, oldest first. */
  private readonly texts = new Map<string, string>();
  /** Results that a button can open later, oldest first. */
  private readonly kept = new Map<string, PresentedResult>();
  private count = 0;

  constructor(private readonly folder: ResultFolder) {
    this.store.add(vscode.workspace.registerTextDocumentContentProvider(resultScheme, this));
    // VS Code restores the tabs of virtual documents, but their texts are lost when the window closes. So these tabs
    // are closed.
    const left = vscode.window.tabGroups.all
      .flatMap(({ tabs }) => tabs)
      .filter(({ input }) => input instanceof vscode.TabInputText && input.uri.scheme === resultScheme);
    if (left.length > 0) void vscode.window.tabGroups.close(left, true);
  }

  async open(result: PresentedResult, { preserveFocus = false }: OpenOptions = {}): Promise<void> {
    if (result.document) await this.openText(result.title, result.document, preserveFocus);
    const files = await this.folder.write(result.title, result.files);
    const isAlone = result.document === undefined;
    for (const [index, uri] of files.slice(0, maxOpenedFiles).entries()) {
      await vscode.commands.executeCommand('vscode.open', uri, {
        // A preview tab shows only one file, so several files open in permanent tabs.
        preview: files.length === 1,
        viewColumn: isAlone ? vscode.ViewColumn.Active : vscode.ViewColumn.Beside,
        preserveFocus: preserveFocus || !isAlone || index > 0,
      } satisfies vscode.TextDocumentShowOptions);
    }
  }

  /** Keeps a result for a button that opens it later. Only the latest results are kept. */
  keep(result: PresentedResult): string {
    const id = String(++this.count);
    this.kept.set(id, result);
    dropOldest(this.kept, maxKeptResults);
    return id;
  }

  /** Returns a result that was kept. */
  find(id: string): PresentedResult | undefined {
    return this.kept.get(id);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return (
      this.texts.get(uri.path) ??
      vscode.l10n.t(
        'This result is no longer available. Only the latest results are kept, until the window closes. Run the tool again.',
      )
    );
  }

  dispose(): void {
    this.store.dispose();
    this.texts.clear();
    this.kept.clear();
  }

  /** Returns a read-only URI for an editor: a virtual document, or a file if the text is large. */
  async documentFor(title: string, document: ResultDocument): Promise<vscode.Uri> {
    if (document.length > maxVirtualLength) return this.folder.writeText(title, document);
    // Slashes are replaced, because a tab shows only the part after the last slash. The number distinguishes two
    // results of the same tool.
    const uri = vscode.Uri.from({ scheme: resultScheme, path: `/${++this.count}/${title.replace(/[/\\]/g, '∕')}` });
    this.texts.set(uri.path, [...document.pieces()].join(''));
    this.forgetOldTexts();
    await withLanguage(await vscode.workspace.openTextDocument(uri), document.languageId);
    return uri;
  }

  /** Writes files of a result, which editors can open. */
  filesFor(title: string, files: readonly ResultFile[]): Promise<vscode.Uri[]> {
    return this.folder.write(title, files);
  }

  private async openText(title: string, document: ResultDocument, preserveFocus: boolean): Promise<void> {
    const uri = await this.documentFor(title, document);
    if (uri.scheme !== resultScheme) {
      await vscode.commands.executeCommand('vscode.open', uri, {
        preview: true,
        preserveFocus,
      } satisfies vscode.TextDocumentShowOptions);
      return;
    }
    await vscode.window.showTextDocument(uri, { preview: true, preserveFocus });
  }

  private forgetOldTexts(): void {
    dropOldest(this.texts, maxKeptResults);
    let length = 0;
    for (const text of this.texts.values()) length += text.length;
    for (const [path, text] of this.texts) {
      if (length <= maxKeptLength || this.texts.size === 1) return;
      length -= text.length;
      this.texts.delete(path);
    }
  }
}

function dropOldest(map: Map<string, unknown>, max: number): void {
  for (const key of map.keys()) {
    if (map.size <= max) return;
    map.delete(key);
  }
}

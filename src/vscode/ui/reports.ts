import * as vscode from 'vscode';
import type { Disposable } from '../../core/base/disposable.js';
import { DisposableStore } from '../../core/base/disposable.js';
import { Emitter } from '../../core/base/event.js';

/** Read-only documents with reports. A new report replaces the previous one with the same name. */
export class Reports implements vscode.TextDocumentContentProvider, Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new Emitter<vscode.Uri>());
  readonly onDidChange = this.changed.event as unknown as vscode.Event<vscode.Uri>;
  private readonly texts = new Map<string, string>();

  /** @param scheme the URI scheme of these documents. VS Code accepts one provider for each scheme. */
  constructor(private readonly scheme: string) {
    this.store.add(vscode.workspace.registerTextDocumentContentProvider(scheme, this));
    this.store.add(vscode.workspace.onDidCloseTextDocument(({ uri }) => this.texts.delete(uri.toString())));
  }

  async show(title: string, text: string): Promise<void> {
    const uri = this.put(title, text);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
  }

  /**
   * Shows two texts side by side.
   * @param title the title of the editor.
   * @param names the titles of the two documents.
   */
  async compare(title: string, names: readonly [string, string], texts: readonly [string, string]): Promise<void> {
    const [left, right] = [this.put(names[0], texts[0]), this.put(names[1], texts[1])];
    await vscode.commands.executeCommand('vscode.diff', left, right, title, { preview: true });
  }

  private put(title: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: this.scheme, path: `/${title.replace(/[\\/:*?"<>|\s]+/g, ' ').trim()}` });
    this.texts.set(uri.toString(), text);
    this.changed.fire(uri);
    return uri;
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return (
      this.texts.get(uri.toString()) ?? vscode.l10n.t('This report is no longer available. Run the command again.')
    );
  }

  dispose(): void {
    this.store.dispose();
  }
}

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
    const uri = vscode.Uri.from({ scheme: this.scheme, path: `/${title.replace(/[\\/:*?"<>|\s]+/g, ' ').trim()}` });
    this.texts.set(uri.toString(), text);
    this.changed.fire(uri);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
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

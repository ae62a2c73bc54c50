import * as vscode from 'vscode';
import type { Disposable } from '../../core/base/disposable.js';
import { DisposableStore } from '../../core/base/disposable.js';

/** Read-only documents about consent: definitions to compare, and the audit log. */
export const consentScheme = 'mcpdeck-consent';

/** Holds the texts that were opened, by path; a newer one replaces what an editor shows. */
export class ConsentDocuments implements vscode.TextDocumentContentProvider, Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new vscode.EventEmitter<vscode.Uri>());
  readonly onDidChange = this.changed.event;
  private readonly texts = new Map<string, string>();

  constructor() {
    this.store.add(vscode.workspace.registerTextDocumentContentProvider(consentScheme, this));
    this.store.add(vscode.workspace.onDidCloseTextDocument(({ uri }) => (uri.scheme === consentScheme ? this.texts.delete(uri.path) : undefined)));
  }

  /** @param about what the document belongs to; commands of its title bar find it in the query. */
  put(name: string, text: string, about: object = {}): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: consentScheme, path: `/${name.replace(/[\\/]/g, '∕')}`, query: JSON.stringify(about) });
    this.texts.set(uri.path, text);
    this.changed.fire(uri);
    return uri;
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.path) ?? '';
  }

  dispose(): void {
    this.store.dispose();
  }
}

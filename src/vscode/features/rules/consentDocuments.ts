import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';

/** The URI scheme of read-only documents about consent: tool definitions to compare, and the audit log. */
export const consentScheme = 'mcpdeck-consent';

/** Stores the texts of open documents by URI. A document with the same URI updates when its text is replaced. */
export class ConsentDocuments implements vscode.TextDocumentContentProvider, Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new vscode.EventEmitter<vscode.Uri>());
  readonly onDidChange = this.changed.event;
  private readonly texts = new Map<string, string>();

  constructor() {
    this.store.add(vscode.workspace.registerTextDocumentContentProvider(consentScheme, this));
    this.store.add(
      vscode.workspace.onDidCloseTextDocument(({ uri }) =>
        uri.scheme === consentScheme ? this.texts.delete(uri.toString()) : undefined,
      ),
    );
  }

  /** @param query The item that the document belongs to, as JSON. The title buttons of the document read it. */
  put(name: string, text: string, query = '{}'): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: consentScheme, path: `/${name.replace(/[\\/]/g, '∕')}`, query });
    this.texts.set(uri.toString(), text);
    this.changed.fire(uri);
    return uri;
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? '';
  }

  dispose(): void {
    this.store.dispose();
  }
}

import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import { Emitter } from '../../../core/base/event.js';
import type { SignInApi } from '../../../core/host/signInApi.js';
import { signInDocument } from '../../../core/present/questions/signInSteps.js';
import { withLanguage } from '../../ui/safeLanguage.js';

const traceScheme = 'mcpdeck-sign-in';

/** The sign-in traces as read-only documents. They update while a sign-in runs. */
export class TraceDocuments implements vscode.TextDocumentContentProvider, Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new Emitter<vscode.Uri>());
  readonly onDidChange = this.changed.event as unknown as vscode.Event<vscode.Uri>;

  constructor(private readonly signIns: Pick<SignInApi, 'traces' | 'onDidTrace'>) {
    this.store.add(vscode.workspace.registerTextDocumentContentProvider(traceScheme, this));
    this.store.add(
      signIns.onDidTrace((server) => {
        const uri = traceUri(server).toString();
        const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri);
        if (open) this.changed.fire(open.uri);
      }),
    );
  }

  async open(server: string): Promise<void> {
    const uri = traceUri(server);
    // VS Code may have cached the content without the latest steps.
    this.changed.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(await withLanguage(document, 'markdown'), { preview: true });
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return signInDocument(uri.query, this.signIns.traces(uri.query));
  }

  dispose(): void {
    this.store.dispose();
  }
}

function traceUri(server: string): vscode.Uri {
  return vscode.Uri.from({
    scheme: traceScheme,
    path: `/${vscode.l10n.t('Sign-in to {0}', server.replace(/[/\\]/g, '∕'))}`,
    query: server,
  });
}

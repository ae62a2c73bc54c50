import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import type { AuditFilter } from '../../../core/present/documents/auditText.js';
import { auditText } from '../../../core/present/documents/auditText.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import type { ExtensionServices } from '../../ui/services.js';
import type { ConsentDocuments } from './consentDocuments.js';

/** Shows the audit log as documents, for all servers or for one. Open documents update when entries are added. */
export class AuditView implements Disposable {
  private readonly store = new DisposableStore();
  /** The open documents by name. */
  private readonly open = new Map<string, { uri: vscode.Uri; filter: AuditFilter }>();
  private reading: Promise<void> | undefined;
  private isBehind = false;

  constructor(
    private readonly consent: ExtensionServices['consent'],
    private readonly documents: ConsentDocuments,
    private readonly onFailure: (error: unknown) => void,
  ) {
    this.store.add(consent.audit.onDidWrite(() => (this.open.size > 0 ? this.follow() : undefined)));
    this.store.add(vscode.workspace.onDidCloseTextDocument(({ uri }) => this.forget(uri)));
  }

  /** Returns the URI of the document after updating it. */
  async show(filter: AuditFilter): Promise<vscode.Uri> {
    const title = vscode.l10n.t('Audit Log');
    const name = filter.server === undefined ? title : `${title} — ${visibleLine(filter.server, 60)}`;
    await this.consent.audit.flushed();
    const uri = this.documents.put(name, this.filteredText(await this.consent.auditFolder.read(), filter));
    this.open.set(name, { uri, filter });
    return uri;
  }

  dispose(): void {
    this.store.dispose();
  }

  /** Updates the open documents. Reads run one at a time. Entries that arrive during a read cause one more read. */
  private follow(): void {
    this.isBehind = true;
    this.reading ??= this.readWhileBehind().finally(() => (this.reading = undefined));
  }

  private async readWhileBehind(): Promise<void> {
    try {
      while (this.isBehind && this.open.size > 0) {
        this.isBehind = false;
        const lines = await this.consent.auditFolder.read();
        for (const [name, { filter }] of this.open) this.documents.put(name, this.filteredText(lines, filter));
      }
    } catch (error) {
      this.onFailure(error);
    }
  }

  private filteredText(lines: string, filter: AuditFilter): string {
    return auditText(lines, vscode.Uri.file(this.consent.auditFolder.file).toString(), filter);
  }

  private forget(closed: vscode.Uri): void {
    // VS Code also fires this event when a document changes its language. Then the document is still open.
    if (vscode.workspace.textDocuments.some(({ uri }) => uri.toString() === closed.toString())) return;
    for (const [name, { uri }] of this.open) if (uri.toString() === closed.toString()) this.open.delete(name);
  }
}

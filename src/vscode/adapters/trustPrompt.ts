import * as vscode from 'vscode';
import type { Disposable } from '../../core/base/disposable.js';
import { DisposableStore } from '../../core/base/disposable.js';
import { Emitter } from '../../core/base/event.js';
import { Sequencer } from '../../core/base/sequencer.js';
import type { StartDescription } from '../../core/config/describeStart.js';
import type { TrustPrompt } from '../../core/host/ports.js';
import { startQuestion } from '../../core/present/questions/startQuestion.js';
import type { ServerEntry } from '../../core/registry/serverEntry.js';
import { openSource } from './openSource.js';
import { showWarning } from './userMessages.js';

/** Provides Workspace Trust, and asks for approval before a server of the workspace starts for the first time. */
export class VsCodeTrustPrompt implements TrustPrompt, Disposable {
  private readonly store = new DisposableStore();
  private readonly granted = this.store.add(new Emitter<void>());
  readonly onDidGrantTrust = this.granted.event;
  /** Shows one dialog at a time, regardless of how many servers wait. */
  private readonly dialogs = new Sequencer();

  constructor() {
    this.store.add(vscode.workspace.onDidGrantWorkspaceTrust(() => this.granted.fire()));
  }

  isWorkspaceTrusted(): boolean {
    return vscode.workspace.isTrusted;
  }

  confirmStart(entry: ServerEntry, description: StartDescription): Promise<'allow' | 'deny' | 'later'> {
    return this.dialogs.run(async () => {
      const { message, detail } = startQuestion(entry, description);
      const look: vscode.MessageItem = { title: vscode.l10n.t('Open Configuration') };
      const allow: vscode.MessageItem = { title: vscode.l10n.t('Start Server') };
      const refuse: vscode.MessageItem = { title: vscode.l10n.t("Don't Start"), isCloseAffordance: true };
      // Pressing Enter chooses the first button, so the first button must not start the server.
      const answer = await showWarning(message, { modal: true, detail }, look, allow, refuse);
      if (answer === look) await openSource(entry.source, entry.position);
      return answer === allow ? 'allow' : 'later';
    });
  }

  dispose(): void {
    this.store.dispose();
  }
}

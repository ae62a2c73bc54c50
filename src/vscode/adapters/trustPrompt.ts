import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { Disposable } from '../../core/base/disposable.js';
import { DisposableStore } from '../../core/base/disposable.js';
import { Emitter } from '../../core/base/event.js';
import { Sequencer } from '../../core/base/sequencer.js';
import type { StartDescription } from '../../core/config/describeStart.js';
import type { TrustPrompt } from '../../core/host/ports.js';
import { questionName, startQuestion } from '../../core/present/questions/startQuestion.js';
import type { ServerEntry } from '../../core/registry/serverEntry.js';
import { openSource } from './openSource.js';
import { showWarning } from './userMessages.js';

/** Minimum time between two questions, in milliseconds. */
const pauseMs = 500;

/**
 * Provides the state of Workspace Trust, and asks for approval before the start of a server that needs it. This
 * applies, for example, to a new or changed server of the workspace.
 */
export class VsCodeTrustPrompt implements TrustPrompt, Disposable {
  private readonly store = new DisposableStore();
  private readonly granted = this.store.add(new Emitter<void>());
  readonly onDidGrantTrust = this.granted.event;
  /** Shows one dialog at a time, regardless of how many servers wait. */
  private readonly dialogs = new Sequencer();
  /** How often the user has left the questions to open a configuration. */
  private departures = 0;
  /** When the user answered the last question, by `performance.now()`. */
  private answeredAt = -pauseMs;

  /** @param showText opens a read-only document. */
  constructor(private readonly showText: (title: string, text: string) => Promise<void>) {
    this.store.add(vscode.workspace.onDidGrantWorkspaceTrust(() => this.granted.fire()));
  }

  isWorkspaceTrusted(): boolean {
    return vscode.workspace.isTrusted;
  }

  async confirmStart(entry: ServerEntry, description: StartDescription): Promise<'allow' | 'deny' | 'later'> {
    const { message, detail, whole } = startQuestion(entry, description);
    const look: vscode.MessageItem = { title: vscode.l10n.t('Open Configuration') };
    const all: vscode.MessageItem = { title: vscode.l10n.t('Show All') };
    const allow: vscode.MessageItem = { title: vscode.l10n.t('Start Server') };
    const refuse: vscode.MessageItem = { title: vscode.l10n.t("Don't Start"), isCloseAffordance: true };
    const { departures } = this;
    // Pressing Enter chooses the first button, so the first button must not start the server.
    let answer = await this.dialogs.run(async () => {
      // The next question would cover the configuration that the user wants to read.
      if (departures !== this.departures) return undefined;
      // The second click of a double click must not answer the next question.
      await delay(Math.max(0, this.answeredAt + pauseMs - performance.now()));
      const chosen = await showWarning(
        message,
        { modal: true, detail },
        look,
        whole === undefined ? allow : all,
        refuse,
      );
      this.answeredAt = performance.now();
      return chosen;
    });
    if (answer === look) {
      this.departures++;
      await openSource(entry.source, entry.position);
    }
    if (answer === all && whole !== undefined) {
      await this.showText(vscode.l10n.t('Start of "{0}"', questionName(entry.id)), whole);
      // This question is a notification, because a dialog would cover the text. Other questions do not wait for it. The
      // first button refuses, because another extension can press the first button of a notification with a command.
      answer = await showWarning(message, {}, refuse, allow);
    }
    return answer === allow ? 'allow' : 'later';
  }

  dispose(): void {
    this.store.dispose();
  }
}

import * as vscode from 'vscode';
import { Sequencer } from '../../../core/base/sequencer.js';
import { refusedCode } from '../../../core/apps/appBridge.js';
import type { AppWish } from '../../../core/consent/audit.js';
import type { AppQuestion } from '../../../core/present/questions/appQuestions.js';
import { ProtocolError } from '../../../core/protocol/jsonRpc.js';
import type { ResultDocuments } from '../../ui/resultDocuments.js';
import { showWarning } from '../../adapters/userMessages.js';

/** After so many refusals in a row an app is not listened to any more: it could only be nagging. */
const maxRefusals = 3;

/** What the user decided about a wish of an app. */
export interface AppDecision {
  wish: AppWish;
  outcome: 'allowed' | 'refused';
  /** Allowed for as long as the app is open. */
  isForGood?: boolean;
}

/** What the user lets one app do. Questions come one at a time; allowances end with the app's tab. */
export class AppConsent {
  private readonly allowed = new Set<string>();
  private readonly questions = new Sequencer();
  private refusals = 0;

  constructor(
    private readonly results: ResultDocuments,
    /** Told each answer, not what follows from one before. */
    private readonly onDidDecide: (decision: AppDecision) => void,
  ) {}

  /** The user asked for the app again, so it may ask again. */
  renew(): void {
    this.refusals = 0;
  }

  /**
   * Asks, unless `key` was allowed for the app before. The answer that Enter gives is no.
   * @param isWanted false once nobody waits for the answer any more.
   */
  async ask(
    wish: AppWish,
    key: string | undefined,
    question: AppQuestion,
    yes: { once?: string; always?: string },
    isWanted: () => boolean,
  ): Promise<boolean> {
    return this.limited(async () => {
      if (this.isAllowed(key)) return true;
      if (!isWanted()) return false;
      const no = vscode.l10n.t('Not Now');
      const buttons = [no, yes.once, yes.always].filter((one) => one !== undefined);
      const answer = await this.answerTo(question, buttons);
      const isAllowed = answer !== undefined && answer !== no;
      const isForGood = isAllowed && answer === yes.always && key !== undefined;
      if (isForGood) this.allowed.add(key);
      this.onDidDecide({ wish, outcome: isAllowed ? 'allowed' : 'refused', ...(isForGood ? { isForGood } : {}) });
      return isAllowed;
    });
  }

  /** Whether the user allowed `key` for as long as the app is open. */
  isAllowed(key: string | undefined): boolean {
    return key !== undefined && this.allowed.has(key);
  }

  /** Asks in the way of `question`. */
  questioned(wish: AppWish, question: () => Promise<boolean>): Promise<boolean> {
    return this.limited(async () => {
      const isAllowed = await question();
      this.onDidDecide({ wish, outcome: isAllowed ? 'allowed' : 'refused' });
      return isAllowed;
    });
  }

  /** What the user refuses three times in a row is not asked again. */
  private limited(question: () => Promise<boolean>): Promise<boolean> {
    return this.questions.run(async () => {
      if (this.refusals >= maxRefusals)
        throw new ProtocolError(
          refusedCode,
          'The user refused several requests of this app; it has to be loaded again before it may ask for more.',
        );
      const isAllowed = await question();
      this.refusals = isAllowed ? 0 : this.refusals + 1;
      return isAllowed;
    });
  }

  /**
   * What is too long for a dialog is read in the editor, which a dialog would block: the question stands beside it
   * then.
   */
  private async answerTo(
    { message, detail, document }: AppQuestion,
    buttons: readonly string[],
  ): Promise<string | undefined> {
    if (document === undefined) return showWarning(message, { modal: true, detail }, ...buttons);
    const languageId = document.startsWith('{') ? 'json' : 'plaintext';
    await this.results.open({
      title: message,
      isError: false,
      summary: '',
      files: [],
      document: { languageId, length: document.length, pieces: () => [document] },
    });
    return showWarning(`${message} ${detail.replace(/\s+/g, ' ')}`, ...buttons);
  }
}

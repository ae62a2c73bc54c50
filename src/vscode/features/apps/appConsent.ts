import * as vscode from 'vscode';
import { Sequencer } from '../../../core/base/sequencer.js';
import { refusedCode } from '../../../core/apps/appBridge.js';
import type { AppWish } from '../../../core/consent/audit.js';
import type { AppQuestion } from '../../../core/present/questions/appQuestions.js';
import { ProtocolError } from '../../../core/protocol/jsonRpc.js';
import type { ResultDocuments } from '../../ui/resultDocuments.js';
import { showWarning } from '../../adapters/userMessages.js';

/**
 * Maximum number of consecutive refusals by the user. After that, further requests of the app are rejected without
 * asking the user.
 */
const maxRefusals = 3;

/** The user's decision about a request of an app. */
export interface AppDecision {
  wish: AppWish;
  outcome: 'allowed' | 'refused';
  /** Whether the user allowed all requests of this kind until the app is closed. */
  isForGood?: boolean;
}

/** Asks the user about requests of one app, one at a time. Permissions end when the tab of the app closes. */
export class AppConsent {
  private readonly allowed = new Set<string>();
  private readonly questions = new Sequencer();
  private refusals = 0;

  constructor(
    private readonly results: ResultDocuments,
    /** Called with each answer of the user, but not for decisions that follow from an earlier answer. */
    private readonly onDidDecide: (decision: AppDecision) => void,
  ) {}

  /** Resets the refusals, because the user reloaded the app or showed another run in it. */
  renew(): void {
    this.refusals = 0;
  }

  /**
   * Asks the user, unless `key` was already allowed for this app. Pressing Enter refuses.
   *
   * @param key Identifies the permission that the user can grant until the app is closed.
   * @param question Called only if the user is asked, because the text of a large request takes long.
   * @param isWanted Returns false if the app no longer waits for the answer.
   */
  async ask(
    wish: AppWish,
    key: string | undefined,
    question: () => AppQuestion,
    yes: { once?: string; always?: string },
    isWanted: () => boolean,
  ): Promise<boolean> {
    return this.limited(async () => {
      if (this.isAllowed(key)) return true;
      if (!isWanted()) return false;
      const no = vscode.l10n.t('Not Now');
      const buttons = [no, yes.once, yes.always].filter((one) => one !== undefined);
      const answer = await this.answerTo(question(), buttons);
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

  /**
   * Asks the user with a custom question.
   *
   * @param isWanted Returns false if the app no longer waits for the answer.
   */
  questioned(wish: AppWish, question: () => Promise<boolean>, isWanted: () => boolean): Promise<boolean> {
    return this.limited(async () => {
      if (!isWanted()) return false;
      const isAllowed = await question();
      this.onDidDecide({ wish, outcome: isAllowed ? 'allowed' : 'refused' });
      return isAllowed;
    });
  }

  /** Rejects without asking the user after `maxRefusals` consecutive refusals. */
  private limited(question: () => Promise<boolean>): Promise<boolean> {
    return this.questions.run(async () => {
      if (this.refusals >= maxRefusals)
        throw new ProtocolError(
          refusedCode,
          'The user refused several requests of this app. It can send requests again after the user reloads it.',
        );
      const isAllowed = await question();
      this.refusals = isAllowed ? 0 : this.refusals + 1;
      return isAllowed;
    });
  }

  /**
   * Shows the question and returns the label of the pressed button. A long text opens in an editor, and the question is
   * then a notification, because a dialog would block the editor.
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

import * as vscode from 'vscode';
import type { Disposable } from '../../core/base/disposable.js';
import { messageOf } from '../../core/base/hostError.js';
import { isDraft } from '../../shared/panel/formMessages.js';
import type { Arguments, Draft, Problem, Question, Suggestion } from '../../shared/panel/formMessages.js';
import type {
  FormRequestState,
  FromFormRequestPage,
  ToFormRequestPage,
  WayOut,
} from '../../shared/panel/formRequestPage.js';
import { formRequestGuards } from '../../shared/panel/formRequestPage.js';
import type { ExtensionServices } from './services.js';
import { Page } from './page.js';

export interface FormRequestPageOptions {
  panel: vscode.WebviewPanel;
  /** The title of the document, for screen readers. */
  title: string;
  /** The name of the form in log lines. */
  subject: string;
  /** The name of an icon in `media`. Each icon has a light and a dark file. */
  icon: 'tool' | 'prompt';
  /** The key under which unfinished input is stored. Called again after each submit. */
  draftKey: () => string;
  state: () => Omit<FormRequestState, 'draft'>;
  check: (values: unknown) => Promise<Problem[]>;
  /**
   * Resolves to whether the form is finished. If so, its tab closes and the stored input is deleted. Rejects with the
   * error to show to the user. `json`: the parts of the input that the page shows as JSON text, if there are any.
   */
  submit: (values: Arguments, isSecondary: boolean, json?: string) => Promise<boolean>;
  /** Returns whether the form is finished. */
  leave: (way: WayOut) => boolean;
  /** Suggests values for a text field. By default, there are no suggestions. */
  suggest?: (question: Question) => Suggestion[];
}

/**
 * A form in an editor tab that a server or a feature requests. Closing the tab keeps the user's input.
 */
export class FormRequestPage implements Disposable {
  private readonly page: Page<ToFormRequestPage, FromFormRequestPage>;
  private readonly ask: () => void;
  private readonly latestDraft: () => { draft?: Draft };
  private readonly finish: (isDone: boolean) => void;
  private isGone = false;

  constructor(
    deck: Pick<ExtensionServices, 'drafts' | 'extension' | 'funnel' | 'log' | 'workspaceValues'>,
    { panel, title, subject, icon, draftKey, state, check, submit, leave, suggest = () => [] }: FormRequestPageOptions,
  ) {
    const iconOf = (theme: 'light' | 'dark') =>
      vscode.Uri.joinPath(deck.extension.extensionUri, 'media', `${icon}-${theme}.svg`);
    panel.iconPath = { light: iconOf('light'), dark: iconOf('dark') };
    const kept = (work: Promise<unknown>) =>
      void work.catch((error: unknown) =>
        deck.log.write('warn', `The input for ${subject} could not be stored: ${messageOf(error)}`),
      );
    let key = draftKey();
    const forget = () => kept(deck.drafts.forget(key));
    const finish = (isDone: boolean) => {
      if (!isDone) return;
      forget();
      panel.dispose();
    };
    let draft: Draft | undefined;
    const latestDraft = () => {
      const latest = draft ?? deck.drafts.find(key);
      return isDraft(latest) ? { draft: latest } : {};
    };
    this.latestDraft = latestDraft;
    this.finish = finish;
    this.ask = () => {
      const isOther = key !== draftKey();
      if (isOther) {
        forget();
        draft = undefined;
        key = draftKey();
      }
      this.page.channel.notify('ask', { ...state(), ...latestDraft(), ...(isOther ? { isReset: true } : {}) });
    };
    const send = async (values: Arguments, isSecondary: boolean, json: string | undefined) => {
      try {
        finish(await submit(values, isSecondary, json));
      } catch (error) {
        deck.funnel.show(error);
      }
      this.progress();
    };
    this.page = new Page<ToFormRequestPage, FromFormRequestPage>({
      webview: panel.webview,
      extensionUri: deck.extension.extensionUri,
      name: 'formRequest',
      title,
      guards: formRequestGuards,
      log: deck.log,
      handlers: {
        notices: {
          ready: () => this.ask(),
          submit: ({ arguments: values, isSecondary, json }) => void send(values, isSecondary, json),
          leave: ({ way }) => finish(leave(way)),
          keep: (news) => {
            draft = news.draft;
            kept(deck.drafts.keep(key, draft));
          },
        },
        requests: {
          check: ({ arguments: values }) => check(values),
          suggest,
          ...deck.workspaceValues.formAnswers(() => 'absolute'),
        },
      },
    });
    panel.onDidDispose(() => this.dispose());
  }

  /** Shows that the form is no longer needed, and why. The user's input remains readable. */
  end(text: string): void {
    this.page.channel.notify('over', { text });
  }

  /** Draws the form again with its current state. */
  refresh(): void {
    if (!this.isGone) this.ask();
  }

  /**
   * Shows the progress after a submit, and disables the buttons. Without a text, removes the progress and enables the
   * buttons.
   */
  progress(text?: string): void {
    if (!this.isGone) this.page.channel.notify('progress', text === undefined ? {} : { text });
  }

  /** Whether the user has typed something that was not submitted. */
  get hasInput(): boolean {
    return this.latestDraft().draft !== undefined;
  }

  /** Closes the tab, because the form is finished. */
  close(): void {
    if (!this.isGone) this.finish(true);
  }

  get isClosed(): boolean {
    return this.isGone;
  }

  dispose(): void {
    this.isGone = true;
    this.page.dispose();
  }
}

import * as vscode from 'vscode';
import type { Disposable } from '../../core/base/disposable.js';
import { messageOf } from '../../core/base/hostError.js';
import type {
  Arguments,
  FormRequestState,
  Draft,
  FromPage,
  Problem,
  Question,
  Suggestion,
  ToPage,
  WayOut,
} from '../../shared/toolPanel.js';
import { fromPageGuards, isDraft } from '../../shared/toolPanel.js';
import type { ExtensionServices } from './services.js';
import { Page } from './page.js';

export interface FormRequestPageOptions {
  panel: vscode.WebviewPanel;
  /** Of the document, for screen readers. */
  title: string;
  /** Names the form in the log. */
  subject: string;
  /** An icon of `media` in both themes. */
  icon: 'tool' | 'prompt';
  /** What was typed belongs to it. */
  draftKey: string;
  state: () => Omit<FormRequestState, 'draft'>;
  check: (values: unknown) => Promise<Problem[]>;
  /**
   * Resolves with whether the form is done: its tab is closed then, and what was typed forgotten. Rejects with what
   * the user is told.
   */
  submit: (values: Arguments) => Promise<boolean>;
  /** Returns whether the form is done. */
  leave: (way: WayOut) => boolean;
  /** What could stand in a text field; default nothing. */
  suggest?: (question: Question) => Suggestion[];
}

/** A form in an editor tab that somebody asks for, in place of a tool's. A tab that is closed keeps what was typed. */
export class FormRequestPage implements Disposable {
  private readonly page: Page<ToPage, FromPage>;

  constructor(
    deck: ExtensionServices,
    { panel, title, subject, icon, draftKey, state, check, submit, leave, suggest = () => [] }: FormRequestPageOptions,
  ) {
    const iconOf = (theme: 'light' | 'dark') =>
      vscode.Uri.joinPath(deck.extension.extensionUri, 'media', `${icon}-${theme}.svg`);
    panel.iconPath = { light: iconOf('light'), dark: iconOf('dark') };
    const kept = (work: Promise<unknown>) =>
      void work.catch((error: unknown) =>
        deck.log.write('warn', `What was typed for ${subject} could not be kept: ${messageOf(error)}`),
      );
    const finish = (isDone: boolean) => {
      if (!isDone) return;
      kept(deck.drafts.forget(draftKey));
      panel.dispose();
    };
    let draft: Draft | undefined;
    const latestDraft = () => {
      const latest = draft ?? deck.drafts.find(draftKey);
      return isDraft(latest) ? { draft: latest } : {};
    };
    this.page = new Page<ToPage, FromPage>({
      webview: panel.webview,
      extensionUri: deck.extension.extensionUri,
      name: 'toolPanel',
      title,
      guards: fromPageGuards,
      log: deck.log,
      handlers: {
        notices: {
          ready: () => this.page.channel.notify('ask', { ...state(), ...latestDraft() }),
          run: ({ arguments: values }) => void submit(values).then(finish, (error: unknown) => deck.funnel.show(error)),
          leave: ({ way }) => finish(leave(way)),
          keep: (news) => {
            draft = news.draft;
            kept(deck.drafts.keep(draftKey, draft));
          },
          // Nothing of these is drawn on this page.
          cancel: () => undefined,
          use: () => undefined,
          act: () => undefined,
          favourite: () => undefined,
          useRun: () => undefined,
          result: () => undefined,
        },
        requests: {
          check: ({ arguments: values }) => check(values),
          suggest,
          address: () => ({ text: '' }),
          ...deck.workspaceValues.formAnswers(() => 'absolute'),
        },
      },
    });
    panel.onDidDispose(() => this.dispose());
  }

  /** Nobody waits for the form any more, and why; what was typed stays to be read. */
  end(text: string): void {
    this.page.channel.notify('over', { text });
  }

  dispose(): void {
    this.page.dispose();
  }
}

import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { messageOf } from '../../../core/base/hostError.js';
import type {
  FromSamplingPage,
  PartEdit,
  SamplingAnswer,
  SamplingReply,
  SamplingState,
  SamplingWay,
  ToSamplingPage,
} from '../../../shared/panel/samplingPage.js';
import { isSamplingDraft, samplingGuards } from '../../../shared/panel/samplingPage.js';
import { Page } from '../../ui/page.js';
import type { ExtensionServices } from '../../ui/services.js';

export interface SamplingPageOptions {
  panel: vscode.WebviewPanel;
  /** The name of the request in log lines. */
  subject: string;
  /** The key under which unfinished input is stored. */
  draftKey: string;
  state: () => Omit<SamplingState, 'draft'>;
  ask: (edits: readonly PartEdit[]) => Promise<SamplingReply>;
  /** Sends the answer. If `isDone` is true, the answer was sent: the tab closes and the stored input is deleted. */
  send: (edits: readonly PartEdit[], answer: string | undefined) => SamplingReply & { isDone: boolean };
  leave: (way: SamplingWay) => void;
}

/** A sampling request in an editor tab. Closing the tab keeps the user's input. */
export class SamplingPage implements Disposable {
  private readonly page: Page<ToSamplingPage, FromSamplingPage>;

  constructor(
    deck: Pick<ExtensionServices, 'drafts' | 'extension' | 'log'>,
    { panel, subject, draftKey, state, ask, send, leave }: SamplingPageOptions,
  ) {
    const { extensionUri } = deck.extension;
    const iconOf = (theme: 'light' | 'dark') => vscode.Uri.joinPath(extensionUri, 'media', `prompt-${theme}.svg`);
    panel.iconPath = { light: iconOf('light'), dark: iconOf('dark') };
    const kept = (work: Promise<unknown>) =>
      void work.catch((error: unknown) =>
        deck.log.write('warn', `The input for ${subject} could not be stored: ${messageOf(error)}`),
      );
    const close = () => {
      kept(deck.drafts.forget(draftKey));
      panel.dispose();
    };
    this.page = new Page<ToSamplingPage, FromSamplingPage>({
      webview: panel.webview,
      extensionUri,
      name: 'sampling',
      title: vscode.l10n.t('Request'),
      guards: samplingGuards,
      log: deck.log,
      handlers: {
        notices: {
          ready: () => {
            const draft = deck.drafts.find(draftKey);
            this.page.channel.notify('show', { ...state(), ...(isSamplingDraft(draft) ? { draft } : {}) });
          },
          keep: ({ draft }) => kept(deck.drafts.keep(draftKey, draft)),
          leave: ({ way }) => {
            leave(way);
            close();
          },
        },
        requests: {
          ask: ({ edits }) => ask(edits),
          send: ({ edits, answer }) => {
            const { isDone, ...reply } = send(edits, answer);
            if (isDone) close();
            return reply;
          },
        },
      },
    });
    panel.onDidDispose(() => this.dispose());
  }

  answer(answer: SamplingAnswer): void {
    this.page.channel.notify('answer', answer);
  }

  /** Shows whether a model is answering. */
  setAsking(isAsking: boolean): void {
    this.page.channel.notify('asking', { isAsking });
  }

  /** Shows that the request ended, and why. The user's input remains readable. */
  end(text: string): void {
    this.page.channel.notify('over', { text });
  }

  dispose(): void {
    this.page.dispose();
  }
}

import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import type { Disposable } from '../../core/base/disposable.js';
import { DisposableStore } from '../../core/base/disposable.js';
import { messageOf } from '../../core/base/hostError.js';
import { visibleLine, visibleText } from '../../core/base/hostileText.js';
import { fieldDefaults, secretFields } from '../../core/present/requestNodes.js';
import { schemaForm } from '../../core/present/schemaForm.js';
import type { Ask, RequestQueue, WaitingRequest } from '../../core/requests/requestQueue.js';
import type { AskState, Draft, FromPage, ToPage } from '../../shared/toolPanel.js';
import { fromPageGuards, isDraft } from '../../shared/toolPanel.js';
import type { DeckContext } from '../feature.js';
import { panelTypes } from '../manifest.js';
import { Page } from '../panels/page.js';

type FormAsk = Extract<Ask, { kind: 'form' }>;

const maxMessage = 10_000;

interface Open {
  panel: vscode.WebviewPanel;
  request: WaitingRequest;
  /** Nobody waits any more; told the page. */
  end: () => void;
}

/** Forms of servers that are too large for a row of input boxes: a page for each. What is typed is kept until it is sent. */
export class RequestPages implements Disposable {
  private readonly store = new DisposableStore();
  private readonly open = new Map<string, Open>();
  private readonly queue: RequestQueue;

  constructor(private readonly deck: DeckContext) {
    this.queue = deck.requests.queue;
    this.store.add(this.queue.onDidChange(() => this.follow()));
  }

  show(request: WaitingRequest, ask: FormAsk): void {
    const known = this.open.get(request.id);
    if (known) return known.panel.reveal();
    const panel = vscode.window.createWebviewPanel(panelTypes.request, vscode.l10n.t('{0} asks', visibleLine(request.serverName, 60)), vscode.ViewColumn.Active, {});
    const icon = (theme: 'light' | 'dark') => vscode.Uri.joinPath(this.deck.extension.extensionUri, 'media', `prompt-${theme}.svg`);
    panel.iconPath = { light: icon('light'), dark: icon('dark') };
    const page = this.pageOf(panel, request, ask);
    this.open.set(request.id, { panel, request, end: () => page.channel.notify('over', { text: this.overText(request) }) });
    // A closed tab is no answer: the request goes on waiting, and what was typed comes back with it.
    panel.onDidDispose(() => {
      this.open.delete(request.id);
      page.dispose();
    });
  }

  dispose(): void {
    this.store.dispose();
    for (const { panel } of this.open.values()) panel.dispose();
  }

  private pageOf(panel: vscode.WebviewPanel, request: WaitingRequest, ask: FormAsk): Page<ToPage, FromPage> {
    const { deck, queue } = this;
    const key = draftKey(request, ask);
    const later = (work: Promise<unknown>) => void work.catch((error: unknown) => deck.log.write('warn', `What was typed for "${request.serverName}" could not be kept: ${messageOf(error)}`));
    let draft: Draft | undefined;
    const leave = (answer: () => void) => {
      later(deck.drafts.forget(key));
      this.open.delete(request.id);
      answer();
      panel.dispose();
    };
    const page = new Page<ToPage, FromPage>({
      webview: panel.webview,
      extensionUri: deck.extension.extensionUri,
      name: 'toolPanel',
      title: vscode.l10n.t('Request'),
      guards: fromPageGuards,
      log: deck.log,
      handlers: {
        notices: {
          ready: () => page.channel.notify('ask', this.state(request, ask, draft ?? deck.drafts.find(key))),
          run: ({ arguments: content }) => later(this.submit(request, ask, content, leave)),
          leave: ({ way }) => leave(() => (way === 'decline' ? queue.decline(request.id) : queue.dismiss(request.id))),
          keep: (news) => {
            draft = news.draft;
            later(deck.drafts.keep(key, draft));
          },
          // Nothing of these is drawn on the page of a request.
          cancel: () => undefined,
          act: () => undefined,
          favourite: () => undefined,
          useRun: () => undefined,
          result: () => undefined,
        },
        requests: {
          check: async ({ arguments: values }) => [...(await deck.schemas.load()).check(ask.schema, values).problems],
          // What stands in the editor is no business of a server until the user puts it there.
          suggest: () => [],
          editorText: ({ source }) => {
            const text = source === 'selection' ? deck.workspaceValues.selection() : deck.workspaceValues.file('absolute');
            return text === undefined ? {} : { text };
          },
          pick: async ({ kind }) => {
            const path = await deck.workspaceValues.pick(kind, 'absolute');
            return path === undefined ? {} : { path };
          },
        },
      },
    });
    return page;
  }

  /** Checked once more: the page is no authority on what is sent. */
  private async submit(request: WaitingRequest, ask: FormAsk, content: Record<string, unknown>, leave: (answer: () => void) => void): Promise<void> {
    const { problems } = (await this.deck.schemas.load()).check(ask.schema, content);
    if (problems.length === 0) leave(() => this.queue.answer(request.id, { action: 'accept', content }));
  }

  private state(request: WaitingRequest, ask: FormAsk, draft: unknown): AskState {
    const { id, server, serverName } = request;
    const name = visibleLine(serverName, 80);
    const message = visibleText(ask.message, maxMessage).trim();
    const others = this.queue.waiting.filter((other) => other.server === server && other.id !== id).length;
    return {
      bundle: vscode.l10n.bundle ?? {},
      id,
      server: name,
      title: vscode.l10n.t('{0} asks', name),
      ...(others === 0 ? {} : { hint: others === 1 ? vscode.l10n.t('1 more request of it waits') : vscode.l10n.t('{0} more requests of it wait', others) }),
      message: message === '' ? vscode.l10n.t('It gave no reason.') : message,
      warnings: secretFields(ask.schema).map((field) => vscode.l10n.t('"{0}" looks like a secret. No server may ask for secrets in a form; what you enter is sent to it as it is.', field)),
      submit: vscode.l10n.t('Submit'),
      ways: [
        { way: 'cancel', text: vscode.l10n.t('Dismiss'), tooltip: vscode.l10n.t('Tells the server that you gave no answer'), icon: 'close' },
        { way: 'decline', text: vscode.l10n.t('Decline'), tooltip: vscode.l10n.t('Tells the server no'), icon: 'circle-slash' },
      ],
      hasModes: false,
      form: schemaForm(ask.schema, vscode.l10n.t),
      start: fieldDefaults(ask.schema),
      ...(isDraft(draft) ? { draft } : {}),
      ...(this.queue.get(id) ? {} : { over: this.overText(request) }),
    };
  }

  /** Requests that ended elsewhere: answered from the view, or taken back. */
  private follow(): void {
    for (const [id, { end }] of this.open) if (!this.queue.get(id)) end();
  }

  private overText({ serverName }: WaitingRequest): string {
    return vscode.l10n.t('"{0}" does not wait for this answer any more.', visibleLine(serverName, 80));
  }
}

/** The same question of the same server: what was typed before the window was loaded again belongs to it, too. */
function draftKey({ server }: WaitingRequest, { message, schema }: FormAsk): string {
  return JSON.stringify(['request', server, createHash('sha256').update(JSON.stringify([message, schema])).digest('base64')]);
}

import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import { shownText, visibleLine } from '../../../core/base/hostileText.js';
import { hiddenSentence } from '../../../core/present/text/hiddenText.js';
import { fieldDefaults, hiddenInAsk, secretFields } from '../../../core/present/tree/requestNodes.js';
import { schemaForm } from '../../../core/present/form/schemaForm.js';
import type { UserRequest, RequestQueue, WaitingRequest } from '../../../core/requests/requestQueue.js';
import type { FormRequestState } from '../../../shared/toolPanel.js';
import type { ExtensionServices } from '../../ui/services.js';
import { panelTypes } from '../../manifest.js';
import { FormRequestPage } from '../../ui/formRequestPage.js';

type FormRequest = Extract<UserRequest, { kind: 'form' }>;

const maxMessage = 10_000;

/**
 * Forms of servers that are too large for a row of input boxes: a page for each. What is typed is kept until it is
 * sent.
 */
export class RequestPages implements Disposable {
  private readonly store = new DisposableStore();
  private readonly open = new Map<
    string,
    { panel: vscode.WebviewPanel; page: FormRequestPage; request: WaitingRequest }
  >();
  private readonly queue: RequestQueue;

  constructor(private readonly deck: ExtensionServices) {
    this.queue = deck.requests.queue;
    this.store.add(this.queue.onDidChange(() => this.follow()));
  }

  show(request: WaitingRequest, ask: FormRequest): void {
    const known = this.open.get(request.id);
    if (known) return known.panel.reveal();
    const { id, serverName } = request;
    const panel = vscode.window.createWebviewPanel(
      panelTypes.request,
      vscode.l10n.t('{0} asks', visibleLine(serverName, 60)),
      vscode.ViewColumn.Active,
      {},
    );
    const problemsOf = async (values: unknown) => [
      ...(await this.deck.schemas.load()).check(ask.schema, values).problems,
    ];
    const answer = (give: () => void) => {
      // Before anybody hears that it was answered: this page knows.
      this.open.delete(id);
      give();
      return true;
    };
    const page = new FormRequestPage(this.deck, {
      panel,
      title: vscode.l10n.t('Request'),
      subject: `"${serverName}"`,
      icon: 'prompt',
      draftKey: draftKey(request, ask),
      state: () => this.state(request, ask),
      check: problemsOf,
      // Checked once more: the page is no authority on what is sent. What stands in the editor is suggested to no
      // server.
      submit: async (content) =>
        (await problemsOf(content)).length === 0 && answer(() => this.queue.answer(id, { action: 'accept', content })),
      leave: (way) => answer(() => (way === 'decline' ? this.queue.decline(id) : this.queue.dismiss(id))),
    });
    this.open.set(id, { panel, page, request });
    // A closed tab is no answer: the request goes on waiting, and what was typed comes back with it.
    panel.onDidDispose(() => this.open.delete(id));
  }

  dispose(): void {
    this.store.dispose();
    for (const { panel } of this.open.values()) panel.dispose();
  }

  private state(request: WaitingRequest, ask: FormRequest): Omit<FormRequestState, 'draft'> {
    const { id, server, serverName } = request;
    const name = visibleLine(serverName, 80);
    const message = shownText(ask.message, maxMessage).trim();
    const others = this.queue.waiting.filter((other) => other.server === server && other.id !== id).length;
    return {
      bundle: vscode.l10n.bundle ?? {},
      id,
      server: name,
      title: vscode.l10n.t('{0} asks', name),
      ...(others === 0
        ? {}
        : {
            hint:
              others === 1
                ? vscode.l10n.t('1 more request of it waits')
                : vscode.l10n.t('{0} more requests of it wait', others),
          }),
      message: message === '' ? vscode.l10n.t('It gave no reason.') : message,
      warnings: [
        ...hiddenSentence(hiddenInAsk(ask)),
        ...secretFields(ask.schema).map((field) =>
          vscode.l10n.t(
            '"{0}" looks like a secret. No server may ask for secrets in a form; what you enter is sent to it as it is.',
            field,
          ),
        ),
      ],
      submit: vscode.l10n.t('Submit'),
      ways: [
        {
          way: 'cancel',
          text: vscode.l10n.t('Dismiss'),
          tooltip: vscode.l10n.t('Tells the server that you gave no answer'),
          icon: 'close',
        },
        {
          way: 'decline',
          text: vscode.l10n.t('Decline'),
          tooltip: vscode.l10n.t('Tells the server no'),
          icon: 'circle-slash',
        },
      ],
      hasModes: false,
      form: schemaForm(ask.schema),
      start: fieldDefaults(ask.schema),
      ...(this.queue.get(id) ? {} : { over: this.overText(request) }),
    };
  }

  /** Requests that ended elsewhere: answered from the view, or taken back. */
  private follow(): void {
    for (const [id, { page, request }] of this.open) if (!this.queue.get(id)) page.end(this.overText(request));
  }

  private overText({ serverName }: WaitingRequest): string {
    return vscode.l10n.t('"{0}" does not wait for this answer any more.', visibleLine(serverName, 80));
  }
}

/** The same question of the same server: what was typed before the window was loaded again belongs to it, too. */
function draftKey({ server }: WaitingRequest, { message, schema }: FormRequest): string {
  return JSON.stringify([
    'request',
    server,
    createHash('sha256')
      .update(JSON.stringify([message, schema]))
      .digest('base64'),
  ]);
}

import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import { shownText, visibleLine } from '../../../core/base/hostileText.js';
import { hiddenSentence } from '../../../core/present/text/hiddenText.js';
import { hiddenInAsk } from '../../../core/present/tree/requestNodes.js';
import { fieldDefaults, secretFields } from '../../../core/present/form/requestFields.js';
import { schemaForm } from '../../../core/present/form/schemaForm.js';
import type { UserRequest, RequestQueue, WaitingRequest } from '../../../core/requests/requestQueue.js';
import type { FormRequestState } from '../../../shared/panel/formRequestPage.js';
import type { ExtensionServices } from '../../ui/services.js';
import { panelTypes } from '../../manifest.js';
import { FormRequestPage } from '../../ui/formRequestPage.js';

/** The services that this file needs. */
type Services = Pick<
  ExtensionServices,
  'drafts' | 'extension' | 'funnel' | 'log' | 'requests' | 'schemas' | 'workspaceValues'
>;

type FormRequest = Extract<UserRequest, { kind: 'form' }>;

const maxMessage = 10_000;

/**
 * The pages for elicitation forms that are too large for a sequence of input boxes. Unfinished input is kept until the
 * form is sent.
 */
export class RequestPages implements Disposable {
  private readonly store = new DisposableStore();
  private readonly open = new Map<
    string,
    { panel: vscode.WebviewPanel; page: FormRequestPage; request: WaitingRequest }
  >();
  private readonly queue: RequestQueue;

  constructor(private readonly deck: Services) {
    this.queue = deck.requests.queue;
    this.store.add(this.queue.onDidChange(() => this.follow()));
  }

  show(request: WaitingRequest, ask: FormRequest): void {
    const known = this.open.get(request.id);
    if (known) return known.panel.reveal();
    const { id, serverName } = request;
    const panel = vscode.window.createWebviewPanel(
      panelTypes.request,
      vscode.l10n.t('Request from "{0}"', visibleLine(serverName, 60)),
      vscode.ViewColumn.Active,
      {},
    );
    const problemsOf = async (values: unknown) => [
      ...(await this.deck.schemas.load()).check(ask.schema, values).problems,
    ];
    const answer = (give: () => void) => {
      // The page is removed from the map first, so that `follow` does not report that the request was answered
      // elsewhere.
      this.open.delete(id);
      give();
      return true;
    };
    const page = new FormRequestPage(this.deck, {
      panel,
      title: vscode.l10n.t('Request'),
      subject: `"${serverName}"`,
      icon: 'prompt',
      draftKey: () => draftKey(request, ask),
      state: () => this.state(request, ask),
      check: problemsOf,
      // The values are checked again, because a page cannot be trusted to have checked them. The editor's selected text
      // is not suggested, because the values go to a server.
      submit: async (content) =>
        (await problemsOf(content)).length === 0 && answer(() => this.queue.answer(id, { action: 'accept', content })),
      leave: (way) => answer(() => (way === 'decline' ? this.queue.decline(id) : this.queue.dismiss(id))),
    });
    this.open.set(id, { panel, page, request });
    // Closing the tab does not answer the request. It stays in the queue with the unfinished input.
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
      target: { server: name, kind: 'elicitation', id },
      title: vscode.l10n.t('Request from "{0}"', name),
      ...(others === 0
        ? {}
        : {
            hint:
              others === 1
                ? vscode.l10n.t('1 more request from this server is waiting')
                : vscode.l10n.t('{0} more requests from this server are waiting', others),
          }),
      message: message === '' ? vscode.l10n.t('The server gave no reason.') : message,
      warnings: [
        ...hiddenSentence(hiddenInAsk(ask)),
        ...secretFields(ask.schema).map((field) =>
          vscode.l10n.t(
            '"{0}" looks like a secret. Servers must not ask for secrets in a form. Your input is sent to the server unmasked.',
            field,
          ),
        ),
      ],
      submit: vscode.l10n.t('Submit'),
      ways: [
        {
          way: 'cancel',
          text: vscode.l10n.t('Dismiss'),
          tooltip: vscode.l10n.t('Tells the server that you did not answer'),
          icon: 'close',
        },
        {
          way: 'decline',
          text: vscode.l10n.t('Decline'),
          tooltip: vscode.l10n.t('Tells the server that you declined'),
          icon: 'circle-slash',
        },
      ],
      hasModes: false,
      form: schemaForm(ask.schema),
      start: fieldDefaults(ask.schema),
      ...(this.queue.get(id) ? {} : { over: this.overText(request) }),
    };
  }

  /** If a request was answered in the view or canceled by the server, shows on its page that it has ended. */
  private follow(): void {
    for (const [id, { page, request }] of this.open) if (!this.queue.get(id)) page.end(this.overText(request));
  }

  private overText({ serverName }: WaitingRequest): string {
    return vscode.l10n.t('"{0}" no longer waits for this answer.', visibleLine(serverName, 80));
  }
}

/**
 * The key of unfinished input: the server and the question, so that the input is found when the server asks again after
 * a window reload.
 */
function draftKey({ server }: WaitingRequest, { message, schema }: FormRequest): string {
  return JSON.stringify([
    'request',
    server,
    createHash('sha256')
      .update(JSON.stringify([message, schema]))
      .digest('base64'),
  ]);
}

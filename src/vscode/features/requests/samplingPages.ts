import { createHash, randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import { isCancelled } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { jsonText } from '../../../core/base/jsonText.js';
import {
  editedAnswer,
  editedRequest,
  ownAnswer,
  samplingAnswerParts,
  samplingCause,
  samplingFacts,
  samplingParts,
  samplingWarnings,
} from '../../../core/present/form/samplingView.js';
import type { RequestQueue, WaitingRequest } from '../../../core/requests/requestQueue.js';
import type { PartEdit, SamplingAnswer, SamplingReply, SamplingState } from '../../../shared/panel/samplingPage.js';
import { panelTypes } from '../../manifest.js';
import type { ExtensionServices } from '../../ui/services.js';
import type { SampledMessage, ModelAnswers, SamplingRequest } from './modelAnswers.js';
import { SamplingPage } from './samplingPage.js';

type Services = Pick<ExtensionServices, 'drafts' | 'extension' | 'funnel' | 'host' | 'log' | 'requests'>;

/** The state of one review. It is kept while the page of the request is closed. */
interface Review {
  readonly request: WaitingRequest;
  readonly ask: SamplingRequest;
  /** Describes the calls that were running when the request arrived. */
  readonly cause: string | undefined;
  /** The last answer of a model. */
  answer?: SampledMessage & { id: string };
  isAsking: boolean;
  panel?: vscode.WebviewPanel;
  page?: SamplingPage;
}

/**
 * The pages on which the user reviews sampling requests: the request before a model receives it, and the answer before
 * the server receives it. Unfinished input is kept until the answer is sent.
 */
export class SamplingPages implements Disposable {
  private readonly store = new DisposableStore();
  private readonly reviews = new Map<string, Review>();
  private readonly queue: RequestQueue;

  constructor(
    private readonly deck: Services,
    private readonly models: ModelAnswers,
    private readonly onDismiss: (request: WaitingRequest) => void,
  ) {
    this.queue = deck.requests.queue;
    this.store.add(this.queue.onDidChange(() => this.follow()));
  }

  show(request: WaitingRequest, ask: SamplingRequest): void {
    const review = this.review(request, ask);
    if (review.panel) return review.panel.reveal();
    const title = vscode.l10n.t('Request from "{0}"', visibleLine(request.serverName, 60));
    const panel = vscode.window.createWebviewPanel(panelTypes.request, title, vscode.ViewColumn.Active, {});
    review.panel = panel;
    review.page = new SamplingPage(this.deck, {
      panel,
      subject: `"${request.serverName}"`,
      draftKey: draftKey(request, ask),
      state: () => this.state(review),
      ask: (edits) => this.ask(review, edits),
      send: (edits, answer) => this.send(review, edits, answer),
      leave: (way) => {
        this.reviews.delete(request.id);
        if (way === 'decline') return this.queue.decline(request.id);
        this.queue.dismiss(request.id);
        this.onDismiss(request);
      },
    });
    // Closing the tab does not answer the request. It stays in the queue with the unfinished input.
    panel.onDidDispose(() => {
      delete review.panel;
      delete review.page;
      if (!this.queue.get(request.id)) this.reviews.delete(request.id);
    });
  }

  private review(request: WaitingRequest, ask: SamplingRequest): Review {
    const known = this.reviews.get(request.id);
    if (known) return known;
    const { servers } = this.deck.host;
    const calls = servers.get(request.server) ? servers.figures(request.server).openCalls : [];
    const review = { request, ask, cause: samplingCause(calls), isAsking: false };
    this.reviews.set(request.id, review);
    return review;
  }

  dispose(): void {
    this.store.dispose();
    for (const { panel } of [...this.reviews.values()]) panel?.dispose();
  }

  /** Lets a model answer. The user pressed the button on the page, so no further question is needed. */
  private async ask(review: Review, edits: readonly PartEdit[]): Promise<SamplingReply> {
    const { request, ask } = review;
    const edited = editedRequest(ask.request, edits);
    if ('problem' in edited) return edited;
    if (review.isAsking || !this.queue.get(request.id)) return {};
    this.setAsking(review, true);
    try {
      const answer = { id: randomUUID(), ...(await this.models.ask(request, edited, true)) };
      if (!this.queue.get(request.id)) return {};
      review.answer = answer;
      review.page?.answer(shownAnswer(answer));
    } catch (error) {
      if (!isCancelled(error)) this.deck.funnel.show(error, request.server);
    } finally {
      this.setAsking(review, false);
    }
    return {};
  }

  private setAsking(review: Review, isAsking: boolean): void {
    review.isAsking = isAsking;
    review.page?.setAsking(isAsking);
  }

  private send(
    review: Review,
    edits: readonly PartEdit[],
    id: string | undefined,
  ): SamplingReply & { isDone: boolean } {
    const { request, answer } = review;
    if (id !== undefined && id !== answer?.id) return { isDone: false };
    const result =
      id === undefined || !answer
        ? ownAnswer(edits.find(({ index }) => index === 0)?.text ?? '')
        : editedAnswer(answer.result, edits);
    if ('problem' in result) return { ...result, isDone: false };
    // Remove the review first, so that `follow` does not report that the request was answered elsewhere.
    this.reviews.delete(request.id);
    this.queue.reply(request.id, result);
    return { isDone: true };
  }

  private state({ request, ask, cause, answer, isAsking }: Review): Omit<SamplingState, 'draft'> {
    const { id, server, serverName } = request;
    const name = visibleLine(serverName, 80);
    const others = this.queue.waiting.filter((other) => other.server === server && other.id !== id).length;
    return {
      bundle: vscode.l10n.bundle ?? {},
      target: { server: name, kind: 'sampling', id },
      title: vscode.l10n.t('"{0}" requests a model response', name),
      ...(others === 0 ? {} : { hint: moreWaiting(others) }),
      facts: samplingFacts(ask.request),
      ...(cause === undefined ? {} : { cause }),
      warnings: samplingWarnings(ask.request),
      parts: samplingParts(ask.request),
      ...(answer ? { answer: shownAnswer(answer) } : {}),
      isAsking,
      ...(this.queue.get(id) ? {} : { over: overText(request) }),
    };
  }

  /**
   * Records which calls are running when a request arrives, and ends the pages of requests that were answered in the
   * view or canceled by the server.
   */
  private follow(): void {
    for (const request of this.queue.waiting) if (request.ask.kind === 'sampling') this.review(request, request.ask);
    for (const [id, { page, request }] of [...this.reviews]) {
      if (this.queue.get(id)) continue;
      if (page) page.end(overText(request));
      else this.reviews.delete(id);
    }
  }
}

function shownAnswer({ id, model, result }: SampledMessage & { id: string }): SamplingAnswer {
  return {
    id,
    heading: vscode.l10n.t('Answer from {0}', visibleLine(model, 80)),
    parts: samplingAnswerParts(result),
  };
}

function moreWaiting(count: number): string {
  return count === 1
    ? vscode.l10n.t('1 more request from this server is waiting')
    : vscode.l10n.t('{0} more requests from this server are waiting', count);
}

function overText({ serverName }: WaitingRequest): string {
  return vscode.l10n.t('"{0}" no longer waits for this answer.', visibleLine(serverName, 80));
}

/**
 * The key of unfinished input: the server and the request, so that the input is found when the server asks again after
 * a window reload.
 */
function draftKey({ server }: WaitingRequest, { request }: SamplingRequest): string {
  return JSON.stringify(['sampling', server, createHash('sha256').update(jsonText(request)).digest('base64')]);
}

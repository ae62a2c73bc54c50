import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { HostError, UserError, isCancelled } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import type { ServersApi } from '../../../core/host/hostServers.js';
import {
  ownAnswer,
  readAnswer,
  readRequest,
  writeAnswer,
  writeRequest,
} from '../../../core/present/documents/samplingDocument.js';
import type { CreateMessageRequest, CreateMessageResult } from '../../../core/protocol/mcp.js';
import type { UserRequest, RequestQueue, WaitingRequest } from '../../../core/requests/requestQueue.js';
import type { SamplingPolicies } from '../../../core/requests/samplingPolicies.js';
import type { CommandFunnel } from '../../ui/commandFunnel.js';
import { askModel, modelsFor } from './languageModel.js';
import type { RequestDocuments } from './requestDocuments.js';
import { withProgress } from '../../adapters/userMessages.js';

type SamplingRequest = Extract<UserRequest, { kind: 'sampling' }>;

/** The state of one request under review. */
interface Review {
  /** Part of the separator lines in the documents of the request. */
  mark: string;
  answer?: CreateMessageResult;
}

export interface ReviewParts {
  servers: ServersApi;
  queue: RequestQueue;
  policies: SamplingPolicies;
  documents: RequestDocuments;
  funnel: CommandFunnel;
}

/**
 * The user's review of sampling: the request before a model receives it, and the response before the server receives
 * it.
 */
export class SamplingReview {
  private readonly reviews = new Map<string, Review>();

  constructor(private readonly parts: ReviewParts) {}

  /** Shows the request in an editable document. */
  async open(request: WaitingRequest, ask: SamplingRequest): Promise<void> {
    const { mark, answer } = this.review(request.id);
    const name = visibleLine(request.serverName, 60);
    if (answer) await this.showAnswer(request, answer, mark);
    else
      await this.parts.documents.open(
        request.id,
        'asked',
        vscode.l10n.t('Request from {0}', name),
        writeRequest(ask.request, name, mark),
      );
  }

  /** Sends the edited request to a model. Shows the response to the user before it is sent to the server. */
  async approve(request: WaitingRequest, ask: SamplingRequest): Promise<void> {
    const { mark } = this.review(request.id);
    const text = this.parts.documents.textOf(request.id, 'asked');
    const edited = text === undefined ? ask.request : readRequest(text, ask.request, mark);
    if ('problem' in edited) throw new UserError(edited.problem);
    const answer = await this.ask(request, edited, true);
    if (request.signal.aborted)
      throw new UserError(vscode.l10n.t('"{0}" no longer waits for this answer.', visibleLine(request.serverName)));
    await this.offer(request, answer);
  }

  /** Lets the user write the response. The request is not sent to a model. */
  async answerByHand(request: WaitingRequest): Promise<void> {
    await this.offer(request, {
      role: 'assistant',
      content: { type: 'text', text: '' },
      model: ownAnswer,
      stopReason: 'endTurn',
    });
  }

  /** Sends the edited response to the server. */
  async send(request: WaitingRequest): Promise<void> {
    const { mark, answer } = this.review(request.id);
    if (!answer) throw new UserError(vscode.l10n.t('There is no answer to send yet.'));
    const text = this.parts.documents.textOf(request.id, 'answer');
    const edited = text === undefined ? answer : readAnswer(text, answer, mark);
    if ('problem' in edited) throw new UserError(edited.problem);
    this.parts.queue.reply(request.id, edited);
  }

  /**
   * Answers without a review, as the user allowed for this server. After a failure, shows the error and keeps the
   * request in the queue for the user.
   */
  async answerAllowed(request: WaitingRequest, ask: SamplingRequest): Promise<void> {
    try {
      this.parts.queue.reply(request.id, await this.ask(request, ask.request, false));
    } catch (error) {
      if (!isCancelled(error)) this.parts.funnel.show(error, request.server);
    }
  }

  /** Deletes the documents of a request that ended. */
  async forget(id: string): Promise<void> {
    if (this.reviews.delete(id)) await this.parts.documents.close(id);
  }

  private async offer(request: WaitingRequest, answer: CreateMessageResult): Promise<void> {
    const review = this.review(request.id);
    await this.parts.documents.close(request.id);
    review.answer = answer;
    await this.showAnswer(request, answer, review.mark);
  }

  private showAnswer(request: WaitingRequest, answer: CreateMessageResult, mark: string): Promise<void> {
    const name = visibleLine(request.serverName, 60);
    return this.parts.documents.open(
      request.id,
      'answer',
      vscode.l10n.t('Answer for {0}', name),
      writeAnswer(answer, name, mark),
    );
  }

  private async ask(
    request: WaitingRequest,
    edited: CreateMessageRequest,
    isReviewed: boolean,
  ): Promise<CreateMessageResult> {
    const model = await this.pickModel(request, edited, isReviewed);
    const name = visibleLine(request.serverName, 60);
    const options = {
      location: vscode.ProgressLocation.Notification,
      title: vscode.l10n.t('{0} answers "{1}"', model.name, name),
      cancellable: true,
    };
    return withProgress(options, (_progress, token) => {
      const source = new vscode.CancellationTokenSource();
      token.onCancellationRequested(() => source.cancel());
      request.signal.addEventListener('abort', () => source.cancel(), { once: true });
      return askModel(model, edited, name, source.token);
    });
  }

  /**
   * Returns the only model, or asks the user to pick one. The list starts with the model that was last used for this
   * server. If the user allowed the server to sample without review, the last used model is taken without a question.
   */
  private async pickModel(
    request: WaitingRequest,
    edited: CreateMessageRequest,
    isReviewed: boolean,
  ): Promise<vscode.LanguageModelChat> {
    const models = await modelsFor(edited);
    const [first] = models;
    if (!first) {
      throw new HostError(
        'unsupported',
        vscode.l10n.t('There is no language model in this window to answer "{0}".', visibleLine(request.serverName)),
        {
          data: { isComplete: true },
          hint: vscode.l10n.t('Install an extension that provides one, or answer yourself.'),
        },
      );
    }
    const entry = this.parts.servers.get(request.server)?.entry;
    const remembered = entry && this.parts.policies.model(entry);
    const known = models.find(({ id }) => id === remembered);
    if (known && !isReviewed) return known;
    if (models.length === 1) return first;
    const ordered = known ? [known, ...models.filter((model) => model !== known)] : models;
    const items = ordered.map((model) => ({
      label: model.name,
      description: model === known ? vscode.l10n.t('{0}, last used', model.vendor) : model.vendor,
      detail: vscode.l10n.t('up to {0} tokens', model.maxInputTokens),
      model,
    }));
    const picked = await vscode.window.showQuickPick(items, {
      title: vscode.l10n.t('Model for "{0}"', visibleLine(request.serverName, 60)),
      placeHolder: vscode.l10n.t('The language model to ask'),
      matchOnDescription: true,
      ignoreFocusOut: true,
    });
    if (!picked) throw new HostError('cancelled', 'No model was picked.');
    if (entry) await this.parts.policies.setModel(entry, picked.model.id);
    return picked.model;
  }

  private review(id: string): Review {
    const known = this.reviews.get(id);
    if (known) return known;
    const review = { mark: randomBytes(4).toString('hex') };
    this.reviews.set(id, review);
    return review;
  }
}

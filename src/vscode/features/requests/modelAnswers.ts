import * as vscode from 'vscode';
import { HostError, isCancelled } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import type { ServersApi } from '../../../core/host/hostServers.js';
import type { CreateMessageRequest, CreateMessageResult } from '../../../core/protocol/mcp.js';
import type { UserRequest, RequestQueue, WaitingRequest } from '../../../core/requests/requestQueue.js';
import type { SamplingPolicies } from '../../../core/requests/samplingPolicies.js';
import type { CommandFunnel } from '../../ui/commandFunnel.js';
import { askModel, modelsFor } from './languageModel.js';
import { withProgress } from '../../adapters/userMessages.js';

export type SamplingRequest = Extract<UserRequest, { kind: 'sampling' }>;

export interface ModelAnswersParts {
  servers: ServersApi;
  queue: RequestQueue;
  policies: SamplingPolicies;
  funnel: CommandFunnel;
}

/** A model's answer, with the name of the model for the user. */
export interface SampledMessage {
  model: string;
  result: CreateMessageResult;
}

/** Lets the language models of this window answer sampling requests. */
export class ModelAnswers {
  constructor(private readonly parts: ModelAnswersParts) {}

  /**
   * Answers without a review, as the user allowed for this server. After a failure, shows the error and keeps the
   * request in the queue for the user.
   */
  async answerAllowed(request: WaitingRequest, ask: SamplingRequest): Promise<void> {
    try {
      const { result } = await this.ask(request, ask.request, false);
      this.parts.queue.reply(request.id, result);
    } catch (error) {
      if (!isCancelled(error)) this.parts.funnel.show(error, request.server);
    }
  }

  /**
   * Sends the request to a model. Rejects with `cancelled` if the user selects no model or stops the model.
   *
   * @param isReviewed Whether the user has reviewed the request. If so, the user also selects the model.
   */
  async ask(request: WaitingRequest, edited: CreateMessageRequest, isReviewed: boolean): Promise<SampledMessage> {
    const model = await this.pickModel(request, edited, isReviewed);
    const name = visibleLine(request.serverName, 60);
    const options = {
      location: vscode.ProgressLocation.Notification,
      title: vscode.l10n.t('{0} is answering "{1}"', model.name, name),
      cancellable: true,
    };
    return withProgress(options, async (_progress, token) => {
      const source = new vscode.CancellationTokenSource();
      token.onCancellationRequested(() => source.cancel());
      request.signal.addEventListener('abort', () => source.cancel(), { once: true });
      return { model: model.name, result: await askModel(model, edited, name, source.token) };
    });
  }

  /**
   * The model for the request. Without a review, this is the model that was last used for the server, if there is one.
   * Otherwise, it is the only model, or the user selects a model from a list. The model that was last used is first in
   * the list.
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
      detail: vscode.l10n.t('up to {0} input tokens', model.maxInputTokens),
      model,
    }));
    const picked = await vscode.window.showQuickPick(items, {
      title: vscode.l10n.t('Model for "{0}"', visibleLine(request.serverName, 60)),
      placeHolder: vscode.l10n.t('Select the language model to ask'),
      matchOnDescription: true,
      ignoreFocusOut: true,
    });
    if (!picked) throw new HostError('cancelled', 'No model was picked.');
    if (entry) await this.parts.policies.setModel(entry, picked.model.id);
    return picked.model;
  }
}

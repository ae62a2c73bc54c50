import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { DisposableStore } from '../../../core/base/disposable.js';
import { HostError, UserError } from '../../../core/base/hostError.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { visibleName } from '../../../core/base/visibleName.js';
import { requestLine } from '../../../core/present/tree/requestNodes.js';
import { fieldTitles, needsPage } from '../../../core/present/form/requestFields.js';
import type { RequestQueue, WaitingRequest } from '../../../core/requests/requestQueue.js';
import type { SamplingPolicies, SamplingPolicy } from '../../../core/requests/samplingPolicies.js';
import { askAboutCall } from '../../ui/callDialog.js';
import { askUnlessProven } from '../../ui/confirm.js';
import { chooseServer } from '../../ui/chooseServer.js';
import type { ExtensionServices, Feature } from '../../ui/services.js';
import type { Invocation } from '../../ui/invocation.js';
import { OfferedTarget, auditCallerOf } from '../../ui/invocation.js';
import type { CommandId, SettingKey } from '../../manifest.js';
import { commandIds, viewIds } from '../../manifest.js';
import type { AnswerDrafts } from './answerForm.js';
import { answerForm, answerUrl, askWhetherDone, hasLongMessage } from './answerForm.js';
import { askAboutAgent } from './askAboutAgent.js';
import { ModelAnswers } from './modelAnswers.js';
import { RequestPages } from './requestPages.js';
import { noticeRequests, showRequestStatus } from './requestNotices.js';
import { RequestTree } from './requestTree.js';
import { SamplingPages } from './samplingPages.js';
import { showInformation } from '../../adapters/userMessages.js';

/** The services that this file needs. */
type Services = Pick<
  ExtensionServices,
  | 'commands'
  | 'consent'
  | 'drafts'
  | 'extension'
  | 'funnel'
  | 'host'
  | 'log'
  | 'questionTexts'
  | 'requests'
  | 'schemas'
  | 'workspaceValues'
>;

/** Requests from servers to the user: the Requests view, its commands, and the review of sampling. */
export const requestsFeature: Feature = {
  name: 'requests of servers',
  register(deck): Disposable {
    return new Requests(deck).register();
  },
};

class Requests {
  private readonly queue: RequestQueue;
  private readonly store = new DisposableStore();
  private readonly models: ModelAnswers;
  private readonly pages: RequestPages;
  private readonly samplingPages: SamplingPages;
  private readonly drafts: AnswerDrafts = new Map();
  /** The requests that waited when the queue last changed, by ID. */
  private known = new Map<string, WaitingRequest>();

  constructor(private readonly deck: Services) {
    this.queue = deck.requests.queue;
    this.pages = this.store.add(new RequestPages(deck));
    this.models = new ModelAnswers({
      servers: deck.host.servers,
      queue: this.queue,
      policies: deck.requests.policies,
      funnel: deck.funnel,
    });
    this.samplingPages = this.store.add(new SamplingPages(deck, this.models, offerPolicy));
  }

  register(): Disposable {
    const { store, queue } = this;
    const { commands } = this.deck;
    store.add(new RequestTree(queue));
    store.add(noticeRequests(queue, commands.titleButtons));
    store.add(showRequestStatus(queue));
    store.add(queue.onDidChange(() => this.follow()));
    store.add(
      this.fromLine(commandIds.answerRequest, async (invocation) =>
        this.answer(await this.choose(invocation), invocation),
      ),
    );
    store.add(
      this.fromLine(commandIds.declineRequest, async (invocation) =>
        this.queue.decline((await this.choose(invocation)).id, auditCallerOf(invocation)),
      ),
    );
    store.add(
      this.fromLine(commandIds.dismissRequest, async (invocation) =>
        this.dismiss(await this.choose(invocation), invocation),
      ),
    );
    store.add(this.fromLine(commandIds.declineAllRequests, (invocation) => this.declineAll(invocation)));
    store.add(
      commands.defineCommand(commandIds.setSamplingPolicy, (invocation) =>
        setPolicy(this.deck, this.deck.requests.policies, invocation),
      ),
    );
    return store;
  }

  /**
   * Registers a command of a tree item. When the last request is answered, the view disappears. The focus then moves to
   * the Servers view, because it would be lost otherwise.
   */
  private fromLine(id: CommandId, run: (invocation: Invocation) => Promise<void>): Disposable {
    return this.deck.commands.defineCommand(id, async (invocation) => {
      await run(invocation);
      if (invocation.element && this.queue.waiting.length === 0)
        await vscode.commands.executeCommand(`${viewIds.servers}.focus`);
    });
  }

  private dismiss(request: WaitingRequest, invocation: Invocation): Promise<void> {
    this.queue.dismiss(request.id, auditCallerOf(invocation));
    if (request.ask.kind === 'sampling' && invocation.call === undefined) offerPolicy(request);
    return Promise.resolve();
  }

  private async answer(request: WaitingRequest, invocation: Invocation): Promise<void> {
    const { ask } = request;
    switch (ask.kind) {
      case 'form':
        if (needsPage(ask.schema) || (hasLongMessage(ask) && fieldTitles(ask.schema).length > 0))
          return this.pages.show(request, ask);
        this.queue.answer(request.id, await answerForm(request, ask, invocation, this.deck, this.drafts));
        return;
      case 'url':
        this.queue.answer(request.id, await answerUrl(request, ask));
        return;
      case 'visit':
        if ((await askWhetherDone(request, ask)) === 'done') this.queue.finishVisit(request.id);
        else this.queue.decline(request.id);
        return;
      case 'call': {
        const answer = await askAboutCall(ask.question);
        if (answer) this.queue.decideCall(request.id, answer);
        return;
      }
      case 'agent': {
        const isAllowed = await askAboutAgent(ask);
        if (isAllowed !== undefined) this.queue.decideAgent(request.id, isAllowed);
        return;
      }
      case 'sampling':
        this.samplingPages.show(request, ask);
    }
  }

  /** Declines all requests of one server: the server of the tree item, or one that the user selects. */
  private async declineAll(invocation: Invocation): Promise<void> {
    const { server } = await this.choose(invocation);
    for (const request of this.queue.waiting)
      if (request.server === server) this.queue.decline(request.id, auditCallerOf(invocation));
  }

  /** The request of the tree item, the only request, or one that the user selects. */
  private async choose({ target, call }: Invocation): Promise<WaitingRequest> {
    const named = call?.request;
    const id = target?.request ?? (typeof named === 'string' ? named : undefined);
    if (id !== undefined) {
      const request = this.queue.get(id);
      if (!request)
        throw new UserError(vscode.l10n.t('This request is no longer waiting. It was answered or canceled.'));
      return request;
    }
    const { waiting } = this.queue;
    const [first] = waiting;
    if (!first) throw new UserError(vscode.l10n.t('No server is waiting for an answer.'));
    if (waiting.length === 1) return first;
    const items = waiting.map((request) => ({
      label: visibleLine(request.serverName, 80),
      description: requestLine(request.ask),
      request,
    }));
    const picked = await vscode.window.showQuickPick(items, {
      title: vscode.l10n.t('Request'),
      matchOnDescription: true,
    });
    if (!picked) throw new HostError('cancelled', 'No request was picked.');
    return picked.request;
  }

  /**
   * Handles a change of the queue: answers new requests that the user allowed in advance, and deletes the drafts of
   * requests that ended.
   */
  private follow(): void {
    const waiting = new Map(this.queue.waiting.map((request) => [request.id, request]));
    for (const [id, request] of waiting) {
      if (!this.known.has(id) && request.ask.kind === 'sampling' && request.ask.isAllowed)
        void this.models.answerAllowed(request, request.ask);
    }
    for (const id of this.known.keys()) {
      if (!waiting.has(id)) this.drafts.delete(id);
    }
    this.known = waiting;
  }
}

/** Explains the effect of dismissing a sampling request, and offers to change the policy of its server. */
function offerPolicy({ server, serverName }: WaitingRequest): void {
  const change = vscode.l10n.t('Set Sampling Policy…');
  const message = vscode.l10n.t(
    '"{0}" cannot use a language model until it is restarted or you set its sampling policy.',
    visibleLine(serverName, 80),
  );
  void showInformation(message, change).then((chosen) =>
    chosen === change
      ? vscode.commands.executeCommand(commandIds.setSamplingPolicy, new OfferedTarget({ server }))
      : undefined,
  );
}

async function setPolicy(
  deck: Pick<ExtensionServices, 'consent' | 'host'>,
  policies: SamplingPolicies,
  invocation: Invocation,
): Promise<void> {
  const { entry } = await chooseServer(deck.host.servers, invocation, {
    title: vscode.l10n.t('Sampling Policy'),
    isCandidate: ({ entry: { definition } }) => definition.type !== 'builtin',
    noneMessage: vscode.l10n.t('No server is configured.'),
  });
  const current = policies.policy(entry);
  const texts: [SamplingPolicy, string, string][] = [
    [
      'ask',
      vscode.l10n.t('Ask Each Time'),
      vscode.l10n.t('You review each request before a model receives it, and each answer before the server does'),
    ],
    [
      'allow',
      vscode.l10n.t('Allow Without Asking'),
      vscode.l10n.t('The server uses your language model without asking, and you see neither requests nor answers'),
    ],
    ['never', vscode.l10n.t('Never Allow'), vscode.l10n.t('Every request is refused immediately')],
  ];
  const items = texts.map(([policy, label, detail]) => ({
    label,
    detail,
    ...(policy === current ? { description: vscode.l10n.t('current') } : {}),
    policy,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('When "{0}" requests a model response', visibleLine(entry.name, 60)),
  });
  if (!picked) return;
  if (picked.policy === 'allow' && current !== 'allow')
    await askUnlessProven(deck.consent.audit, invocation, {
      server: entry.id,
      message: vscode.l10n.t('Let "{0}" use your language model without asking?', visibleName(entry.name, 60)),
      detail: vscode.l10n.t(
        'The server can send any text to the model and receives the answers, up to the limits in the setting {0}. You see neither.',
        'mcpDeck.sampling' satisfies SettingKey,
      ),
      go: vscode.l10n.t('Allow Without Asking'),
    });
  await policies.setPolicy(entry, picked.policy);
  deck.consent.audit.note({ event: 'sampling-policy', server: entry.id, policy: picked.policy });
}

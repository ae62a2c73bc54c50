import * as vscode from 'vscode';
import { systemClock } from '../../../core/base/clock.js';
import { HostError } from '../../../core/base/hostError.js';
import { SecretFinder } from '../../../core/base/secretFinder.js';
import type { ModelImage, ModelText } from '../../../core/chat/chatModel.js';
import type { Round } from '../../../core/chat/conversation.js';
import { ToolLoop } from '../../../core/chat/toolLoop.js';
import { appContextText } from '../../../core/present/chat/appContextText.js';
import { modelInstructions } from '../../../core/present/chat/chatText.js';
import { modelTools } from '../../../core/present/chat/modelTools.js';
import { problemLines } from '../../../core/present/form/schemaProblems.js';
import { inlineCode } from '../../../core/present/text/markdown.js';
import type { ExtensionServices } from '../../ui/services.js';
import { misfitNotes, toolRun } from '../../ui/toolRun.js';
import { attachmentsOf } from './attachments.js';
import { pastTurns } from './chatHistory.js';
import { VsCodeAnswer, VsCodeModel } from './vsCodeModel.js';

export type AnswerServices = Pick<
  ExtensionServices,
  'apps' | 'host' | 'requests' | 'runLog' | 'schemas' | 'toolFinder'
>;

/** The name that the Runs view shows for the calls of a chat model. */
const chatName = '@deck';

/** An answer of the model that the user selected, with the tools of the running servers. */
export class ModelAnswer {
  private readonly loop: ToolLoop;

  constructor(
    private readonly deck: AnswerServices,
    private readonly request: vscode.ChatRequest,
    private readonly stream: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ) {
    const { host, requests, schemas, toolFinder } = deck;
    host.lifecycle.refreshStaleLists();
    this.loop = new ToolLoop(
      {
        model: new VsCodeModel(request.model, token),
        answer: new VsCodeAnswer(stream),
        finder: toolFinder,
        tools: modelTools(host.servers.list()),
        servers: host.servers,
        check: async (schema, values) => {
          const { problems } = (await schemas.load()).check(schema, values);
          return problems.length > 0 ? problemLines(problems) : undefined;
        },
        newRun: (call) => this.newRun(call),
        misfitNotes,
        questions: requests.queue,
        isWorkspaceTrusted: () => vscode.workspace.isTrusted,
        clock: systemClock,
      },
      signalOf(token),
    );
  }

  /** The rounds so far. They are also available after a failure. */
  get rounds(): readonly Round[] {
    return this.loop.rounds;
  }

  /** @param messages replaces the message of the user, for example with the messages of a prompt. */
  async run(context: vscode.ChatContext, messages?: readonly (ModelText | ModelImage)[]): Promise<void> {
    const { host } = this.deck;
    const said = messages ?? [{ kind: 'text' as const, text: this.request.prompt }];
    await this.loop.run({
      instructions: modelInstructions(host.servers.list(), this.loop.isSearched),
      past: pastTurns(context),
      request: [...this.appContext(), ...(await attachmentsOf(this.request.references)), ...said],
    });
  }

  private newRun(call: { server: string; tool: string; arguments: Record<string, unknown> }) {
    const { host, runLog } = this.deck;
    return toolRun(
      { runLog },
      {
        call: () => ({ ...call, client: chatName }),
        perform: ({ signal, onProgress, onAsk, onOutputProblems }) =>
          host.calls.runTool(call, { caller: 'model', signal, onProgress, onAsk, onOutputProblems }),
      },
    );
  }

  /** The context that open apps provide. It comes from servers, so it may contain their secrets, which are masked. */
  private appContext(): ModelText[] {
    const contexts = this.deck.apps.modelContexts;
    const text = appContextText(contexts);
    if (text === undefined) return [];
    const secrets = contexts.flatMap(({ server }) => this.deck.host.servers.secretValues(server));
    this.stream.markdown(
      vscode.l10n.t(
        'The model gets context from these apps: {0}.',
        contexts.map(({ app }) => inlineCode(app, 80)).join(', '),
      ) + '\n\n',
    );
    return [{ kind: 'text', text: new SecretFinder(secrets).mask(text) }];
  }
}

/** Returns an abort signal that aborts when the token is canceled. */
export function signalOf(token: vscode.CancellationToken): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort(new HostError('cancelled', 'The request was canceled.'));
  if (token.isCancellationRequested) abort();
  else token.onCancellationRequested(abort);
  return controller.signal;
}

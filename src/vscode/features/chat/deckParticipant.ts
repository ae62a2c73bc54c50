import * as vscode from 'vscode';
import type { ModelImage, ModelText } from '../../../core/chat/chatModel.js';
import { partsText } from '../../../core/chat/conversation.js';
import { nothingRunsMarkdown } from '../../../core/present/chat/chatText.js';
import { foundTools } from '../../../core/present/chat/foundTools.js';
import { promptsMarkdown, resourcesMarkdown } from '../../../core/present/chat/itemLists.js';
import { modelTools } from '../../../core/present/chat/modelTools.js';
import { serversMarkdown } from '../../../core/present/chat/serversList.js';
import { toolsMarkdown } from '../../../core/present/chat/toolsList.js';
import { failureMessage } from '../../../core/present/failure/failureText.js';
import { escapeMarkdown } from '../../../core/present/text/markdown.js';
import type { Tool } from '../../../core/protocol/mcp.js';
import { commandIds } from '../../manifest.js';
import type { ExtensionServices, Feature } from '../../ui/services.js';
import { cancelText } from '../../ui/toolRun.js';
import { storedAnswer } from './chatHistory.js';
import { promptInChat, readInChat, whyInChat } from './itemCommands.js';
import { ModelAnswer, signalOf } from './modelAnswer.js';
import { RunCommand } from './runCommand.js';

/**
 * `@deck` in the chat. Its commands use the servers directly. A model answers messages without a command, and the
 * messages of `/prompt`, with the available tools. An empty message lists the tools.
 */
export const chatFeature: Feature = {
  name: 'chat',
  register(deck) {
    const participant = new DeckParticipant(deck);
    deck.chat.handler = (request, context, stream, token) => participant.answer(request, context, stream, token);
    deck.chat.followups = {
      provideFollowups: ({ metadata }) =>
        metadata?.['offersTools'] === true
          ? [{ prompt: '', command: 'tools', label: vscode.l10n.t('List the tools') }]
          : [],
    };
  },
};

class DeckParticipant {
  constructor(private readonly deck: ExtensionServices) {}

  async answer(
    request: vscode.ChatRequest,
    context: vscode.ChatContext,
    stream: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<vscode.ChatResult> {
    const { prompt } = request;
    const servers = this.deck.host.servers.list();
    try {
      // These commands explain servers that do not run.
      if (request.command === 'servers') stream.markdown(serversMarkdown(servers));
      else if (request.command === 'why') whyInChat(this.deck, prompt, stream);
      else if (!servers.some(({ features }) => features)) this.explainNothingRuns(stream);
      else return await this.answerFromServers(request, context, stream, token);
    } catch (error) {
      this.explain(error, stream);
    }
    return {};
  }

  private async answerFromServers(
    request: vscode.ChatRequest,
    context: vscode.ChatContext,
    stream: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<vscode.ChatResult> {
    const { prompt, command = prompt.trim() === '' ? 'tools' : undefined } = request;
    const servers = this.deck.host.servers.list();
    switch (command) {
      case 'tools':
        stream.markdown(toolsMarkdown(servers, prompt, await this.similarTools(prompt)));
        return {};
      case 'resources':
        stream.markdown(resourcesMarkdown(servers, prompt));
        return {};
      case 'prompts':
        stream.markdown(promptsMarkdown(servers, prompt));
        return {};
      case 'run':
        await new RunCommand(this.deck, (error) => this.explain(error, stream)).run(prompt, stream, signalOf(token));
        return {};
      case 'read':
        await readInChat(this.deck, prompt, stream, signalOf(token));
        return {};
      case 'prompt': {
        const messages = await promptInChat(this.deck, prompt, stream, signalOf(token));
        return messages ? this.answerByModel(request, context, stream, token, messages) : {};
      }
      default:
        return this.answerByModel(request, context, stream, token);
    }
  }

  /** @param messages replaces the message of the user. */
  private async answerByModel(
    request: vscode.ChatRequest,
    context: vscode.ChatContext,
    stream: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
    messages?: readonly (ModelText | ModelImage)[],
  ): Promise<vscode.ChatResult> {
    const answer = new ModelAnswer(this.deck, request, stream, token);
    try {
      await answer.run(context, messages);
    } catch (error) {
      this.explain(error, stream);
    }
    return { metadata: storedAnswer(answer.rounds, messages && partsText(messages)) };
  }

  /** The tools that a search finds for the words. They are shown if no tool contains the words themselves. */
  private async similarTools(words: string): Promise<readonly { server: string; tool: Tool }[]> {
    if (words.trim() === '') return [];
    return foundTools(this.deck.toolFinder, modelTools(this.deck.host.servers.list()), words);
  }

  private explainNothingRuns(stream: vscode.ChatResponseStream): void {
    const servers = this.deck.host.servers.list();
    const { isTrusted } = vscode.workspace;
    stream.markdown(`${nothingRunsMarkdown(servers, isTrusted)}\n\n`);
    if (!isTrusted)
      stream.button({ command: 'workbench.trust.manage', title: vscode.l10n.t('Manage Workspace Trust') });
    else if (servers.some(({ entry }) => entry.isEnabled))
      stream.button({ command: commandIds.startServer, title: vscode.l10n.t('Start Server…') });
    else stream.button({ command: commandIds.addServer, title: vscode.l10n.t('Add Server…') });
  }

  /**
   * Shows an error. Errors of a language model, for example a missing consent or an exceeded quota, contain a message
   * for the user.
   */
  private explain(error: unknown, stream: vscode.ChatResponseStream): void {
    const message =
      error instanceof vscode.LanguageModelError
        ? { text: error.message, isUnexpected: false }
        : failureMessage(error, { isWorkspaceTrusted: vscode.workspace.isTrusted });
    if (!message) {
      stream.markdown(cancelText(error));
      return;
    }
    if (message.isUnexpected)
      this.deck.log.write('error', error instanceof Error ? (error.stack ?? error.message) : String(error));
    stream.markdown(`${escapeMarkdown(message.text)}\n\n`);
  }
}

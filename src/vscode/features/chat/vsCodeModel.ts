import * as vscode from 'vscode';
import { isObject } from '../../../core/base/guards.js';
import type {
  ChatAnswer,
  ChatModel,
  ModelCall,
  ModelMessage,
  ModelText,
  OfferedTool,
} from '../../../core/chat/chatModel.js';
import type { CommandId } from '../../manifest.js';
import { commandIds } from '../../manifest.js';

/** The language model of a chat request. */
export class VsCodeModel implements ChatModel {
  constructor(
    private readonly model: vscode.LanguageModelChat,
    private readonly token: vscode.CancellationToken,
  ) {}

  get maxInputTokens(): number {
    return this.model.maxInputTokens;
  }

  async *send(messages: readonly ModelMessage[], tools: readonly OfferedTool[]): AsyncGenerator<ModelText | ModelCall> {
    const response = await this.model.sendRequest(
      messages.map(messageFor),
      {
        tools: [...tools],
        justification: vscode.l10n.t('To answer your questions with the tools of your MCP servers.'),
      },
      this.token,
    );
    for await (const part of response.stream) {
      if (part instanceof vscode.LanguageModelTextPart) yield { kind: 'text', text: part.value };
      else if (part instanceof vscode.LanguageModelToolCallPart)
        yield { kind: 'call', id: part.callId, name: part.name, input: part.input };
    }
  }

  async countTokens(text: string): Promise<number> {
    return this.model.countTokens(text, this.token);
  }
}

function messageFor({ role, parts }: ModelMessage): vscode.LanguageModelChatMessage {
  const { User, Assistant } = vscode.LanguageModelChatMessageRole;
  return new vscode.LanguageModelChatMessage(role === 'user' ? User : Assistant, parts.flatMap(contentFor));
}

function contentFor(
  part: ModelMessage['parts'][number],
): (
  | vscode.LanguageModelTextPart
  | vscode.LanguageModelDataPart
  | vscode.LanguageModelToolCallPart
  | vscode.LanguageModelToolResultPart
)[] {
  switch (part.kind) {
    case 'text':
      return [new vscode.LanguageModelTextPart(part.text)];
    case 'image':
      return [vscode.LanguageModelDataPart.image(part.bytes, part.mimeType)];
    case 'call':
      return [new vscode.LanguageModelToolCallPart(part.id, part.name, isObject(part.input) ? part.input : {})];
    case 'result':
      return [new vscode.LanguageModelToolResultPart(part.id, part.parts.flatMap(contentFor))];
  }
}

/** The answer of the participant in the chat view. */
export class VsCodeAnswer implements ChatAnswer {
  constructor(private readonly stream: vscode.ChatResponseStream) {}

  markdown(text: string): void {
    this.stream.markdown(text);
  }

  linkToRun(id: string): void {
    this.stream.markdown(commandLink(vscode.l10n.t('Open Run'), commandIds.openRun, { run: id }));
  }

  linkToQuestion(id: string): void {
    const title = vscode.l10n.t('Waiting for your approval: review the call');
    this.stream.markdown(commandLink(title, commandIds.answerRequest, { request: id }));
  }
}

/**
 * A Markdown link that runs a command. If buttons or progress parts were used, VS Code would collapse everything before
 * the last text, including the tool calls. Markdown that can run a command must not contain text from a server.
 */
function commandLink(title: string, command: CommandId, argument: object): vscode.MarkdownString {
  const link = new vscode.MarkdownString(
    `[${title}](command:${command}?${encodeURIComponent(JSON.stringify([argument]))})\n\n`,
  );
  link.isTrusted = { enabledCommands: [command] };
  return link;
}

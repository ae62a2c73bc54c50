import * as vscode from 'vscode';
import { isObject } from '../../../core/base/guards.js';
import { imageOf } from '../../../core/chat/modelCall.js';
import { visibleText } from '../../../core/base/hostileText.js';
import { objectOf } from '../../../core/base/objectCopy.js';
import { HostError } from '../../../core/base/hostError.js';
import { toolSchema } from '../../../core/present/chat/modelTools.js';
import { hintRank } from '../../../core/requests/modelHints.js';
import type { CreateMessageRequest, CreateMessageResult, SamplingContent } from '../../../core/protocol/mcp.js';

/** The language models of this window. Models that match the server's preferences come first. */
export async function modelsFor(request: CreateMessageRequest): Promise<vscode.LanguageModelChat[]> {
  const models = await vscode.lm.selectChatModels();
  const rank = (model: vscode.LanguageModelChat) =>
    hintRank(request.modelPreferences, [model.id, model.name, model.family, model.vendor]);
  return [...models].sort((a, b) => rank(a) - rank(b));
}

/**
 * Lets `model` answer a sampling request (specification: client/sampling). Content of a type that the model does not
 * support is replaced by a description. Hidden characters in texts are escaped, because the user does not see them
 * (security requirement L2).
 */
export async function askModel(
  model: vscode.LanguageModelChat,
  request: CreateMessageRequest,
  serverName: string,
  token: vscode.CancellationToken,
): Promise<CreateMessageResult> {
  const messages = [
    // The API has no system role, so the system prompt becomes the first user message.
    ...(request.systemPrompt === undefined ? [] : [vscode.LanguageModelChatMessage.User(shown(request.systemPrompt))]),
    ...request.messages.map(({ role, content }) => {
      const parts = (Array.isArray(content) ? content : [content]).map(partOf);
      return role === 'user'
        ? vscode.LanguageModelChatMessage.User(
            parts.filter(
              (part): part is Exclude<Part, vscode.LanguageModelToolCallPart> =>
                !(part instanceof vscode.LanguageModelToolCallPart),
            ),
          )
        : vscode.LanguageModelChatMessage.Assistant(
            parts.filter(
              (part): part is Exclude<Part, vscode.LanguageModelToolResultPart> =>
                !(part instanceof vscode.LanguageModelToolResultPart),
            ),
          );
    }),
  ];
  const tools = request.toolChoice?.mode === 'none' ? [] : (request.tools ?? []);
  const response = await model.sendRequest(
    messages,
    {
      justification: vscode.l10n.t('The MCP server "{0}" requested a model response, and you allowed it.', serverName),
      tools: tools.map(({ name, description = '', inputSchema }) => ({
        name: shown(name),
        description: shown(description),
        inputSchema: toolSchema(inputSchema),
      })),
      toolMode:
        request.toolChoice?.mode === 'required'
          ? vscode.LanguageModelChatToolMode.Required
          : vscode.LanguageModelChatToolMode.Auto,
      modelOptions: {
        max_tokens: request.maxTokens,
        ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
        ...(request.stopSequences === undefined ? {} : { stop: request.stopSequences }),
      },
    },
    token,
  );
  const content: SamplingContent[] = [];
  let text = '';
  const flush = () => {
    if (text !== '') content.push({ type: 'text', text });
    text = '';
  };
  for await (const part of response.stream) {
    if (part instanceof vscode.LanguageModelTextPart) text += part.value;
    else if (part instanceof vscode.LanguageModelToolCallPart) {
      flush();
      content.push({ type: 'tool_use', id: part.callId, name: part.name, input: part.input });
    }
  }
  flush();
  const [only] = content;
  if (!only)
    throw new HostError(
      'unsupported',
      vscode.l10n.t('The model "{0}" gave an empty answer to "{1}".', model.name, serverName),
      { data: { isComplete: true }, hint: vscode.l10n.t('Try another model, or answer yourself.') },
    );
  return {
    role: 'assistant',
    content: content.length === 1 ? only : content,
    model: model.id,
    stopReason: content.some(({ type }) => type === 'tool_use') ? 'toolUse' : 'endTurn',
  };
}

function shown(text: string): string {
  return visibleText(text, Infinity);
}

/** The same value with all names and texts as `shown` returns them. */
function shownTexts(value: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(JSON.stringify(value), (_name, part: unknown) => {
    if (typeof part === 'string') return shown(part);
    return isObject(part) ? objectOf(Object.entries(part).map(([name, member]) => [shown(name), member])) : part;
  }) as Record<string, unknown>;
}

type Part =
  | vscode.LanguageModelTextPart
  | vscode.LanguageModelDataPart
  | vscode.LanguageModelToolCallPart
  | vscode.LanguageModelToolResultPart;

function partOf(block: SamplingContent): Part {
  const { type, text, data, id, name, input, toolUseId, content } = block;
  if (type === 'text' && typeof text === 'string') return new vscode.LanguageModelTextPart(shown(text));
  const image = type === 'image' && typeof data === 'string' ? imageOf(Buffer.from(data, 'base64')) : undefined;
  if (image) return new vscode.LanguageModelDataPart(image.bytes, image.mimeType);
  if (type === 'tool_use' && typeof id === 'string' && typeof name === 'string')
    return new vscode.LanguageModelToolCallPart(shown(id), shown(name), isObject(input) ? shownTexts(input) : {});
  if (type === 'tool_result' && typeof toolUseId === 'string') {
    const texts = (Array.isArray(content) ? content : []).flatMap((one) =>
      isObject(one) && typeof one['text'] === 'string' ? [new vscode.LanguageModelTextPart(shown(one['text']))] : [],
    );
    return new vscode.LanguageModelToolResultPart(shown(toolUseId), texts);
  }
  return new vscode.LanguageModelTextPart(shown(`[${type}]`));
}

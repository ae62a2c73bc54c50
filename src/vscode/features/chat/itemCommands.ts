import * as vscode from 'vscode';
import type { ModelImage, ModelText } from '../../../core/chat/chatModel.js';
import { promptParts } from '../../../core/chat/promptParts.js';
import { resultMarkdown } from '../../../core/present/chat/chatText.js';
import { readPromptRequest, readReadRequest, readWhyRequest } from '../../../core/present/chat/namedItems.js';
import { whyAllMarkdown, whyServerMarkdown, whyToolMarkdown } from '../../../core/present/chat/serversList.js';
import { presentPrompt, presentToolResult } from '../../../core/present/result/toolResult.js';
import type { ContentBlock, ResourceContents } from '../../../core/protocol/mcp.js';
import { commandIds } from '../../manifest.js';
import { calledServer } from '../../ui/configuredServers.js';
import { userChoice } from '../../ui/invocation.js';
import type { ExtensionServices } from '../../ui/services.js';

type Services = Pick<ExtensionServices, 'consent' | 'host'>;

/** `/read`: shows one resource of a running server. */
export async function readInChat(
  { host }: Services,
  prompt: string,
  stream: vscode.ChatResponseStream,
  signal: AbortSignal,
): Promise<void> {
  const request = readReadRequest(prompt, host.servers.list());
  if ('problem' in request) {
    stream.markdown(request.problem);
    return;
  }
  const { server, uri } = request;
  const { contents } = await host.calls.readResource({ server, uri }, { signal, isUnattended: true });
  const result = presentToolResult({ content: contents.map(contentOf) }, { server, tool: uri });
  stream.markdown(resultMarkdown(result, host.servers.secretValues(server)));
  stream.button({
    command: commandIds.readResource,
    title: vscode.l10n.t('Open Resource'),
    arguments: [userChoice(commandIds.readResource, { server, uri })],
  });
}

/** Shows the text of a resource without the line that names its URI, because the user has just typed the URI. */
function contentOf(resource: ResourceContents): ContentBlock {
  return typeof resource.text === 'string' ? { type: 'text', text: resource.text } : { type: 'resource', resource };
}

/**
 * `/prompt`: shows the messages of a prompt. Resolves with the messages for a model. If the request has a problem,
 * shows the problem and resolves with undefined.
 */
export async function promptInChat(
  { host }: Services,
  prompt: string,
  stream: vscode.ChatResponseStream,
  signal: AbortSignal,
): Promise<(ModelText | ModelImage)[] | undefined> {
  const request = readPromptRequest(prompt, host.servers.list());
  if ('problem' in request) {
    stream.markdown(request.problem);
    stream.button({ command: commandIds.getPrompt, title: vscode.l10n.t('Get Prompt…') });
    return undefined;
  }
  const {
    server,
    prompt: { name },
    arguments: values,
  } = request;
  const result = await host.calls.getPrompt(
    { server, prompt: name, arguments: values },
    { signal, isUnattended: true },
  );
  const secrets = host.servers.secretValues(server);
  stream.markdown(resultMarkdown(presentPrompt(result, { prompt: name }), secrets));
  return promptParts(result, { server, prompt: name }, secrets);
}

/** `/why`: why servers do not run, why tools are hidden from models, and what the rules decide about a tool. */
export function whyInChat({ host, consent }: Services, prompt: string, stream: vscode.ChatResponseStream): void {
  const servers = host.servers.list();
  if (prompt.trim() === '') {
    stream.markdown(whyAllMarkdown(servers));
    return;
  }
  const request = readWhyRequest(prompt, servers);
  if ('problem' in request) {
    stream.markdown(request.problem);
    return;
  }
  const { view, tool } = request;
  if (tool) {
    const decided = consent.calls.explain({ server: calledServer(view), tool, arguments: {}, caller: 'model' });
    stream.markdown(whyToolMarkdown(view, tool, decided));
    return;
  }
  stream.markdown(whyServerMarkdown(view));
  if (view.features || !view.entry.isEnabled) return;
  const [command, title] =
    view.state.kind === 'failed'
      ? [commandIds.diagnoseServer, vscode.l10n.t('Diagnose Server…')]
      : [commandIds.startServer, vscode.l10n.t('Start Server')];
  stream.button({ command, title, arguments: [userChoice(command, { server: view.id })] });
}

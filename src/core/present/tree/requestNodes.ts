/**
 * The waiting requests as text, for the lines of the Requests view and for the question before a page is opened.
 * Server text is escaped, and the configured name of the server is always shown with it.
 */
import { t } from '@vscode/l10n';
import { shownText, visibleLine } from '../../base/hostileText.js';
import { visibleName } from '../../base/visibleName.js';
import type { CreateMessageRequest, SamplingContent } from '../../protocol/mcp.js';
import type { SafeUrl } from '../../requests/urlVerdict.js';
import type { UserRequest, WaitingRequest } from '../../requests/requestQueue.js';
import { fieldTitles } from '../form/requestFields.js';
import { flagged, hiddenIn, hiddenInSampling, hiddenInTool, hiddenSentence, hiddenWords } from '../text/hiddenText.js';
import { agentQuestion } from '../questions/agentQuestion.js';
import { callQuestion } from '../questions/callQuestion.js';
import { callerName } from '../text/callText.js';
import { contextValues } from './contextValues.js';
import { elapsedText } from '../text/runTexts.js';
import { escapeMarkdownLine, escapeParagraphs, inlineCode } from '../text/markdown.js';
import type { NodeIcon, TreeNode } from './treeNode.js';
import { nodeId } from './treeNode.js';

/** The lines of the Requests view, in the order of the requests. */
export function requestNodes(waiting: readonly WaitingRequest[]): TreeNode[] {
  return waiting.map((request) => requestNode(request));
}

function requestNode({ id, server, serverName, receivedAt, ask, client }: WaitingRequest): TreeNode {
  const label = visibleLine(serverName, 80);
  const hidden = hiddenInAsk(ask);
  const line = flagged(requestLine(ask), hidden);
  const description = client === undefined ? line : t('{0} (for {1})', line, callerName('agent', client));
  return {
    id: nodeId('request', id),
    kind: 'request',
    label,
    description,
    icon: hidden > 0 ? { name: 'warning', color: 'problemsWarningIcon.foreground' } : icons[ask.kind],
    contextValue: contextValues.request,
    isCollapsible: false,
    target: { server, request: id },
    name: description,
    onClick: 'answerRequest',
    spokenLabel: `${label}, ${description}`,
    tooltip: (now) => tooltip(serverName, ask, now - receivedAt, client),
  };
}

const icons: Record<UserRequest['kind'], NodeIcon> = {
  form: { name: 'edit' },
  url: { name: 'link-external' },
  visit: { name: 'globe' },
  sampling: { name: 'sparkle' },
  call: { name: 'shield' },
  agent: { name: 'plug' },
};

/**
 * The number of hidden characters in a request. Counts those in its message, in all parts of its form, in the tool and
 * the arguments of a call, and in the whole conversation of a sampling request.
 */
export function hiddenInAsk(ask: UserRequest): number {
  switch (ask.kind) {
    case 'form':
      return hiddenIn([ask.message, ask.schema]);
    case 'url':
    case 'visit':
      return hiddenIn(ask.message);
    case 'call':
      return hiddenIn(ask.question.arguments) + hiddenInTool(ask.question.tool);
    case 'sampling':
      return hiddenInSampling(ask.request);
    case 'agent':
      return 0;
  }
}

/** The request, on one line. */
export function requestLine(ask: UserRequest): string {
  switch (ask.kind) {
    case 'form':
      return visibleLine(ask.message, 200) || t('asks for information');
    case 'url':
      return [t('open a page on {0}', ask.url.host), visibleLine(ask.message, 160)]
        .filter((part) => part !== '')
        .join(': ');
    case 'visit':
      return t('waiting for you to finish on {0}', ask.url.host);
    case 'call':
      return t(
        'run "{0}" for {1}?',
        visibleName(ask.question.tool.name, 80),
        callerName(ask.question.caller, ask.question.client),
      );
    case 'agent':
      return t('an agent wants to use your servers');
    case 'sampling': {
      const text = lastText(ask.request);
      return text === '' ? t('requests a model response') : t('requests a model response: {0}', visibleLine(text, 160));
    }
  }
}

/** The request as a sentence. `name` is the configured name of the server, or the name that an agent gives itself. */
export function requestSentence(name: string, ask: UserRequest): string {
  return [sentenceOf(name, ask), ...hiddenSentence(ask.kind === 'call' ? 0 : hiddenInAsk(ask))].join(' ');
}

function sentenceOf(name: string, ask: UserRequest): string {
  switch (ask.kind) {
    case 'form':
      return ask.message.trim() === ''
        ? t('"{0}" asks you for information.', name)
        : t('"{0}" asks: {1}', name, visibleLine(ask.message, 200));
    case 'url':
      return t(
        '"{0}" asks you to open a page on {1}: {2}',
        name,
        ask.url.host,
        visibleLine(ask.message, 160) || t('The server gave no reason.'),
      );
    case 'visit':
      return t('"{0}" is waiting for you to finish on {1}.', name, ask.url.host);
    case 'call':
      return t(
        'A call waits for your answer: run "{0}" of "{1}" for {2}?',
        visibleName(ask.question.tool.name, 80),
        name,
        callerName(ask.question.caller, ask.question.client),
      );
    case 'agent':
      return t('An agent that calls itself "{0}" wants to use your MCP servers through the gateway.', name);
    case 'sampling':
      return t('"{0}" requests a model response (sampling): {1}', name, visibleLine(lastText(ask.request), 160));
  }
}

/**
 * The question before a page is opened. It shows the complete URL, because only the URL determines where the page is.
 */
export function openPageQuestion(
  serverName: string,
  message: string,
  url: SafeUrl,
): { message: string; detail: string } {
  const parts = [
    ...(message.trim() === '' ? [] : [t('The server says: {0}', shownText(message, 1_000))]),
    ...hiddenSentence(hiddenIn(message)),
    t('Address: {0}', url.href),
    ...(url.readableHost === undefined
      ? []
      : [t('The host looks like "{0}" but is "{1}". Such names can imitate other hosts.', url.readableHost, url.host)]),
    t('MCP Deck does not receive what you enter on that page.'),
    t('"Decline" tells the server that you declined. "Not Now" leaves the request in the Requests view.'),
  ];
  return {
    message: t('"{0}" asks you to open a page on {1}.', visibleName(serverName, 80), url.host),
    detail: parts.join('\n\n'),
  };
}

function tooltip(serverName: string, ask: UserRequest, waitedMs: number, client: string | undefined): string {
  const hidden = hiddenInAsk(ask);
  const parts = [
    `**${escapeMarkdownLine(serverName)}**`,
    ...(hidden === 0 ? [] : [`$(warning) **${t('{0} in the request of the server', hiddenWords(hidden))}**`]),
  ];
  switch (ask.kind) {
    case 'form': {
      const titles = fieldTitles(ask.schema);
      parts.push(escapeParagraphs(ask.message));
      if (titles.length > 0)
        parts.push(`${t('Fields')}: ${titles.map((title) => escapeMarkdownLine(title)).join(', ')}`);
      break;
    }
    case 'url':
    case 'visit':
      parts.push(escapeParagraphs(ask.message), inlineCode(ask.url.href, 2_100));
      break;
    case 'call':
      parts.push(escapeParagraphs(callQuestion(ask.question).detail));
      break;
    case 'agent':
      parts.push(escapeParagraphs(agentQuestion(ask).detail));
      break;
    case 'sampling':
      parts.push(escapeParagraphs(lastText(ask.request), 1_000));
      break;
  }
  if (client !== undefined) parts.push(escapeMarkdownLine(t('Sent during a call by {0}', callerName('agent', client))));
  parts.push(t('Waiting for {0}', elapsedText(waitedMs)));
  return parts.filter((part) => part !== '').join('\n\n');
}

/** The last text of the conversation that is sent to the model. */
function lastText({ messages }: CreateMessageRequest): string {
  const last = messages.at(-1)?.content;
  const blocks: SamplingContent[] = last === undefined ? [] : Array.isArray(last) ? last : [last];
  return blocks
    .map((block) => (typeof block['text'] === 'string' ? block['text'] : ''))
    .join(' ')
    .trim();
}

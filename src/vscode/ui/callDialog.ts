import * as vscode from 'vscode';
import { Sequencer } from '../../core/base/sequencer.js';
import { visibleLine } from '../../core/base/hostileText.js';
import type { CallAnswer, CallQuestion, CallAsker } from '../../core/consent/callConsent.js';
import { choosePattern } from './callPattern.js';
import { callDocument, callQuestion } from '../../core/present/questions/callQuestion.js';
import { answerScope } from '../../core/present/text/callText.js';
import { showWarning } from '../adapters/userMessages.js';
import { HostError } from '../../core/base/hostError.js';
import type { RequestQueue } from '../../core/requests/requestQueue.js';

/** Shows one dialog at a time, regardless of how many calls wait (security requirement C11). */
const dialogs = new Sequencer();

/**
 * Asks for approval of a call in a modal dialog, because the user's own action led to it. Returns undefined if the user
 * gives no answer.
 */
export async function askAboutCall(question: CallQuestion): Promise<CallAnswer | undefined> {
  const { message, detail, isCut } = callQuestion(question);
  const answer = await dialogs.run(() => ask(question, message, { modal: true, detail }, isCut));
  if (answer !== 'look') return answer;
  const document = await vscode.workspace.openTextDocument({
    content: callDocument(question),
    language: 'plaintext',
  });
  await vscode.window.showTextDocument(document, { preview: true });
  // This question is a notification, because a dialog would cover the text. It runs outside the sequencer, so that
  // other questions need not wait until the user has read the text.
  const afterReading = await ask(question, message, {}, false);
  return afterReading === 'look' ? undefined : afterReading;
}

/**
 * @param isUnread true if the question does not show all arguments. The user must open them before the call can be
 * allowed.
 */
async function ask(
  question: CallQuestion,
  message: string,
  options: vscode.MessageOptions,
  isUnread: boolean,
): Promise<CallAnswer | 'look' | undefined> {
  // Pressing Enter chooses the first button, so the first button denies. "Always…" comes last and opens a second
  // question.
  const deny: vscode.MessageItem = { title: vscode.l10n.t('Deny') };
  const once: vscode.MessageItem = { title: vscode.l10n.t('Allow Once') };
  const session: vscode.MessageItem = { title: vscode.l10n.t('Allow for Session') };
  const always: vscode.MessageItem = { title: vscode.l10n.t('Always…') };
  const look: vscode.MessageItem = { title: vscode.l10n.t('Show Arguments') };
  const later: vscode.MessageItem = { title: vscode.l10n.t('Not Now'), isCloseAffordance: true };
  const choices = isUnread ? [deny, look, later] : [deny, once, session, always, later];
  const answer = await showWarning(message, options, ...choices);
  if (answer === deny) return { effect: 'deny' };
  if (answer === once) return { effect: 'allow' };
  if (answer === session) return { effect: 'allow', remember: { lifetime: 'session', onlyTheseArguments: false } };
  if (answer === always) return chooseRule(question);
  return answer === look ? 'look' : undefined;
}

async function chooseRule(question: CallQuestion): Promise<CallAnswer | undefined> {
  const { server, tool, hasSecrets, caller, client } = question;
  const rule = (
    effect: CallAnswer['effect'],
    lifetime: 'workspace' | 'always',
    onlyTheseArguments: boolean,
  ): CallAnswer => ({ effect, remember: { lifetime, onlyTheseArguments } });
  const bound = `${answerScope(caller, client)}. ${vscode.l10n.t('Expires when the tool or its server changes')}`;
  const hasArguments = Object.keys(question.arguments).length > 0;
  const items: (vscode.QuickPickItem & { answer: CallAnswer | undefined })[] = [
    ...(hasSecrets
      ? []
      : [
          {
            label: vscode.l10n.t('Allow these arguments in this workspace'),
            detail: bound,
            answer: rule('allow', 'workspace', true),
          },
        ]),
    ...(hasSecrets || !hasArguments
      ? []
      : [
          {
            label: vscode.l10n.t('Allow arguments that match a pattern…'),
            detail: vscode.l10n.t('For example, all files in one folder'),
            answer: undefined,
          },
        ]),
    {
      label: vscode.l10n.t('Allow this tool in this workspace'),
      detail: bound,
      answer: rule('allow', 'workspace', false),
    },
    {
      label: vscode.l10n.t('Allow this tool everywhere'),
      detail: `${bound}. ${vscode.l10n.t('Written to your settings')}`,
      answer: rule('allow', 'always', false),
    },
    { label: vscode.l10n.t('Deny this tool in this workspace'), answer: rule('deny', 'workspace', false) },
    {
      label: vscode.l10n.t('Deny this tool everywhere'),
      detail: vscode.l10n.t('Written to your settings'),
      answer: rule('deny', 'always', false),
    },
  ];
  const title = vscode.l10n.t('Always, for "{0}" of "{1}"', visibleLine(tool.name, 60), visibleLine(server, 60));
  const picked = await vscode.window.showQuickPick(items, { title, ignoreFocusOut: true });
  return picked && (picked.answer ?? choosePattern(question));
}

/**
 * Shows the question immediately if the user started the call or is waiting for it. All other questions wait in the
 * Requests view, which does not interrupt the user.
 */
export class CallPrompt implements CallAsker {
  constructor(private readonly queue: RequestQueue) {}

  async ask(question: CallQuestion, signal: AbortSignal = new AbortController().signal): Promise<CallAnswer> {
    if (question.caller !== 'user' && question.asksAtOnce === undefined) return this.queue.askCall(question, signal);
    const answer = await askAboutCall(question);
    signal.throwIfAborted();
    if (!answer) throw new HostError('cancelled', 'The user did not answer.', { data: { isUnanswered: true } });
    return answer;
  }
}

import * as vscode from 'vscode';
import { agentQuestion } from '../../../core/present/questions/agentQuestion.js';
import type { UserRequest } from '../../../core/requests/requestQueue.js';
import { showWarning } from '../../adapters/userMessages.js';

/** Asks whether a client may use the gateway. Undefined if the user does not answer now. */
export async function askAboutAgent(question: Extract<UserRequest, { kind: 'agent' }>): Promise<boolean | undefined> {
  const { message, detail, unreadPreset } = agentQuestion(question);
  const answer = await ask(message, { modal: true, detail }, unreadPreset !== undefined);
  if (answer !== 'show') return answer;
  const content = `${message}\n\n${detail}\n\n${unreadPreset ?? ''}\n`;
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content, language: 'plaintext' }));
  // This question is a notification, because a dialog would cover the text.
  const afterReading = await ask(message, {}, false);
  return afterReading === 'show' ? undefined : afterReading;
}

/** @param isUnread true if the question does not show the whole preset. The user must open it first. */
async function ask(
  message: string,
  options: vscode.MessageOptions,
  isUnread: boolean,
): Promise<boolean | 'show' | undefined> {
  // Pressing Enter chooses the first button, so the first button denies.
  const deny: vscode.MessageItem = { title: vscode.l10n.t('Deny') };
  const allow: vscode.MessageItem = { title: vscode.l10n.t('Allow') };
  const show: vscode.MessageItem = { title: vscode.l10n.t('Show Preset') };
  const later: vscode.MessageItem = { title: vscode.l10n.t('Not Now'), isCloseAffordance: true };
  const answer = await showWarning(message, options, deny, isUnread ? show : allow, later);
  if (answer === show) return 'show';
  return answer === allow ? true : answer === deny ? false : undefined;
}

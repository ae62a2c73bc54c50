import * as vscode from 'vscode';
import { agentQuestion } from '../../../core/present/questions/agentQuestion.js';
import type { UserRequest } from '../../../core/requests/requestQueue.js';
import { showWarning } from '../../adapters/userMessages.js';

/** Asks whether a client may use the gateway. Undefined if the user does not answer now. */
export async function askAboutAgent(ask: Extract<UserRequest, { kind: 'agent' }>): Promise<boolean | undefined> {
  const { message, detail } = agentQuestion(ask);
  // Pressing Enter chooses the first button, so the first button denies.
  const deny: vscode.MessageItem = { title: vscode.l10n.t('Deny') };
  const allow: vscode.MessageItem = { title: vscode.l10n.t('Allow') };
  const later: vscode.MessageItem = { title: vscode.l10n.t('Not Now'), isCloseAffordance: true };
  const answer = await showWarning(message, { modal: true, detail }, deny, allow, later);
  return answer === allow ? true : answer === deny ? false : undefined;
}

import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { toDisposable } from '../../../core/base/disposable.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { requestSentence } from '../../../core/present/tree/requestNodes.js';
import type { RequestQueue, WaitingRequest } from '../../../core/requests/requestQueue.js';
import { UserChoice } from '../../ui/invocation.js';
import { commandIds, viewIds } from '../../manifest.js';
import { showInformation } from '../../adapters/userMessages.js';

/** Requests that arrive within this time, in milliseconds, share one notification. */
const burstMs = 200;

/**
 * Shows a notification about a new request without taking the focus. While a reported request is waiting, further
 * requests only increase the number in the badge of the view (security requirement C11).
 */
export function noticeRequests(queue: RequestQueue): Disposable {
  let reported = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const report = () => {
    timer = undefined;
    const { waiting } = queue;
    reported = new Set(waiting.map(({ id }) => id).filter((id) => reported.has(id)));
    const [first] = waiting.filter(needsUser);
    if (!first || reported.size > 0) return;
    for (const { id, server } of waiting) if (server === first.server) reported.add(id);
    void notice(queue, first);
  };
  const listener = queue.onDidChange(() => (timer ??= setTimeout(report, burstMs)));
  return toDisposable(() => {
    clearTimeout(timer);
    listener.dispose();
  });
}

function needsUser({ ask }: WaitingRequest): boolean {
  return ask.kind !== 'sampling' || !ask.isAllowed;
}

async function notice(queue: RequestQueue, first: WaitingRequest): Promise<void> {
  const ofServer = queue.waiting.filter(({ server }) => server === first.server);
  const name = visibleLine(first.serverName, 80);
  if (ofServer.length > 1) {
    const show = vscode.l10n.t('Show Requests');
    const chosen = await showInformation(vscode.l10n.t('"{0}" sent you {1} requests.', name, ofServer.length), show);
    if (chosen === show) await vscode.commands.executeCommand(`${viewIds.requests}.focus`);
    return;
  }
  if (first.ask.kind === 'visit') return noticeVisit(queue, first);
  const answer = vscode.l10n.t('Answer…');
  const decline = vscode.l10n.t('Decline');
  const chosen = await showInformation(requestSentence(name, first.ask), answer, decline);
  if (chosen === undefined) return;
  const command = chosen === answer ? commandIds.answerRequest : commandIds.declineRequest;
  await vscode.commands.executeCommand(command, new UserChoice(command, { server: first.server, request: first.id }));
}

/** Asks whether the user has finished on the page. The user has already seen the question and opened the page. */
async function noticeVisit(queue: RequestQueue, { id, serverName, ask }: WaitingRequest): Promise<void> {
  const done = vscode.l10n.t('Continue');
  const giveUp = vscode.l10n.t('Give Up');
  const chosen = await showInformation(requestSentence(visibleLine(serverName, 80), ask), done, giveUp);
  if (chosen === done) queue.finishVisit(id);
  else if (chosen === giveUp) queue.decline(id);
}

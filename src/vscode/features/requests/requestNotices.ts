import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { toDisposable } from '../../../core/base/disposable.js';
import { visibleLine } from '../../../core/base/hostileText.js';
import { requestSentence } from '../../../core/present/tree/requestNodes.js';
import type { RequestQueue, WaitingRequest } from '../../../core/requests/requestQueue.js';
import type { TitleButtons } from '../../ui/titleButtons.js';
import { queryWith } from '../../ui/titleButtons.js';
import type { CommandId } from '../../manifest.js';
import { commandIds, viewIds } from '../../manifest.js';
import { showInformation, showUntil } from '../../adapters/userMessages.js';

/** Requests that arrive within this time, in milliseconds, share one notification. */
const burstMs = 200;

/**
 * Shows a notification about a new request without taking the focus, until the request has ended. While a reported request is waiting, further
 * requests only increase the number in the badge of the view (security requirement C11).
 */
export function noticeRequests(queue: RequestQueue, buttons: TitleButtons): Disposable {
  let reported = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const report = () => {
    timer = undefined;
    const { waiting } = queue;
    reported = new Set(waiting.map(({ id }) => id).filter((id) => reported.has(id)));
    const [first] = waiting.filter(needsUser);
    if (!first || reported.size > 0) return;
    for (const { id, server } of waiting) if (server === first.server) reported.add(id);
    void notice(queue, first, buttons);
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

async function notice(queue: RequestQueue, first: WaitingRequest, buttons: TitleButtons): Promise<void> {
  const ofServer = queue.waiting.filter(({ server }) => server === first.server);
  const name = visibleLine(first.serverName, 80);
  const over = whenEnded(queue, ofServer);
  if (ofServer.length > 1) {
    const show = { label: vscode.l10n.t('Show Requests'), command: `${viewIds.requests}.focus` };
    await showUntil(over, vscode.l10n.t('"{0}" sent you {1} requests.', name, ofServer.length), [show]);
    return;
  }
  if (first.ask.kind === 'visit') return noticeVisit(queue, first);
  const tokens: string[] = [];
  const link = (label: string, command: CommandId) => {
    const token = buttons.issue([command], { server: first.server, request: first.id });
    tokens.push(token);
    const argument = vscode.Uri.from({ scheme: 'mcp-deck-request', path: '/', query: queryWith({}, token) });
    return { label, command, argument };
  };
  await showUntil(over, requestSentence(name, first.ask), [
    link(vscode.l10n.t('Answer…'), commandIds.answerRequest),
    link(vscode.l10n.t('Decline'), commandIds.declineRequest),
  ]);
  for (const token of tokens) buttons.withdraw(token);
}

/** Resolves when none of the requests waits any more. */
function whenEnded(queue: RequestQueue, requests: readonly WaitingRequest[]): Promise<void> {
  return new Promise((resolve) => {
    const listener = queue.onDidChange(() => {
      if (requests.some(({ id }) => queue.get(id) !== undefined)) return;
      listener.dispose();
      resolve();
    });
  });
}

/** Asks whether the user has finished on the page. The user has already seen the question and opened the page. */
async function noticeVisit(queue: RequestQueue, { id, serverName, ask }: WaitingRequest): Promise<void> {
  const done = vscode.l10n.t('Continue');
  const giveUp = vscode.l10n.t('Give Up');
  const chosen = await showInformation(requestSentence(visibleLine(serverName, 80), ask), done, giveUp);
  if (chosen === done) queue.finishVisit(id);
  else if (chosen === giveUp) queue.decline(id);
}

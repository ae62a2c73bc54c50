import * as vscode from 'vscode';
import type { Disposable } from '../../../core/base/disposable.js';
import { toDisposable } from '../../../core/base/disposable.js';
import { visibleLine, withoutIcons } from '../../../core/base/hostileText.js';
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
 * Time after which a notification closes, in milliseconds. VS Code moves the text of a notification that the user has
 * hidden to the status bar, where its links do not work. The status bar item of the requests stays.
 */
const noticeMs = 15_000;

/**
 * Shows a notification about a new request without taking the focus, until the request has ended or `shownMs` have
 * passed. While a reported request is waiting, further requests only change the badge of the view and the status bar
 * (security requirement C11).
 */
export function noticeRequests(queue: RequestQueue, buttons: TitleButtons, shownMs = noticeMs): Disposable {
  let reported = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const report = () => {
    timer = undefined;
    const { waiting } = queue;
    reported = new Set(waiting.map(({ id }) => id).filter((id) => reported.has(id)));
    const [first] = waiting.filter(needsUser);
    if (!first || reported.size > 0) return;
    for (const { id, server } of waiting) if (server === first.server) reported.add(id);
    void notice(queue, first, buttons, shownMs);
  };
  const listener = queue.onDidChange(() => (timer ??= setTimeout(report, burstMs)));
  return toDisposable(() => {
    clearTimeout(timer);
    listener.dispose();
  });
}

/**
 * Shows in the status bar which server waits for an answer or, if several requests wait, their number. A click opens
 * the request, or a list of the requests.
 */
export function showRequestStatus(queue: RequestQueue): Disposable {
  const item = vscode.window.createStatusBarItem('mcpDeck.requests', vscode.StatusBarAlignment.Left);
  item.name = vscode.l10n.t('MCP Deck: Requests');
  item.command = commandIds.answerRequest;
  item.backgroundColor = new vscode.ThemeColor('statusBarItem.warningBackground');
  const draw = () => {
    const [first, ...more] = queue.waiting.filter(needsUser);
    if (!first) return item.hide();
    const text =
      more.length === 0
        ? vscode.l10n.t('"{0}" is waiting for your answer', visibleLine(first.serverName, 40))
        : vscode.l10n.t('{0} requests are waiting for you', more.length + 1);
    item.text = `$(bell-dot) ${withoutIcons(text)}`;
    item.tooltip = vscode.l10n.t('Answer Request…');
    item.accessibilityInformation = { label: text };
    item.show();
  };
  const listener = queue.onDidChange(draw);
  draw();
  return toDisposable(() => {
    listener.dispose();
    item.dispose();
  });
}

function needsUser({ ask }: WaitingRequest): boolean {
  return ask.kind !== 'sampling' || !ask.isAllowed;
}

async function notice(
  queue: RequestQueue,
  first: WaitingRequest,
  buttons: TitleButtons,
  shownMs: number,
): Promise<void> {
  const ofServer = queue.waiting.filter(({ server }) => server === first.server);
  const name = visibleLine(first.serverName, 80);
  const over = whenEnded(queue, ofServer, shownMs);
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

/**
 * Resolves when all of these requests have ended, or after `shownMs`. While another window has the focus, the promise
 * does not resolve after `shownMs`. The time starts again when this window gets the focus.
 */
function whenEnded(queue: RequestQueue, requests: readonly WaitingRequest[], shownMs: number): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      for (const listener of listeners) listener.dispose();
      resolve();
    };
    const onTime = () => {
      if (vscode.window.state.focused) end();
    };
    let timer = setTimeout(onTime, shownMs);
    const listeners = [
      queue.onDidChange(() => {
        if (requests.every(({ id }) => queue.get(id) === undefined)) end();
      }),
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (!focused) return;
        clearTimeout(timer);
        timer = setTimeout(onTime, shownMs);
      }),
    ];
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

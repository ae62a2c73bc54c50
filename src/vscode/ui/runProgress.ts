import * as vscode from 'vscode';
import { visibleLine } from '../../core/base/hostileText.js';
import { elapsedText } from '../../core/present/text/runTexts.js';
import { remarkText } from '../../core/present/text/remarkText.js';
import type { CallOptions } from '../../core/catalog/hostApi.js';
import type { Progress } from '../../core/protocol/mcp.js';
import type { RunEnd } from '../../core/runs/userRun.js';
import { resultOf, UserRun } from '../../core/runs/userRun.js';
import { withProgress } from '../adapters/userMessages.js';
import type { Waits } from './waitingRequests.js';

/** Delay before progress is shown, in milliseconds. For shorter work, a notification would only flash. */
export const patienceMs = 400;

/** Runs work that the user can cancel, with the progress notification of `showRunProgress`. Does not record a run. */
export async function withRunProgress<T>(title: string, work: (options: CallOptions) => Promise<T>): Promise<T> {
  const run = new UserRun<T>({
    perform: ({ signal, onProgress, onRemark }) => work({ interactive: true, signal, onProgress, onRemark }),
  });
  return resultOf(await showRunProgress(title, run));
}

/**
 * Starts a run and resolves when it ends. If the run takes longer than `patienceMs`, a notification shows the progress
 * messages of the server and the elapsed time, and offers to cancel. While the run waits for an answer of the user, the
 * notification says so instead.
 */
export async function showRunProgress<T>(title: string, run: UserRun<T>, waits?: Waits): Promise<RunEnd<T>> {
  const started = Date.now();
  let noticed: string | undefined;
  let onNews: (() => void) | undefined;
  run.onDidChange((change) => {
    if (change.kind === 'remark') noticed = remarkText(change.remark).what;
    if (change.kind !== 'line' && change.kind !== 'problems') onNews?.();
  });
  const listener = waits?.onDidChange(() => onNews?.());
  const running = run.run();
  void running.then(() => listener?.dispose());
  if (await isSettledWithin(running, patienceMs)) return running;
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return withProgress(options, async (notification, token) => {
    let shownPercent = 0;
    const show = () => {
      const latest = run.progress;
      const percent =
        latest?.total === undefined || latest.total <= 0 ? 0 : Math.min(100, (latest.progress / latest.total) * 100);
      // A server may report lower or repeated progress, but the bar only moves forward.
      const increment = Math.max(0, percent - shownPercent);
      shownPercent += increment;
      notification.report({
        message: waitingMessage(run, waits) ?? progressMessage(latest, Date.now() - started, noticed),
        ...(increment > 0 ? { increment } : {}),
      });
    };
    onNews = show;
    show();
    const timer = setInterval(show, 1_000);
    token.onCancellationRequested(() => run.cancel());
    try {
      return await running;
    } finally {
      clearInterval(timer);
      onNews = undefined;
    }
  });
}

/**
 * The message that replaces the elapsed time while the run waits for an answer of the user. Undefined if it does not
 * wait. A progress notification can have no button except Cancel. The notification of the request has the button.
 */
function waitingMessage(run: UserRun<unknown>, waits: Waits | undefined): string | undefined {
  return run.isAsking || waits?.first() ? vscode.l10n.t('Waiting for your answer') : undefined;
}

function progressMessage(progress: Progress | undefined, ms: number, noticed: string | undefined): string {
  const words = progress?.message === undefined ? undefined : visibleLine(progress.message, 120);
  const count =
    progress === undefined || words !== undefined
      ? undefined
      : progress.total === undefined
        ? String(progress.progress)
        : `${progress.progress} / ${progress.total}`;
  return [words ?? count ?? noticed, elapsedText(ms)].filter((part) => part !== undefined && part !== '').join(' · ');
}

/** Resolves to true if `work` settles, successfully or not, within `ms` milliseconds. */
export function isSettledWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    const done = () => {
      clearTimeout(timer);
      resolve(true);
    };
    work.then(done, done);
  });
}

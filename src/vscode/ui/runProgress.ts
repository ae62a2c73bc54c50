import * as vscode from 'vscode';
import { visibleLine } from '../../core/base/hostileText.js';
import { elapsedText } from '../../core/present/text/runTexts.js';
import { remarkText } from '../../core/present/text/remarkText.js';
import type { CallOptions } from '../../core/catalog/hostTypes.js';
import type { Progress } from '../../core/protocol/mcp.js';
import type { RunEnd } from '../../core/runs/userRun.js';
import { resultOf, UserRun } from '../../core/runs/userRun.js';
import { withProgress } from '../adapters/userMessages.js';
import type { Waits } from '../../core/requests/requestOwners.js';

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
 * messages of the server and the elapsed time, and offers to cancel. While the run waits for an answer from the user,
 * the status bar shows this instead, because the request has its own notification with the buttons.
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
  const ended = running.then(() => listener?.dispose());
  const isWaiting = () => run.isAsking || waits?.first() !== undefined;
  /** Resolves when the run ends or `isWaiting` is no longer `state`. Calls `show` for every other change of the run. */
  const phase = (state: boolean, show?: () => void) =>
    new Promise<void>((resolve) => {
      onNews = () => (isWaiting() === state ? show?.() : resolve());
      onNews();
      void ended.then(resolve);
    });
  // A run often ends soon after an answer, so a notification is shown only if the run takes longer than `patienceMs`.
  while (!(await isSettledWithin(running, patienceMs)))
    await (isWaiting()
      ? withProgress({ location: vscode.ProgressLocation.Window, title }, (status) => {
          status.report({ message: vscode.l10n.t('Waiting for your answer') });
          return phase(true);
        })
      : showNotification(title, run, {
          message: () => progressMessage(run.progress, Date.now() - started, noticed),
          until: (show) => phase(false, show),
        }));
  return running;
}

/**
 * Shows the progress of a run in a notification with a Cancel button, and updates it every second and at each change of
 * the run.
 */
function showNotification(
  title: string,
  run: UserRun<unknown>,
  { message, until }: { message: () => string; until: (show: () => void) => Promise<void> },
): Thenable<void> {
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
      notification.report({ message: message(), ...(increment > 0 ? { increment } : {}) });
    };
    const timer = setInterval(show, 1_000);
    token.onCancellationRequested(() => run.cancel());
    await until(show);
    clearInterval(timer);
  });
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

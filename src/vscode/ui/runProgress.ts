import * as vscode from 'vscode';
import { HostError } from '../../core/base/hostError.js';
import { visibleLine } from '../../core/base/hostileText.js';
import { elapsedText } from '../../core/present/text/elapsed.js';
import { remarkText } from '../../core/present/text/remarkText.js';
import type { CallOptions } from '../../core/catalog/hostApi.js';
import type { Progress } from '../../core/protocol/mcp.js';
import { withProgress } from '../adapters/userMessages.js';

/** Work that is done sooner shows nothing: a notification that flashes tells nobody anything. */
export const patienceMs = 400;

/** Runs a call that the user can cancel, with the server's own words and the time it has taken so far. */
export async function withRunProgress<T>(title: string, work: (options: CallOptions) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const started = Date.now();
  let latest: Progress | undefined;
  let noticed: string | undefined;
  let onNews: (() => void) | undefined;
  const running = work({
    interactive: true,
    signal: controller.signal,
    onRemark: (remark) => {
      noticed = remarkText(remark, vscode.l10n.t).what;
      onNews?.();
    },
    onProgress: (progress) => {
      latest = progress;
      onNews?.();
    },
  });
  if (await isSettledWithin(running, patienceMs)) return running;
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return withProgress(options, async (notification, token) => {
    let shownPercent = 0;
    const show = () => {
      const percent = latest?.total === undefined || latest.total <= 0 ? 0 : Math.min(100, (latest.progress / latest.total) * 100);
      // A server may go backwards or repeat itself; the bar does not.
      const increment = Math.max(0, percent - shownPercent);
      shownPercent += increment;
      notification.report({ message: progressMessage(latest, Date.now() - started, noticed), ...(increment > 0 ? { increment } : {}) });
    };
    onNews = show;
    show();
    const timer = setInterval(show, 1_000);
    token.onCancellationRequested(() => controller.abort(new HostError('cancelled', 'The run was cancelled.')));
    try {
      return await running;
    } finally {
      clearInterval(timer);
      onNews = undefined;
    }
  });
}

function progressMessage(progress: Progress | undefined, ms: number, noticed: string | undefined): string {
  const words = progress?.message === undefined ? undefined : visibleLine(progress.message, 120);
  const count = progress === undefined || words !== undefined ? undefined : progress.total === undefined ? String(progress.progress) : `${progress.progress} / ${progress.total}`;
  return [words ?? count ?? noticed, elapsedText(ms, vscode.l10n.t)].filter((part) => part !== undefined && part !== '').join(' · ');
}

/** True when `work` has settled, either way, before `ms` have passed. */
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

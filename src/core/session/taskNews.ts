import type { Clock } from '../base/clock.js';
import { delay } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';

/**
 * Handles status notifications about tasks (`notifications/tasks/status` of 2025-11-25, `notifications/tasks` of the
 * extension). Notifications may be missing or wrong, so they only trigger a poll. Only the result of `tasks/get` is
 * relied on.
 */
export class TaskNews {
  /** Created with the first task, since most servers have none. */
  private waiting: Map<string, () => void> | undefined;

  /** Handles a notification about a task. Tasks that are not followed are ignored. */
  arrived(task: Record<string, unknown>): void {
    if (typeof task['taskId'] === 'string') this.waiting?.get(task['taskId'])?.();
  }

  /** Follows one task until disposed. */
  follow(taskId: string): TaskWatch {
    const waiting = (this.waiting ??= new Map());
    const watch = new TaskWatch(() => waiting.delete(taskId));
    waiting.set(taskId, () => watch.tell());
    return watch;
  }
}

export class TaskWatch implements Disposable {
  private news = new AbortController();

  constructor(private readonly onDispose: () => void) {}

  tell(): void {
    this.news.abort();
  }

  /**
   * Waits for `ms` or for a notification, but at least for `leastMs`, because many notifications must not cause many
   * polls. Rejects with the signal's reason.
   */
  async pause(
    clock: Clock,
    { leastMs, ms }: { leastMs: number; ms: number },
    signal: AbortSignal | undefined,
  ): Promise<void> {
    await delay(clock, Math.min(leastMs, ms), signal);
    const newsSignal = this.news.signal;
    if (ms > leastMs && !newsSignal.aborted) {
      await delay(clock, ms - leastMs, signal ? AbortSignal.any([signal, newsSignal]) : newsSignal).catch(
        (error: unknown) => {
          if (signal?.aborted || !newsSignal.aborted) throw error;
        },
      );
    }
    // Reset before the poll, so that a notification during the poll causes another poll.
    if (newsSignal.aborted) this.news = new AbortController();
  }

  dispose(): void {
    this.onDispose();
  }
}

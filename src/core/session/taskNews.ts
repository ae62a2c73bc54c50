import type { Clock } from '../base/clock.js';
import { delay } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';

/**
 * What servers tell of tasks unasked (`notifications/tasks/status` of 2025-11-25, `notifications/tasks` of the extension).
 * It may never come and may be wrong, so it only says when to look: what `tasks/get` answers is what counts.
 */
export class TaskNews {
  /** Made with the first task, since most servers have none. */
  private waiting: Map<string, () => void> | undefined;

  /** A notification arrived; those of tasks that nobody follows are ignored. */
  arrived(task: Record<string, unknown>): void {
    if (typeof task['taskId'] === 'string') this.waiting?.get(task['taskId'])?.();
  }

  /** Follows one task until it is disposed. */
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
   * Resolves after `ms`, or as soon as there is news, but never before `leastMs`: a server that tells without end is not
   * asked without end. Rejects with the signal's reason.
   */
  async pause(
    clock: Clock,
    { leastMs, ms }: { leastMs: number; ms: number },
    signal: AbortSignal | undefined,
  ): Promise<void> {
    await delay(clock, Math.min(leastMs, ms), signal);
    const told = this.news.signal;
    if (ms > leastMs && !told.aborted) {
      await delay(clock, ms - leastMs, signal ? AbortSignal.any([signal, told]) : told).catch((error: unknown) => {
        if (signal?.aborted || !told.aborted) throw error;
      });
    }
    // Before the next look: what arrives during it is news again.
    if (told.aborted) this.news = new AbortController();
  }

  dispose(): void {
    this.onDispose();
  }
}

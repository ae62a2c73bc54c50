import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Runs work of several callers, a few at a time and in the order of the calls. Between two, the thread handles other
 * events, so that the work of many callers does not block it at a stretch.
 */
export class WorkLimit {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  /** @param maxRunning maximum number of callers whose work runs at the same time. */
  constructor(private readonly maxRunning: number) {}

  /** Queues `work`. The result settles as `work` does. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running < this.maxRunning) this.running++;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      void this.passOn();
    }
  }

  /** Gives the place of ended work to the next caller. */
  private async passOn(): Promise<void> {
    await nextTurn();
    const next = this.waiting.shift();
    if (next) next();
    else this.running--;
  }
}

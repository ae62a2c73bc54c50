/**
 * Runs synchronous code that an outsider's data can make arbitrarily slow (a schema of a server, its patterns) so that
 * it ends in time. V8 stops code that runs inside a `vm` call with a time-out wherever it is, also inside a regular
 * expression; the code itself stays in our realm. Costs about 0.15 ms per call, so callers skip it for provably small work.
 */
import { createContext, Script } from 'node:vm';
import { isObject } from '../base/guards.js';

/**
 * The limit is wall time; on a busy machine we may have had little of it. Below this share of it the work gets
 * another try.
 */
const fairShare = 0.5;
const maxTries = 3;

/** What `TimeLimit.run` throws when the time was up. */
export class TimeLimitError extends Error {
  constructor(readonly limitMs: number) {
    super(`Stopped after ${limitMs} ms.`);
    this.name = 'TimeLimitError';
  }
}

export class TimeLimit {
  private readonly slot: { work?: () => unknown } = {};
  private readonly context = createContext(this.slot);
  private readonly script = new Script('work()');

  /**
   * Calls `work` and returns what it returns. After `limitMs` it is stopped dead, without its `finally` blocks, and may be
   * called again: `work` may only touch objects that are thrown away afterwards.
   */
  run<T>(limitMs: number, work: () => T): T {
    this.slot.work = work;
    try {
      for (let tries = 1; ; tries++) {
        const before = process.cpuUsage();
        try {
          return this.script.runInContext(this.context, { timeout: Math.max(1, Math.ceil(limitMs)) }) as T;
        } catch (error) {
          // The error is made in another realm: `instanceof` would not know it.
          if (!isObject(error) || error['code'] !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
          const { user, system } = process.cpuUsage(before);
          if (tries === maxTries || (user + system) / 1_000 >= limitMs * fairShare) throw new TimeLimitError(limitMs);
        }
      }
    } finally {
      delete this.slot.work;
    }
  }
}

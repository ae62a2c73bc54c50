/**
 * Runs synchronous code with a time limit. It is needed because the data of a server (a schema or its patterns) can
 * make code arbitrarily slow. V8 can stop code at any point inside a `vm` call with a timeout, even in a regular
 * expression. The code itself runs in the caller's realm. One call costs about 0.15 ms, so callers skip it if the work
 * is provably small.
 */
import { createContext, Script } from 'node:vm';
import { isObject } from '../base/guards.js';

/**
 * The limit is wall-clock time, and on a busy machine the process may have had little CPU time. If its CPU time was
 * below this share of the limit, the work is tried again.
 */
const fairShare = 0.5;
const maxTries = 3;

/** Thrown by `TimeLimit.run` when the time limit was exceeded. */
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
   * Calls `work` and returns its result. After `limitMs`, `work` is stopped immediately, without running its `finally`
   * blocks, and may be called again. So it may only modify objects that are discarded afterward.
   */
  run<T>(limitMs: number, work: () => T): T {
    this.slot.work = work;
    try {
      for (let tries = 1; ; tries++) {
        const before = process.cpuUsage();
        try {
          return this.script.runInContext(this.context, { timeout: Math.max(1, Math.ceil(limitMs)) }) as T;
        } catch (error) {
          // The error comes from another realm, so `instanceof` does not work.
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

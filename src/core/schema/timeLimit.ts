/**
 * Runs synchronous code with a time limit. The data of a server (a schema, its patterns) can make such code arbitrarily
 * slow. V8 stops code inside a `vm` call with a timeout at any point, even in a regular expression; the code itself
 * stays in our realm. One call costs about 0.15 ms, so callers skip it for provably small work.
 */
import { createContext, Script } from 'node:vm';
import { isObject } from '../base/guards.js';

/**
 * The limit is wall-clock time, and on a busy machine the process may have had little CPU time. Below this share of the
 * limit, the work is tried again.
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
   * Calls `work` and returns its result. After `limitMs` it is stopped immediately, without running its `finally`
   * blocks, and may be called again: `work` may only modify objects that are discarded afterward.
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

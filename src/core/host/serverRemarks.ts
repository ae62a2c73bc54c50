import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { toDisposable } from '../base/disposable.js';
import type { Remark, RemarkKind } from '../base/remark.js';
import { namesCause, weightOf } from '../base/remark.js';

/**
 * How long somebody waits before a remark that names a cause is told, and before a plain line of error output is.
 * Milliseconds.
 */
const causeMs = 1_500;
const plainMs = 10_000;

interface Noted {
  first: Remark;
  firstAt: number;
  latest: Remark;
  latestAt: number;
}

/** The remarks on one server since its latest start: at most one entry for each kind. Times are those of the clock. */
export class ServerRemarks {
  private readonly noted = new Map<RemarkKind, Noted>();
  private readonly waits = new Set<() => void>();

  constructor(private readonly clock: Clock) {}

  /** Forgets everything: a start begins. */
  clear(): void {
    this.noted.clear();
  }

  add(remark: Remark): void {
    const at = this.clock.now();
    const known = this.noted.get(remark.kind);
    this.noted.set(
      remark.kind,
      known ? { ...known, latest: remark, latestAt: at } : { first: remark, firstAt: at, latest: remark, latestAt: at },
    );
    this.tellAgain();
  }

  /** Somebody may want to be told now who did not before. */
  tellAgain(): void {
    for (const look of this.waits) look();
  }

  /**
   * The remark that explains most of those made at `since` or later: its first one, of error output the latest line.
   */
  current(since = -Infinity): Remark | undefined {
    let best: Remark | undefined;
    for (const { first, firstAt, latest, latestAt } of this.noted.values()) {
      if (latestAt < since) continue;
      const remark = firstAt < since || !namesCause(first) ? latest : first;
      if (best === undefined || weightOf(remark) > weightOf(best)) best = remark;
    }
    return best;
  }

  /**
   * Calls `tell` for each kind of remark that becomes the current one while somebody waits, from now until disposed: after
   * 1.5 s, for plain error output after 10 s.
   * @param tell returns whether somebody was told: then this kind is not told again.
   */
  watch(tell: (remark: Remark) => boolean): Disposable {
    const since = this.clock.now();
    const told = new Set<RemarkKind>();
    const due = { cause: false, plain: false };
    const look = () => {
      const remark = this.current(since);
      if (!remark || told.has(remark.kind)) return;
      if (!(namesCause(remark) ? due.cause : due.plain)) return;
      if (tell(remark)) told.add(remark.kind);
    };
    this.waits.add(look);
    const arm = (ms: number, kind: keyof typeof due) =>
      this.clock.after(ms, () => {
        due[kind] = true;
        look();
      });
    const timers = [arm(causeMs, 'cause'), arm(plainMs, 'plain')];
    return toDisposable(() => {
      this.waits.delete(look);
      for (const timer of timers) timer.dispose();
    });
  }
}

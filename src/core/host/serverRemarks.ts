import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';
import { toDisposable } from '../base/disposable.js';
import type { Remark, RemarkKind } from '../base/remark.js';
import { namesCause, weightOf } from '../base/remark.js';

/** Delay before the user is notified of a remark that indicates a cause, ms. */
const causeMs = 1_500;
/** Delay before the user is notified of any other line of stderr, ms. */
const plainMs = 10_000;

interface Noted {
  first: Remark;
  firstAt: number;
  latest: Remark;
  latestAt: number;
}

/** The remarks about one server since its latest start, at most one of each kind. All times are read from `clock`. */
export class ServerRemarks {
  private readonly noted = new Map<RemarkKind, Noted>();
  private readonly waits = new Set<() => void>();

  constructor(private readonly clock: Clock) {}

  /** Discards all remarks when a start begins. */
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

  /** Checks again whether to notify the user, who may have started to wait in the meantime. */
  tellAgain(): void {
    for (const look of this.waits) look();
  }

  /**
   * The best explanation among the remarks made at `since` or later. Of several remarks of a kind that indicates a
   * cause, returns the first; of several plain stderr lines, the latest.
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
   * Calls `tell` for each kind of remark that becomes the current one, until disposed. Nothing is reported in the first
   * 1.5 s, and no plain stderr line in the first 10 s.
   * @param tell returns whether the user was notified; if so, this kind is not reported again.
   */
  watch(tell: (remark: Remark) => boolean): Disposable {
    const since = this.clock.now();
    const reported = new Set<RemarkKind>();
    const due = { cause: false, plain: false };
    const look = () => {
      const remark = this.current(since);
      if (!remark || reported.has(remark.kind)) return;
      if (!(namesCause(remark) ? due.cause : due.plain)) return;
      if (tell(remark)) reported.add(remark.kind);
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

import { LatencyHistogram } from './latencyHistogram.js';

/** How a tool call ended. `failed` means that there was no result, or that the result is an error. */
export type CallOutcome = 'ok' | 'failed' | 'cancelled';

/** Counts and durations of calls. */
export interface CallFigures {
  ok: number;
  failed: number;
  cancelled: number;
  /**
   * A percentile of the durations of calls that were not canceled, in milliseconds; absent before the first such call.
   * See `LatencyHistogram` for the accuracy.
   */
  p50Ms?: number;
  p95Ms?: number;
}

/** The calls of one tool. */
export interface ToolFigures extends CallFigures {
  tool: string;
}

/** Maximum number of tools with their own figures; calls of other tools are included only in the server's figures. */
const maxTools = 1_000;

class Counter {
  private readonly counts = { ok: 0, failed: 0, cancelled: 0 };
  private readonly times = new LatencyHistogram();

  record(outcome: CallOutcome, ms: number): void {
    this.counts[outcome]++;
    // A canceled call can end at any time, so its duration is not recorded.
    if (outcome !== 'cancelled') this.times.record(ms);
  }

  get figures(): CallFigures {
    const p50Ms = this.times.percentile(0.5);
    const p95Ms = this.times.percentile(0.95);
    return { ...this.counts, ...(p50Ms === undefined ? {} : { p50Ms }), ...(p95Ms === undefined ? {} : { p95Ms }) };
  }
}

/**
 * The calls of one server since the window opened, in total and by tool. The memory is limited, even if many names are
 * called.
 */
export class CallStats {
  private readonly all = new Counter();
  private readonly tools = new Map<string, Counter>();

  /** Counts a call that has ended. @param ms how long the call took. */
  record(tool: string, outcome: CallOutcome, ms: number): void {
    this.all.record(outcome, ms);
    let counter = this.tools.get(tool);
    if (!counter) {
      if (this.tools.size >= maxTools) return;
      counter = new Counter();
      this.tools.set(tool, counter);
    }
    counter.record(outcome, ms);
  }

  get total(): CallFigures {
    return this.all.figures;
  }

  /** The figures of each tool, in the order of the first calls. */
  get byTool(): ToolFigures[] {
    return [...this.tools].map(([tool, counter]) => ({ tool, ...counter.figures }));
  }
}

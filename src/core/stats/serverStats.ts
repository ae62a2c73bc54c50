import type { CallFigures, CallOutcome, ToolFigures } from './callStats.js';
import { CallStats } from './callStats.js';

/** The last thing that went wrong with a server. */
export interface LastError {
  error: Error;
  /** Epoch milliseconds. */
  at: number;
  /** The tool, resource or prompt that it happened to; absent when it was the server itself. */
  what?: string;
}

/** Messages of one direction since the window opened. */
export interface Traffic {
  messages: number;
  /**
   * Characters of JSON, which are bytes as long as the texts are plain ASCII; without what a transport no longer has
   * as text.
   */
  characters: number;
}

/** Both directions; the wire counts in place. */
export interface TrafficCounts {
  readonly sent: Traffic;
  readonly received: Traffic;
}

export function noTraffic(): TrafficCounts {
  return { sent: { messages: 0, characters: 0 }, received: { messages: 0, characters: 0 } };
}

/** What has been counted of one server since the window opened, across its restarts. */
export interface ServerFigures extends TrafficCounts {
  calls: CallFigures;
  tools: readonly ToolFigures[];
  /** Starts that came to a running server, the first one included. */
  starts: number;
  /** Times that it ended by itself while it ran. */
  crashes: number;
  lastError?: LastError;
}

/** Counts for one server; lives as long as its entry. */
export class ServerStats {
  private readonly calls = new CallStats();
  private lastError: LastError | undefined;
  private wasRunning = false;
  private starts = 0;
  private crashes = 0;
  readonly traffic = noTraffic();

  recordCall(tool: string, outcome: CallOutcome, ms: number): void {
    this.calls.record(tool, outcome, ms);
  }

  /** @param kind of the connection's new state. */
  recordState(kind: string): void {
    if (kind === 'running') this.starts++;
    else if (kind === 'failed' && this.wasRunning) this.crashes++;
    this.wasRunning = kind === 'running';
  }

  /** @param error its texts are free of secrets. */
  recordError(error: Error, at: number, what?: string): void {
    this.lastError = { error, at, ...(what === undefined ? {} : { what }) };
  }

  get figures(): ServerFigures {
    return {
      calls: this.calls.total,
      tools: this.calls.byTool,
      starts: this.starts,
      crashes: this.crashes,
      ...(this.lastError ? { lastError: this.lastError } : {}),
      sent: { ...this.traffic.sent },
      received: { ...this.traffic.received },
    };
  }
}

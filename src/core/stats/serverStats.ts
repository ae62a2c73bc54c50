import type { CallFigures, CallOutcome, ToolFigures } from './callStats.js';
import { CallStats } from './callStats.js';

/** The latest error of a server. */
export interface LastError {
  error: Error;
  /** Epoch milliseconds. */
  at: number;
  /** The tool, resource or prompt that failed; absent if the server itself failed. */
  what?: string;
}

/** Messages of one direction since the window opened. */
export interface Traffic {
  messages: number;
  /**
   * Number of characters of JSON, which equals the number of bytes for ASCII text. Messages that a transport no longer
   * has as text are not included.
   */
  characters: number;
}

/** The counts of both directions. The wire increments them directly. */
export interface TrafficCounts {
  readonly sent: Traffic;
  readonly received: Traffic;
}

/** The counts of a server that has exchanged no message. */
export function noTraffic(): TrafficCounts {
  return { sent: { messages: 0, characters: 0 }, received: { messages: 0, characters: 0 } };
}

/** The figures of one server since the window opened, across its restarts. */
export interface ServerFigures extends TrafficCounts {
  calls: CallFigures;
  tools: readonly ToolFigures[];
  /** The tools of the calls that have not ended, oldest call first. */
  openCalls: readonly string[];
  /** Successful starts, including the first one. */
  starts: number;
  /** How often the server ended unexpectedly while running. */
  crashes: number;
  lastError?: LastError;
}

/** The figures of one server, which exist as long as its entry. */
export class ServerStats {
  private readonly calls = new CallStats();
  private readonly openCalls: string[] = [];
  private lastError: LastError | undefined;
  private wasRunning = false;
  private starts = 0;
  private crashes = 0;
  readonly traffic = noTraffic();

  /** Records that a call was sent. The call is open until `recordCall`. */
  beginCall(tool: string): void {
    this.openCalls.push(tool);
  }

  recordCall(tool: string, outcome: CallOutcome, ms: number): void {
    const index = this.openCalls.indexOf(tool);
    if (index >= 0) this.openCalls.splice(index, 1);
    this.calls.record(tool, outcome, ms);
  }

  /** Records a change of the connection's state. @param kind the kind of the new state. */
  recordState(kind: string): void {
    if (kind === 'running') this.starts++;
    else if (kind === 'failed' && this.wasRunning) this.crashes++;
    this.wasRunning = kind === 'running';
  }

  /** Stores an error as the latest one. @param error the error, whose texts contain no secrets. */
  recordError(error: Error, at: number, what?: string): void {
    this.lastError = { error, at, ...(what === undefined ? {} : { what }) };
  }

  get figures(): ServerFigures {
    return {
      calls: this.calls.total,
      tools: this.calls.byTool,
      openCalls: [...this.openCalls],
      starts: this.starts,
      crashes: this.crashes,
      ...(this.lastError ? { lastError: this.lastError } : {}),
      sent: { ...this.traffic.sent },
      received: { ...this.traffic.received },
    };
  }
}

import type { Clock } from '../base/clock.js';
import type { DebugPlan } from '../debug/debuggedStart.js';
import type { DebugClient } from '../debug/debugRun.js';
import { DebugRun } from '../debug/debugRun.js';

export interface ServerDebuggingOptions {
  /** If it is absent, no server can be debugged. */
  client: DebugClient | undefined;
  clock: Clock;
  warn: (line: string) => void;
  onDidChange: () => void;
}

/** Manages the debug run of one server. */
export class ServerDebugging {
  private current: DebugRun | undefined;

  constructor(private readonly options: ServerDebuggingOptions) {}

  /** Present while the server is being started, or runs, under a debugger. */
  get run(): DebugRun | undefined {
    return this.current;
  }

  /** The plan of the current debug run; a restart uses the same plan. Undefined while the server is not debugged. */
  get plan(): DebugPlan | undefined {
    return this.current?.isWanted === true ? this.current.plan : undefined;
  }

  /** Whether the server is paused at a breakpoint. */
  get isPaused(): boolean {
    return this.current?.state === 'paused';
  }

  /**
   * Starts a debug run, so that the next start of the server is under the debugger. Does nothing without a debug
   * client.
   */
  begin(server: string, plan: DebugPlan): void {
    const { client, clock, warn, onDidChange } = this.options;
    if (!client) return;
    this.current = new DebugRun(server, plan, client, warn, clock);
    this.current.onDidChange(onDidChange);
  }

  /** Detaches the debugger. @param error why the server failed, if it did. */
  async end(error?: Error): Promise<void> {
    const run = this.current;
    this.current = undefined;
    await run?.end(error);
  }
}

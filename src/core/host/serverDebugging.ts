import type { Clock } from '../base/clock.js';
import type { DebugPlan } from '../debug/debuggedStart.js';
import type { DebugClient } from '../debug/debugRun.js';
import { DebugRun } from '../debug/debugRun.js';

/** What debugging needs of its server. */
export interface ServerDebuggingOptions {
  /** Absent: no server can be debugged. */
  client: DebugClient | undefined;
  clock: Clock;
  warn: (line: string) => void;
  onDidChange: () => void;
}

/** The debugger that one server is started under, or runs under. */
export class ServerDebugging {
  private current: DebugRun | undefined;

  constructor(private readonly options: ServerDebuggingOptions) {}

  /** Present while the server is started, or runs, under a debugger. */
  get run(): DebugRun | undefined {
    return this.current;
  }

  /** How it is debugged, while the user does; what starts it again starts it so. */
  get plan(): DebugPlan | undefined {
    return this.current?.isWanted === true ? this.current.plan : undefined;
  }

  /** Whether the server is held at a breakpoint. */
  get isPaused(): boolean {
    return this.current?.state === 'paused';
  }

  /** The next start of the server is under a debugger, where there is one. */
  begin(server: string, plan: DebugPlan): void {
    const { client, clock, warn, onDidChange } = this.options;
    if (!client) return;
    this.current = new DebugRun(server, plan, client, warn, clock);
    this.current.onDidChange(onDidChange);
  }

  /** Lets go of the server. @param error why it failed, where it did. */
  async end(error?: Error): Promise<void> {
    const run = this.current;
    this.current = undefined;
    await run?.end(error);
  }
}

import type { Clock } from '../base/clock.js';
import { systemClock } from '../base/clock.js';
import { durationText } from '../base/durationText.js';
import { Emitter } from '../base/event.js';
import { messageOf } from '../base/hostError.js';
import { within } from '../base/within.js';
import type { DebugPlan } from './debuggedStart.js';
import type { InspectorAddress } from './inspectorLine.js';
import { readInspectorLine } from './inspectorLine.js';
import { untilTaken } from './loopbackPort.js';
import { isLauncher, letGo } from './nodeInspector.js';

/** What a debugger attaches to. */
export type DebugTarget = { kind: 'node'; address: InspectorAddress } | { kind: 'debugpy'; port: number };

/** The state of a server's debugger. */
export type DebugState =
  /** No debugger is attached yet. */
  | 'waiting'
  | 'attaching'
  | 'attached'
  /** Stopped at a breakpoint or after a step. */
  | 'paused'
  /** The debugger detached; the server continues, and its debugger port stays open until it ends. */
  | 'left';

/** The editor's side: attaches debuggers and reports their state to the run. */
export interface DebugClient {
  /**
   * Rejects when no debugger could be attached. Afterward the client calls `sessionEnded` once, and `setPaused` as
   * needed.
   */
  attach(target: DebugTarget, run: DebugRun): Promise<void>;
  /**
   * The server is about to end, or has ended unexpectedly with `error`. Resolves when no debugger is attached, or after
   * a short timeout.
   */
  ended(run: DebugRun, error: Error | undefined): Promise<void>;
}

/** How long attaching a debugger may take, in milliseconds. VS Code may ask the user a question first. */
const attachLimitMs = 900_000;
/** Maximum number of debugged processes of one server; further processes run without a debugger. */
const maxTargets = 16;

/**
 * One run of a server under a debugger: reads the announcements in its stderr, attaches debuggers, and tracks their
 * state for all code that waits for the server's answers.
 */
export class DebugRun {
  private readonly changes = new Emitter<void>();
  readonly onDidChange = this.changes.event;
  /** Absolute path of the server's working directory; known after the start. */
  cwd: string | undefined;
  private targets = 0;
  private attaching = 0;
  private welcoming = 0;
  private sessions = 0;
  private isPaused = false;
  private readonly abort = new AbortController();

  constructor(
    readonly server: string,
    readonly plan: DebugPlan,
    private readonly client: DebugClient,
    private readonly report: (line: string) => void,
    private readonly clock: Clock = systemClock,
  ) {
    if (plan.kind === 'debugpy') void this.whenListening(plan.port);
  }

  get state(): DebugState {
    if (this.isPaused) return 'paused';
    if (this.attaching > 0) return 'attaching';
    if (this.sessions > 0) return 'attached';
    return this.targets > 0 ? 'left' : 'waiting';
  }

  /**
   * True while the user or the attaching of the debugger holds the server. Timeouts of the server do not run meanwhile.
   */
  get isHeld(): boolean {
    return this.isPaused || this.attaching > 0;
  }

  /** True while the user is debugging: a restart of the server uses the debugger again. */
  get isWanted(): boolean {
    return this.state !== 'left';
  }

  /** Reads a line of the server's stderr. */
  read(line: string): void {
    if (this.plan.kind !== 'node' || this.abort.signal.aborted) return;
    const address = readInspectorLine(line);
    // Limits the work for a server that prints many such lines.
    if (!address || this.welcoming >= maxTargets) return;
    this.welcoming++;
    void this.welcome(address, this.plan.way).finally(() => this.welcoming--);
  }

  /** Called by the client: the server stopped at a breakpoint, or continues. */
  setPaused(isPaused: boolean): void {
    if (this.isPaused === isPaused) return;
    this.isPaused = isPaused;
    this.changes.fire();
  }

  /** Called by the client: one of the attached debuggers ended. */
  sessionEnded(): void {
    this.sessions--;
    if (this.sessions === 0) this.isPaused = false;
    this.changes.fire();
  }

  /** The server is about to end, or has ended with `error`. Resolves when all debuggers are detached. */
  async end(error: Error | undefined): Promise<void> {
    if (this.abort.signal.aborted) return;
    this.abort.abort();
    this.isPaused = false;
    await this.client.ended(this, error);
  }

  private async whenListening(port: number): Promise<void> {
    if (await untilTaken(port, this.abort.signal)) await this.attach({ kind: 'debugpy', port });
  }

  /** Attaches a debugger to a process of the server that waits for one. */
  private async welcome(address: InspectorAddress, way: 'arguments' | 'options'): Promise<void> {
    // A process that starts after the debugger detached must not wait for it.
    const isLate = this.state === 'left' || this.targets >= maxTargets;
    if (isLate || (way === 'options' && (await isLauncher(address).catch(() => false))))
      await this.goOnWithout(address);
    else await this.attach({ kind: 'node', address });
  }

  private async attach(target: DebugTarget): Promise<void> {
    this.targets++;
    this.attaching++;
    this.changes.fire();
    try {
      const attached = this.client.attach(target, this).then(() => void this.sessions++);
      // The server's timeouts are paused meanwhile, so this wait needs its own limit.
      await within(
        attached,
        attachLimitMs,
        () => new Error(`VS Code did not answer within ${durationText(attachLimitMs)}.`),
        this.clock,
        this.abort.signal,
      );
    } catch (error) {
      if (this.abort.signal.aborted) return;
      this.report(`No debugger was attached: ${messageOf(error)}`);
      // The process waits for a debugger that will not attach.
      if (target.kind === 'node') await this.goOnWithout(target.address);
    } finally {
      this.attaching--;
      this.changes.fire();
    }
  }

  private async goOnWithout(address: InspectorAddress): Promise<void> {
    await letGo(address).catch((error: unknown) =>
      this.report(`A process could not be continued without the debugger: ${messageOf(error)}`),
    );
  }
}

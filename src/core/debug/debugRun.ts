import type { Clock } from '../base/clock.js';
import { systemClock } from '../base/clock.js';
import { durationText } from '../../shared/amountText.js';
import { Emitter } from '../base/event.js';
import { messageOf } from '../base/hostError.js';
import { withTimeLimit } from '../base/withTimeLimit.js';
import type { DebugPlan } from './debuggedStart.js';
import type { InspectorAddress } from './inspectorLine.js';
import { readInspectorLine } from './inspectorLine.js';
import { waitUntilListening } from './loopbackPort.js';
import { isLauncher, continueWithoutDebugger } from './nodeInspector.js';

/** The process or port that a debugger attaches to. */
export type DebugTarget = { kind: 'node'; address: InspectorAddress } | { kind: 'debugpy'; port: number };

/** The state of a server's debugger. */
export type DebugState =
  /** No debugger is attached yet. */
  | 'waiting'
  | 'attaching'
  | 'attached'
  /** The server is stopped at a breakpoint or after a step. */
  | 'paused'
  /** The debugger detached. The server continues, and its debugger port stays open until the server ends. */
  | 'left';

/** The interface that the editor implements: attaches debuggers, and reports their state to the `DebugRun`. */
export interface DebugClient {
  /**
   * Attaches a debugger. Rejects if that fails. After attaching, the client calls `sessionEnded` once, and `setPaused`
   * as needed.
   */
  attach(target: DebugTarget, run: DebugRun): Promise<void>;
  /**
   * Called when the server is about to end, or has ended unexpectedly with `error`. Resolves when no debugger is
   * attached any longer, or after a short timeout.
   */
  ended(run: DebugRun, error: Error | undefined): Promise<void>;
}

/**
 * Time limit for attaching a debugger, in milliseconds. It is long, because VS Code may ask the user a question first.
 */
const attachLimitMs = 900_000;
/** Maximum number of processes of one server that are debugged. Further processes run without a debugger. */
const maxTargets = 16;

/**
 * One run of a server under a debugger: reads the inspector lines in its stderr, attaches debuggers, and tracks their
 * state for all code that waits for responses from the server.
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
   * True while the server is paused in the debugger, or while a debugger is being attached. The timeouts of the server
   * do not run in this state.
   */
  get isHeld(): boolean {
    return this.isPaused || this.attaching > 0;
  }

  /** True until the debugger is detached. While it is true, a restart of the server uses the debugger again. */
  get isWanted(): boolean {
    return this.state !== 'left';
  }

  /** Reads a line of the server's stderr. */
  read(line: string): void {
    if (this.plan.kind !== 'node' || this.abort.signal.aborted) return;
    const address = readInspectorLine(line);
    // Limits the number of debugger attachments, because a server may print many such lines.
    if (!address || this.welcoming >= maxTargets) return;
    this.welcoming++;
    void this.welcome(address, this.plan.way).finally(() => this.welcoming--);
  }

  /**
   * Records whether the server is paused. Called by the client when the server has stopped at a breakpoint or
   * continues.
   */
  setPaused(isPaused: boolean): void {
    if (this.isPaused === isPaused) return;
    this.isPaused = isPaused;
    this.changes.fire();
  }

  /** Records that a debugger is no longer attached. Called by the client when one of the debuggers has ended. */
  sessionEnded(): void {
    this.sessions--;
    if (this.sessions === 0) this.isPaused = false;
    this.changes.fire();
  }

  /**
   * Ends the debug run; resolves when all debuggers are detached, or after a short timeout. Called when the server is
   * about to end, or has ended with `error`.
   */
  async end(error: Error | undefined): Promise<void> {
    if (this.abort.signal.aborted) return;
    this.abort.abort();
    this.isPaused = false;
    await this.client.ended(this, error);
  }

  private async whenListening(port: number): Promise<void> {
    if (await waitUntilListening(port, this.abort.signal)) await this.attach({ kind: 'debugpy', port });
  }

  /** Attaches a debugger to a process of the server that waits for a debugger. */
  private async welcome(address: InspectorAddress, way: 'arguments' | 'options'): Promise<void> {
    // A process that starts after the debugger was detached must not wait for it.
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
      // The timeouts of the server are paused during this wait, so it needs a separate limit.
      await withTimeLimit(
        attached,
        attachLimitMs,
        () => new Error(`VS Code did not answer within ${durationText(attachLimitMs)}.`),
        this.clock,
        this.abort.signal,
      );
    } catch (error) {
      if (this.abort.signal.aborted) return;
      this.report(`No debugger was attached: ${messageOf(error)}`);
      // No debugger could be attached, so the process receives the command to continue without one.
      if (target.kind === 'node') await this.goOnWithout(target.address);
    } finally {
      this.attaching--;
      this.changes.fire();
    }
  }

  private async goOnWithout(address: InspectorAddress): Promise<void> {
    await continueWithoutDebugger(address).catch((error: unknown) =>
      this.report(`A process could not be continued without the debugger: ${messageOf(error)}`),
    );
  }
}

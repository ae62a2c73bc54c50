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

/** What a debugger is attached to. */
export type DebugTarget = { kind: 'node'; address: InspectorAddress } | { kind: 'debugpy'; port: number };

/** Where a debugged server stands with its debugger. */
export type DebugState =
  /** Nobody is attached yet. */
  | 'waiting'
  | 'attaching'
  | 'attached'
  /** Held at a breakpoint or a step. */
  | 'paused'
  /** Nobody is attached any more; the server goes on, and its debugger port is open until it ends. */
  | 'left';

/** The editor's side: attaches debuggers, and tells the run what they do. */
export interface DebugClient {
  /** Rejects when no debugger could be attached. From then on the client calls `sessionEnded` once, and `setPaused`. */
  attach(target: DebugTarget, run: DebugRun): Promise<void>;
  /**
   * The server ends, or has ended with `error` when nobody asked for that. Resolves when no debugger is attached any
   * more, or after a short while.
   */
  ended(run: DebugRun, error: Error | undefined): Promise<void>;
}

/** How long attaching a debugger is waited for, milliseconds: VS Code may ask the user something first. */
const attachLimitMs = 900_000;
/** Processes of one server that are debugged; more are let go on without. */
const maxTargets = 16;

/**
 * One life of a server under a debugger: from the announcements in its stderr to attached debuggers, and what follows for
 * everyone who waits for the server's answers.
 */
export class DebugRun {
  private readonly changes = new Emitter<void>();
  readonly onDidChange = this.changes.event;
  /** Where the server runs, absolute; known once it is started. */
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

  /** True while a person, or the way to the debugger, holds the server: no time that passes now is its own. */
  get isHeld(): boolean {
    return this.isPaused || this.attaching > 0;
  }

  /** True while the user debugs: what starts the server again starts it under the debugger. */
  get isWanted(): boolean {
    return this.state !== 'left';
  }

  /** A line of the server's stderr. */
  read(line: string): void {
    if (this.plan.kind !== 'node' || this.abort.signal.aborted) return;
    const address = readInspectorLine(line);
    // A server that writes such lines for fun keeps nobody busy.
    if (!address || this.welcoming >= maxTargets) return;
    this.welcoming++;
    void this.welcome(address, this.plan.way).finally(() => this.welcoming--);
  }

  /** The client: the server stands at a breakpoint, or goes on. */
  setPaused(isPaused: boolean): void {
    if (this.isPaused === isPaused) return;
    this.isPaused = isPaused;
    this.changes.fire();
  }

  /** The client: one of the attached debuggers is gone. */
  sessionEnded(): void {
    this.sessions--;
    if (this.sessions === 0) this.isPaused = false;
    this.changes.fire();
  }

  /** The server ends, or has ended with `error`. Resolves when it is let go of. */
  async end(error: Error | undefined): Promise<void> {
    if (this.abort.signal.aborted) return;
    this.abort.abort();
    this.isPaused = false;
    await this.client.ended(this, error);
  }

  private async whenListening(port: number): Promise<void> {
    if (await untilTaken(port, this.abort.signal)) await this.attach({ kind: 'debugpy', port });
  }

  /** A process of the server waits for its debugger. */
  private async welcome(address: InspectorAddress, way: 'arguments' | 'options'): Promise<void> {
    // A process that comes after the debugger has left must not wait for it.
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
      // The server's own time stands still meanwhile, so this must end.
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
      // It waits for a debugger that will not come.
      if (target.kind === 'node') await this.goOnWithout(target.address);
    } finally {
      this.attaching--;
      this.changes.fire();
    }
  }

  private async goOnWithout(address: InspectorAddress): Promise<void> {
    await letGo(address).catch((error: unknown) =>
      this.report(`A process could not be told to go on without the debugger: ${messageOf(error)}`),
    );
  }
}

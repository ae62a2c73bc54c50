import type { Disposable } from '../base/disposable.js';
import { Emitter } from '../base/event.js';
import { messageOf } from '../base/hostError.js';
import type { DebugPlan } from './debuggedStart.js';
import type { InspectorAddress } from './inspectorLine.js';
import { readInspectorLine } from './inspectorLine.js';
import { untilTaken } from './loopbackPort.js';
import { letGo } from './nodeInspector.js';

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
  /** The server is over; `error` when nobody asked for that. Ends the debugger's sessions. */
  ended(run: DebugRun, error: Error | undefined): void;
}

/** Processes of one server that are debugged; more are let go on without. */
const maxTargets = 16;

/**
 * One life of a server under a debugger: from the announcements in its stderr to attached debuggers, and what follows for
 * everyone who waits for the server's answers.
 */
export class DebugRun implements Disposable {
  private readonly changes = new Emitter<void>();
  readonly onDidChange = this.changes.event;
  /** Where the server runs, absolute; known once it is started. */
  cwd: string | undefined;
  private targets = 0;
  private attaching = 0;
  private sessions = 0;
  private isPaused = false;
  private readonly abort = new AbortController();

  constructor(
    readonly server: string,
    readonly plan: DebugPlan,
    private readonly client: DebugClient,
    private readonly report: (line: string) => void,
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
    if (!address) return;
    // A process that comes after the debugger has left must not wait for it.
    if (this.state === 'left' || this.targets >= maxTargets) letGo(address).catch((error: unknown) => this.report(`A process could not be told to go on without the debugger: ${messageOf(error)}`));
    else void this.attach({ kind: 'node', address });
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

  /** The server is over. */
  end(error: Error | undefined): void {
    if (this.abort.signal.aborted) return;
    this.abort.abort();
    this.client.ended(this, error);
    this.isPaused = false;
  }

  dispose(): void {
    this.end(undefined);
  }

  private async whenListening(port: number): Promise<void> {
    if (await untilTaken(port, this.abort.signal)) await this.attach({ kind: 'debugpy', port });
  }

  private async attach(target: DebugTarget): Promise<void> {
    this.targets++;
    this.attaching++;
    this.changes.fire();
    try {
      await this.client.attach(target, this);
      this.sessions++;
    } catch (error) {
      if (this.abort.signal.aborted) return;
      this.report(`No debugger was attached: ${messageOf(error)}`);
      // It waits for a debugger that will not come.
      if (target.kind === 'node') await letGo(target.address).catch(() => undefined);
    } finally {
      this.attaching--;
      this.changes.fire();
    }
  }
}

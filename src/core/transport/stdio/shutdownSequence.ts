import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../base/clock.js';
import { Deferred } from '../../base/deferred.js';
import type { ProcessInfo } from './processTree.js';
import { isAlive, isGroupAlive, killTree, listProcesses, signalTree, startTimeOf, treeOf } from './processTree.js';

/** Interval between checks of whether a tree has ended, ms. */
const pollMs = 20;

/** The process to stop. */
export interface StopTarget {
  /** The pid of the process. On POSIX, the process leads its group. */
  pid: number;
  /** True from the moment when the system may reuse the pid of the process. */
  hasExited(): boolean;
  /** Asks the process to end by closing its standard input. */
  closeInput(): void;
}

/**
 * Stops a server with all its processes: closes stdin, then sends SIGTERM (not on Windows), then SIGKILL, with a wait
 * after each step (specification: lifecycle, Shutdown). The process tree is read again before each signal, to include
 * new processes and to exclude reused pids.
 */
export class ShutdownSequence {
  private tree: ProcessInfo[] = [];
  private readonly forced = new Deferred<void>();

  constructor(
    private readonly target: StopTarget,
    private readonly graceMs: number,
    private readonly platform: NodeJS.Platform,
    private readonly clock: Clock,
  ) {}

  /** Skips the waits before SIGKILL. */
  force(): void {
    this.forced.resolve();
  }

  /**
   * Stops the process step by step. Resolves when the whole tree has ended, or when the wait after SIGKILL is over.
   * Never rejects.
   */
  async run(): Promise<void> {
    // Reads the tree before any process ends: later, processes that have left the group or lost their parent could not
    // be found.
    await this.look();
    this.target.closeInput();
    if (await this.isGoneInTime()) return;
    if (this.platform !== 'win32') {
      await this.look();
      signalTree(this.target.pid, this.tree, 'SIGTERM');
      if (await this.isGoneInTime()) return;
    }
    const deadline = this.clock.now() + this.graceMs;
    // Repeated, because the server may start processes faster than they can be listed.
    do {
      await this.look();
      await killTree(this.target.pid, this.tree, this.platform);
      await sleep(pollMs);
    } while (!(await this.isGone()) && this.clock.now() < deadline);
  }

  private async look(): Promise<void> {
    const processes = await listProcesses(this.platform);
    this.tree = treeOf(this.target.pid, this.target.hasExited(), this.tree, processes);
  }

  /**
   * Waits up to `graceMs` for the end of the tree, or not at all after `force`. Returns whether every process has
   * ended.
   */
  private async isGoneInTime(): Promise<boolean> {
    const deadline = this.clock.now() + this.graceMs;
    while (!this.forced.isSettled && this.clock.now() < deadline) {
      if (await this.isGone()) return true;
      // This timer is independent of `clock`, because real processes are polled. It keeps the program alive until its
      // servers have ended.
      await Promise.race([sleep(pollMs), this.forced.promise]);
    }
    return this.isGone();
  }

  private async isGone(): Promise<boolean> {
    if (!this.target.hasExited()) return false;
    const leader = this.target.pid;
    for (const { pid, startedAt } of this.tree) {
      if (pid !== leader && isAlive(pid) && (await startTimeOf(pid, this.platform)) === startedAt) return false;
    }
    // The group may have grown since the tree was read, so the group is checked as well.
    return this.platform === 'win32' || !(await isGroupAlive(leader, this.platform));
  }
}

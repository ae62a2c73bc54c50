import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../base/clock.js';
import { Deferred } from '../../base/deferred.js';
import type { ProcessInfo } from './processTree.js';
import { isAlive, isGroupAlive, killTree, listProcesses, signalTree, startTimeOf, treeOf } from './processTree.js';

/** How often to look whether a tree is gone, in milliseconds. */
const pollMs = 20;

/** What a ladder has to know of the process that it ends. */
export interface StopTarget {
  /** On POSIX the leader of a process group. */
  pid: number;
  /** True from the moment on that the system may use its pid again. */
  hasExited(): boolean;
  /** The polite request: ends its standard input. */
  closeInput(): void;
}

/**
 * Ends a server with all that it started: stdin ends → SIGTERM → SIGKILL, each with its grace (specification: lifecycle,
 * Shutdown). Before each signal the tree is looked at anew, so that what was started meanwhile is reached, and no pid that
 * belongs to a stranger by now.
 */
export class StopLadder {
  private tree: ProcessInfo[] = [];
  private readonly forced = new Deferred<void>();

  constructor(
    private readonly target: StopTarget,
    private readonly graceMs: number,
    private readonly platform: NodeJS.Platform,
    private readonly clock: Clock,
  ) {}

  /** Leaves the graces out from now on. */
  force(): void {
    this.forced.resolve();
  }

  /** Resolves when nothing is left of the tree, or when even SIGKILL had its grace. Never rejects. */
  async run(): Promise<void> {
    // Known before anything ends: who leaves the group or loses the parent could not be found afterwards.
    await this.look();
    this.target.closeInput();
    if (await this.isGoneInTime()) return;
    if (this.platform !== 'win32') {
      await this.look();
      signalTree(this.target.pid, this.tree, 'SIGTERM');
      if (await this.isGoneInTime()) return;
    }
    const deadline = this.clock.now() + this.graceMs;
    // Again and again, because what starts processes in a row may be faster than one look.
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

  /** True when every process of the tree has ended within its grace; false at once when somebody forces. */
  private async isGoneInTime(): Promise<boolean> {
    const deadline = this.clock.now() + this.graceMs;
    while (!this.forced.isSettled && this.clock.now() < deadline) {
      if (await this.isGone()) return true;
      // Processes are looked at in real time, and a program must not end before its servers have.
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
    // The group may have grown since the tree was looked at.
    return this.platform === 'win32' || !(await isGroupAlive(leader, this.platform));
  }
}

import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';

/** Time without a file change before a restart, ms. Editors save in several steps, and builds write many files. */
const quietMs = 500;
/**
 * Upper limit of the time without a file change, ms. The time grows if files change soon after each restart, because
 * the server itself may have changed them.
 */
const longestQuietMs = 5_000;
/** Time after a restart, ms, within which a file change may be caused by the restarted server. */
const soonMs = 10_000;
/** Maximum number of consecutive restarts that are each soon followed by a file change. After that, the watch stops. */
const maxInARow = 20;
/** Maximum number of file names in a log line. */
const maxNames = 3;

export interface ChangeWatchOptions {
  /** Calls `onDidChange` for changed files until disposed; returns undefined if watching is not possible here. */
  watch(patterns: readonly string[], onDidChange: (file: string) => void): Disposable | undefined;
  /** Restarts the server; settles when the restart succeeded or failed. */
  restart(): Promise<void>;
  write(level: 'info' | 'warn', line: string): void;
  /** Called when the watched patterns have changed. */
  onDidChange(): void;
  clock: Clock;
}

/**
 * Restarts a server when files change. The watch lasts from a start until the user stops the server. A failed server is
 * restarted as well, because a change may fix it. A server that changes its own files is restarted with growing delays,
 * up to a maximum number of times.
 */
export class ChangeWatch implements Disposable {
  private watching: { key: string; patterns: readonly string[]; watcher: Disposable } | undefined;
  private isRestarting = false;
  private hasGivenUp = false;
  private inARow = 0;
  private restartedAt = -Infinity;
  private changed = new Set<string>();
  private changes = 0;
  private quiet: Disposable | undefined;
  /**
   * An update that arrived while this class was restarting the server. It is applied after the restart, because a
   * restart also reports the server as stopped for a moment.
   */
  private later: { patterns: readonly string[]; isUp: boolean } | undefined;

  constructor(private readonly options: ChangeWatchOptions) {}

  /** The watched patterns; empty if nothing is watched. */
  get patterns(): readonly string[] {
    return this.watching?.patterns ?? [];
  }

  /** Starts, changes or stops the watch. @param isUp true from a start until the user stops the server. */
  update(patterns: readonly string[], isUp: boolean): void {
    this.later = this.isRestarting && !isUp ? { patterns, isUp } : undefined;
    if (this.later) return;
    if (!isUp) this.hasGivenUp = false;
    const wanted = isUp && !this.hasGivenUp ? patterns : [];
    const key = JSON.stringify(wanted);
    if (key === (this.watching?.key ?? '[]')) return;
    this.end();
    if (wanted.length > 0) this.begin(key, wanted);
    else if (!isUp) this.inARow = 0;
    this.options.onDidChange();
  }

  dispose(): void {
    this.end();
  }

  private begin(key: string, patterns: readonly string[]): void {
    const watcher = this.options.watch(patterns, (file) => this.fileChanged(file));
    if (!watcher) return;
    this.watching = { key, patterns, watcher };
    this.options.write('info', `Watching ${patterns.join(', ')}: a change restarts the server.`);
  }

  private end(): void {
    this.watching?.watcher.dispose();
    this.watching = undefined;
    this.forgetChanges();
  }

  private forgetChanges(): void {
    this.quiet?.dispose();
    this.quiet = undefined;
    this.changed = new Set();
    this.changes = 0;
  }

  private fileChanged(file: string): void {
    const { clock } = this.options;
    this.changes++;
    if (this.changed.size < maxNames) this.changed.add(file);
    if (this.changes === 1 && clock.now() - this.restartedAt > soonMs) this.inARow = 0;
    this.waitForQuiet();
  }

  private waitForQuiet(): void {
    this.quiet?.dispose();
    this.quiet = this.options.clock.after(
      Math.min(longestQuietMs, quietMs * 2 ** this.inARow),
      () => void this.restart(),
    );
  }

  private async restart(): Promise<void> {
    // A change during a restart causes another restart after it.
    if (this.isRestarting) return;
    const files = [...this.changed].join(', ');
    const more = this.changes > this.changed.size ? ' and more' : '';
    this.forgetChanges();
    if (this.inARow >= maxInARow) {
      this.hasGivenUp = true;
      this.end();
      this.options.write(
        'warn',
        `${files}${more} changed right after each of ${maxInARow} restarts: the server seems to change its own files. The files are no longer watched until the server is stopped and started. To exclude files, add a pattern such as "!logs/**" to "dev.watch".`,
      );
      this.options.onDidChange();
      return;
    }
    this.inARow++;
    this.restartedAt = this.options.clock.now();
    this.options.write('info', `Restarting, because ${files}${more} changed.`);
    this.isRestarting = true;
    try {
      await this.options.restart();
    } finally {
      this.isRestarting = false;
      this.restartedAt = this.options.clock.now();
      if (this.later) this.update(this.later.patterns, this.later.isUp);
      else if (this.changes > 0) this.waitForQuiet();
    }
  }
}

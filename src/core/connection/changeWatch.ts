import type { Clock } from '../base/clock.js';
import type { Disposable } from '../base/disposable.js';

/**
 * An editor writes a file in several steps, a build writes many: the restart comes when nothing has changed for so
 * long. Milliseconds.
 */
const quietMs = 500;
/** The same while changes come right after each restart: what writes them may be the server itself. */
const longestQuietMs = 5_000;
/** A change that comes so soon after a restart may be the work of the server that was started. Milliseconds. */
const soonMs = 10_000;
/** So many restarts in a row, each soon after the one before, and we stop watching. */
const maxInARow = 20;
/** Names that are kept for the log. */
const maxNames = 3;

export interface ChangeWatchOptions {
  /** Tells of files that changed until disposed; undefined: they cannot be watched here. */
  watch(patterns: readonly string[], onDidChange: (file: string) => void): Disposable | undefined;
  /** Restarts what is watched for; settles when that came to an end, well or not. */
  restart(): Promise<void>;
  /** For the log. */
  write(level: 'info' | 'warn', line: string): void;
  /** Whether it watches has changed. */
  onDidChange(): void;
  clock: Clock;
}

/**
 * Restarts something when files change. It watches from a start until a stop: also what failed is started again, since a
 * change may be the cure. Something that changes its own files is restarted with growing pauses and then no more.
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
  /** What came to be known during our own restart, which stops it for a moment. */
  private later: { patterns: readonly string[]; isUp: boolean } | undefined;

  constructor(private readonly options: ChangeWatchOptions) {}

  /** The patterns that are watched now; empty: none. */
  get patterns(): readonly string[] {
    return this.watching?.patterns ?? [];
  }

  /** @param isUp from a start until somebody stops it. */
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
    // What changes while a restart is under way leads to another one after it.
    if (this.isRestarting) return;
    const files = [...this.changed].join(', ');
    const more = this.changes > this.changed.size ? ' and more' : '';
    this.forgetChanges();
    if (this.inARow >= maxInARow) {
      this.hasGivenUp = true;
      this.end();
      this.options.write(
        'warn',
        `${files}${more} changed right after each of ${maxInARow} restarts: the server seems to change its own files. They are not watched any more until it is stopped and started. Leave them out of "dev.watch" with a pattern such as "!logs/**".`,
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

import { Sequencer } from '../base/sequencer.js';

/** The time during which one caller holds the lock. */
export interface LockTurn {
  /**
   * The note of the previous holder, which may be in another window; undefined if there is none. It never contains a
   * secret.
   */
  readonly lastNote: string | undefined;
  /** Leaves a note for the next holder. */
  readonly leaveNote: (note: string) => void;
}

/**
 * A lock across calls and windows: if two windows use the same rotating refresh token at once, the sign-in is lost. A
 * holder that has crashed must not block others for longer than a minute.
 */
export interface AuthLock {
  /** Runs `work` while holding the lock `name`; settles like `work`. */
  run<T>(name: string, work: (turn: LockTurn) => Promise<T>): Promise<T>;
}

/** A lock within one window; all servers must share one instance. */
export class LocalLock implements AuthLock {
  private readonly queues = new Map<string, { queue: Sequencer; note?: string }>();

  run<T>(name: string, work: (turn: LockTurn) => Promise<T>): Promise<T> {
    let entry = this.queues.get(name);
    if (!entry) this.queues.set(name, (entry = { queue: new Sequencer() }));
    const held = entry;
    return held.queue.run(() =>
      work({
        lastNote: held.note,
        leaveNote: (note) => {
          held.note = note;
        },
      }),
    );
  }
}

import { Sequencer } from '../base/sequencer.js';

/** One turn under a lock. */
export interface LockTurn {
  /** What the holder before left, in whatever window it was; undefined when nothing is known. Never a secret. */
  readonly lastNote: string | undefined;
  /** Leaves a note for the next holder. */
  readonly leaveNote: (note: string) => void;
}

/**
 * Lets one holder in at a time, across calls and windows: two windows that use one rotating refresh token at once lose
 * the sign-in. A holder that died must not block the others for longer than a minute.
 */
export interface AuthLock {
  /** Runs `work` when nobody else holds `name`, and settles as it does. */
  run<T>(name: string, work: (turn: LockTurn) => Promise<T>): Promise<T>;
}

/** The lock of a single window; one instance has to serve all servers. */
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

/** A session that keeps events so that its client can resume. */
export interface EventKeeper {
  /** Drops the oldest events. Returns the size of those that are left. */
  forgetOldest(): number;
}

/**
 * Limits the events that all sessions keep. Above the limit, the session that keeps the most drops its oldest events.
 */
export class KeptEvents {
  private readonly sizes = new Map<EventKeeper, number>();
  private total = 0;

  /** @param maxSize in characters of JSON. */
  constructor(private readonly maxSize: number) {}

  /** Called when the size of the events of a session has changed. The size is 0 when the session has ended. */
  changed(keeper: EventKeeper, size: number): void {
    this.set(keeper, size);
    while (this.total > this.maxSize) {
      const [largest] = [...this.sizes].reduce((one, other) => (other[1] > one[1] ? other : one));
      this.set(largest, largest.forgetOldest());
    }
  }

  private set(keeper: EventKeeper, size: number): void {
    this.total += size - (this.sizes.get(keeper) ?? 0);
    if (size === 0) this.sizes.delete(keeper);
    else this.sizes.set(keeper, size);
  }
}

/** Maximum length of the messages to an app that it has not taken yet, in characters. More wait for the app. */
const maxUntaken = 8 * 1024 * 1024;
/** Maximum number of requests for data of the server that are answered at the same time. */
const maxOpen = 4;

/**
 * Limits the memory of the answers to an app. The app can request data faster than it takes the answers, so a request
 * keeps its place until there is room for more messages.
 */
export class AppRoom {
  private untaken = 0;
  private open = 0;
  /** Requests that wait for a place. */
  private readonly waiting: (() => void)[] = [];
  /** Places whose answers were sent while there was no room. */
  private readonly leaving: (() => void)[] = [];

  /** Whether the messages that the app has not taken yet are too large for more. */
  get isFull(): boolean {
    return this.untaken >= maxUntaken;
  }

  /** Counts a message that is sent. */
  sent(length: number): void {
    this.untaken += length;
  }

  /** Called when the app has taken messages of this length. */
  taken(length: number): void {
    this.untaken = Math.max(0, this.untaken - length);
    if (!this.isFull) for (const leave of this.leaving.splice(0)) leave();
  }

  /** Runs `work` when one of 4 places is free. The place is free again when the app has taken the answer. */
  async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.open < maxOpen) this.open++;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      // The answer is sent in this turn of the event loop.
      setImmediate(() => (this.isFull ? this.leaving.push(() => this.leave()) : this.leave()));
    }
  }

  private leave(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.open--;
  }
}

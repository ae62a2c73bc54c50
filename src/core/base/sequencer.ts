/** Runs asynchronous work strictly in sequence; a failure does not stop the next work. */
export class Sequencer {
  private tail: Promise<unknown> = Promise.resolve();

  /** Queues `work`. The result settles as `work` does. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.tail.then(work, work);
    // The tail only preserves the order, so it ignores the error, which the caller of `run` receives.
    this.tail = result.catch(() => undefined);
    return result;
  }
}

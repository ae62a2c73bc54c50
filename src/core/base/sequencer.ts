/** Runs asynchronous work strictly one after the other; a failure of one does not stop the next. */
export class Sequencer {
  private tail: Promise<unknown> = Promise.resolve();

  /** Queues `work` and settles as it does. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.tail.then(work, work);
    // The chain only orders; the caller of `run` is the one who sees the error.
    this.tail = result.catch(() => undefined);
    return result;
  }
}

/** Resolves with the work, or rejects with the reason of the signal as soon as it aborts. The work is not stopped. */
export function orAborted<T>(work: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).then(() => signal.removeEventListener('abort', abort));
  });
}

/** The items of a stream until it ends. Rejects with the reason of the signal as soon as it aborts. */
export async function* untilAborted<T>(stream: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const items = stream[Symbol.asyncIterator]();
  for (;;) {
    const next = await orAborted(items.next(), signal);
    if (next.done === true) return;
    yield next.value;
  }
}

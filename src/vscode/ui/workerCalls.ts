import { Worker } from 'node:worker_threads';
import type { Clock } from '../../core/base/clock.js';
import { systemClock } from '../../core/base/clock.js';
import { Deferred } from '../../core/base/deferred.js';
import type { Disposable } from '../../core/base/disposable.js';
import { HostError } from '../../core/base/hostError.js';
import { Sequencer } from '../../core/base/sequencer.js';
import { withTimeLimit } from '../../core/base/withTimeLimit.js';

/** Time without a request after which the worker ends, in milliseconds, because it uses memory. */
const idleMs = 60_000;
/**
 * Time limit of a request, in milliseconds, including the start of the worker but not the wait for earlier requests.
 */
const limitMs = 20_000;

/**
 * Sends requests to a worker thread, for work that would block the extension host. The worker answers each message with
 * one message. It gets one request at a time, so a request that takes too long does not fail the others. It starts with
 * the first request, and ends when it is not used or when a request fails.
 */
export class WorkerCalls<Request, Answer> implements Disposable {
  private worker: Worker | undefined;
  private idle: Disposable | undefined;
  /** The answer to the current request. */
  private answer: Deferred<Answer> | undefined;
  private readonly calls = new Sequencer();
  private isDisposed = false;

  /**
   * @param file the bundle of the worker.
   * @param timeoutText the message of the error when an answer is late.
   * @param data what the worker receives at its start.
   */
  constructor(
    private readonly file: string,
    private readonly timeoutText: string,
    private readonly data?: unknown,
    private readonly clock: Clock = systemClock,
  ) {}

  /** Sends a request. Rejects with `timeout`, with the failure of the worker, or with `closed` after `dispose`. */
  call(request: Request): Promise<Answer> {
    return this.calls.run(() => this.send(request));
  }

  dispose(): void {
    this.isDisposed = true;
    this.end(closed());
  }

  private async send(request: Request): Promise<Answer> {
    if (this.isDisposed) throw closed();
    this.idle?.dispose();
    const answer = (this.answer = new Deferred<Answer>());
    try {
      this.open().postMessage(request);
      const slow = () => new HostError('timeout', this.timeoutText);
      return await withTimeLimit(answer.promise, limitMs, slow, this.clock);
    } catch (error) {
      this.answer = undefined;
      this.end();
      throw error;
    } finally {
      this.answer = undefined;
      if (this.worker) this.idle = this.clock.after(idleMs, () => this.end());
    }
  }

  private open(): Worker {
    if (this.worker) return this.worker;
    const worker = new Worker(this.file, { workerData: this.data });
    worker.unref();
    worker.on('message', (answer: Answer) => this.worker === worker && this.answer?.resolve(answer));
    worker.on('error', (error) => this.worker === worker && this.end(error));
    return (this.worker = worker);
  }

  /** Ends the worker, and rejects the current request. */
  private end(error?: unknown): void {
    this.idle?.dispose();
    void this.worker?.terminate();
    this.worker = undefined;
    this.answer?.reject(error);
  }
}

function closed(): HostError {
  return new HostError('closed', 'The window is closing.');
}

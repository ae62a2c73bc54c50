import { Worker } from 'node:worker_threads';
import type { Clock } from '../../core/base/clock.js';
import { systemClock } from '../../core/base/clock.js';
import { Deferred } from '../../core/base/deferred.js';
import type { Disposable } from '../../core/base/disposable.js';
import { HostError } from '../../core/base/hostError.js';
import { withTimeLimit } from '../../core/base/withTimeLimit.js';

/** Time without a request after which the worker ends, in ms, because it holds memory. */
const idleMs = 60_000;
/** Time limit of a request, in ms, including the start of the worker. */
const limitMs = 20_000;

/**
 * Calls of a worker thread, for work that would block the extension host. The worker receives `{ id, request }` and
 * answers `{ id, answer }`. It starts with the first request, and ends when it is not used or when a request fails.
 */
export class WorkerCalls<Request, Answer> implements Disposable {
  private worker: Worker | undefined;
  private idle: Disposable | undefined;
  private nextId = 0;
  private readonly waiting = new Map<number, Deferred<Answer>>();

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

  /** Sends a request. Rejects with `timeout`, or with the failure of the worker. */
  async call(request: Request): Promise<Answer> {
    const id = this.nextId++;
    const answer = new Deferred<Answer>();
    this.waiting.set(id, answer);
    this.idle?.dispose();
    try {
      this.open().postMessage({ id, request });
      const slow = () => new HostError('timeout', this.timeoutText);
      return await withTimeLimit(answer.promise, limitMs, slow, this.clock);
    } catch (error) {
      this.end(error);
      throw error;
    } finally {
      this.waiting.delete(id);
      if (this.waiting.size === 0) this.idle = this.clock.after(idleMs, () => this.end());
    }
  }

  dispose(): void {
    this.end(new HostError('closed', 'The window is closing.'));
  }

  private open(): Worker {
    if (this.worker) return this.worker;
    const worker = new Worker(this.file, { workerData: this.data });
    worker.unref();
    worker.on('message', ({ id, answer }: { id: number; answer: Answer }) => this.waiting.get(id)?.resolve(answer));
    worker.on('error', (error) => this.worker === worker && this.end(error));
    return (this.worker = worker);
  }

  private end(error?: unknown): void {
    this.idle?.dispose();
    void this.worker?.terminate();
    this.worker = undefined;
    for (const answer of this.waiting.values()) answer.reject(error);
    this.waiting.clear();
  }
}

import { Worker } from 'node:worker_threads';
import type { Clock } from '../../core/base/clock.js';
import { systemClock } from '../../core/base/clock.js';
import { Deferred } from '../../core/base/deferred.js';
import type { Disposable } from '../../core/base/disposable.js';
import { HostError } from '../../core/base/hostError.js';
import { withTimeLimit } from '../../core/base/withTimeLimit.js';
import type { TokenAnswer, TokenRequest } from '../../core/present/text/tokenWorker.js';

/** Time without a request after which the worker ends, in ms. It holds the table of the encoding, some 80 MB. */
const idleMs = 60_000;
/** Time limit of a request, in ms, including the start of the worker. */
const limitMs = 20_000;
/** Maximum length of the texts whose counts are kept, in characters together. */
const maxKept = 4_000_000;

/**
 * Counts the tokens of texts in a worker thread, because loading the encoding and counting would block the extension
 * host. The worker starts with the first request, and ends when it is not used.
 */
export class TokenCounter implements Disposable {
  private worker: Worker | undefined;
  private idle: Disposable | undefined;
  private nextId = 0;
  private readonly waiting = new Map<number, Deferred<readonly number[]>>();
  private readonly kept = new Map<string, number>();
  private keptLength = 0;

  /** @param file the bundle of `tokenWorker.ts`. */
  constructor(
    private readonly file: string,
    private readonly clock: Clock = systemClock,
  ) {}

  /** The number of tokens of each text. Rejects with `timeout`, or with the failure of the worker. */
  readonly count = async (texts: readonly string[]): Promise<readonly number[]> => {
    const missing = [...new Set(texts)].filter((text) => !this.kept.has(text));
    const counts = missing.length === 0 ? [] : await this.ask(missing);
    const found = new Map(missing.map((text, index) => [text, counts[index] ?? 0]));
    const result = texts.map((text) => found.get(text) ?? this.kept.get(text) ?? 0);
    for (const [text, tokens] of found) this.keep(text, tokens);
    return result;
  };

  dispose(): void {
    this.end(new HostError('closed', 'The window is closing.'));
  }

  private async ask(texts: readonly string[]): Promise<readonly number[]> {
    const request: TokenRequest = { id: this.nextId++, texts };
    const answer = new Deferred<readonly number[]>();
    this.waiting.set(request.id, answer);
    this.idle?.dispose();
    try {
      this.open().postMessage(request);
      const slow = () => new HostError('timeout', 'The tokens were not counted in time.');
      return await withTimeLimit(answer.promise, limitMs, slow, this.clock);
    } catch (error) {
      this.end(error);
      throw error;
    } finally {
      this.waiting.delete(request.id);
      if (this.waiting.size === 0) this.idle = this.clock.after(idleMs, () => this.end());
    }
  }

  private open(): Worker {
    if (this.worker) return this.worker;
    const worker = new Worker(this.file);
    worker.unref();
    worker.on('message', ({ id, counts }: TokenAnswer) => this.waiting.get(id)?.resolve(counts));
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

  private keep(text: string, tokens: number): void {
    if (this.keptLength + text.length > maxKept) {
      this.kept.clear();
      this.keptLength = 0;
    }
    this.kept.set(text, tokens);
    this.keptLength += text.length;
  }
}

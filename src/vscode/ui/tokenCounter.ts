import type { Disposable } from '../../core/base/disposable.js';
import { WorkerCalls } from './workerCalls.js';

/** Maximum total length of the texts whose counts are kept, in characters. */
const maxKept = 4_000_000;

/**
 * Counts the tokens of texts in a worker thread, because loading the encoding (about 80 MB) and counting would block
 * the extension host.
 */
export class TokenCounter implements Disposable {
  private readonly worker: WorkerCalls<readonly string[], readonly number[]>;
  private readonly kept = new Map<string, number>();
  private keptLength = 0;

  /** @param file the bundle of `tokenWorker.ts`. */
  constructor(file: string) {
    this.worker = new WorkerCalls(file, 'The tokens were not counted in time.');
  }

  /** The number of tokens of each text. Rejects with `timeout`, or with the failure of the worker. */
  readonly count = async (texts: readonly string[]): Promise<readonly number[]> => {
    const missing = [...new Set(texts)].filter((text) => !this.kept.has(text));
    const counts = missing.length === 0 ? [] : await this.worker.call(missing);
    const found = new Map(missing.map((text, index) => [text, counts[index] ?? 0]));
    const result = texts.map((text) => found.get(text) ?? this.kept.get(text) ?? 0);
    for (const [text, tokens] of found) this.keep(text, tokens);
    return result;
  };

  dispose(): void {
    this.worker.dispose();
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

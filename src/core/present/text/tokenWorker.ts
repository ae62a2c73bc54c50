/** Counts tokens in a worker thread: receives `{ id, texts }`, and answers `{ id, counts }`. */
import { parentPort } from 'node:worker_threads';
import { countTokens } from './o200k.js';

/** The message to the worker. */
export interface TokenRequest {
  id: number;
  texts: readonly string[];
}

/** The answer of the worker: the number of tokens of each text. */
export interface TokenAnswer {
  id: number;
  counts: readonly number[];
}

parentPort?.on('message', ({ id, texts }: TokenRequest) => {
  const answer: TokenAnswer = { id, counts: texts.map((text) => countTokens(text)) };
  parentPort?.postMessage(answer);
});

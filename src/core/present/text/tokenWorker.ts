/** Counts tokens in a worker thread: receives texts, and answers with numbers. */
import { parentPort } from 'node:worker_threads';
import { countTokens } from './o200k.js';

parentPort?.on('message', (texts: readonly string[]) => {
  parentPort?.postMessage(texts.map((text) => countTokens(text)));
});

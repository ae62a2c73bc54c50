/** Counts tokens in a worker thread: receives `{ id, request }` with texts, and answers `{ id, answer }` with numbers. */
import { parentPort } from 'node:worker_threads';
import { countTokens } from './o200k.js';

parentPort?.on('message', ({ id, request }: { id: number; request: readonly string[] }) => {
  parentPort?.postMessage({ id, answer: request.map((text) => countTokens(text)) });
});

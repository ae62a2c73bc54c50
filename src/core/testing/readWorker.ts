/**
 * Reads test files in a worker thread, because the parser of YAML needs more than 100 ms for 100 cases. Receives a
 * request, and answers with its result. The data of the worker are the texts in the language of the user.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { useLanguage } from '../present/text/language.js';
import type { ParsedFile } from './readTestFile.js';
import { parseTestFile } from './readTestFile.js';

/** A file to read. */
export interface ReadRequest {
  text: string;
  /** Absolute path. */
  file: string;
  /** Whether the answer contains the values with their positions, which are large. */
  hasRoot: boolean;
}

useLanguage(workerData as Parameters<typeof useLanguage>[0]);

parentPort?.on('message', (request: ReadRequest) => {
  const parsed = parseTestFile(request.text, request.file, process.env);
  const answer: ParsedFile = request.hasRoot ? parsed : { read: parsed.read };
  parentPort?.postMessage(answer);
});

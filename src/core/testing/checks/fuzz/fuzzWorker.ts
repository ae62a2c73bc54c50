/**
 * Generates arguments in a worker thread, because fast-check and huge values would block the extension host. Receives a
 * request, and answers with the generated arguments.
 *
 * The schema comes from a server, and generating values for it can take any time. So the window has a time limit for
 * each request, and then ends the thread.
 */
import { parentPort } from 'node:worker_threads';
import type { JsonSchema } from '../../../protocol/mcp.js';
import { fuzzArguments } from './fuzzArguments.js';

/** The arguments to generate; see `fuzzArguments`. */
export interface FuzzRequest {
  /** The input schema of a tool, as JSON. An object that is sent can need much more memory than its text. */
  schema: string;
  /** A whole number. */
  seed: number;
  /** The number of calls. */
  count: number;
}

parentPort?.on('message', ({ schema, seed, count }: FuzzRequest) => {
  parentPort?.postMessage(fuzzArguments(JSON.parse(schema) as JsonSchema, seed, count));
});

/**
 * Reads and changes test files in a worker thread, because the parser of YAML needs more than 100 ms for 100 cases.
 * Receives a request, and answers with its result. `workerData` contains the texts in the display language.
 */
import type { MessagePort } from 'node:worker_threads';
import { parentPort, workerData } from 'node:worker_threads';
import { UserError } from '../base/hostError.js';
import { SecretFinder, dots } from '../base/secretFinder.js';
import { useLanguage } from '../present/text/language.js';
import { portOfFile } from './filePieces.js';
import type { NewCase, RecordedCase } from './newCase.js';
import { withNewCase } from './newCase.js';
import type { ParsedFile } from './readTestFile.js';
import { parseTestFile } from './readTestFile.js';

/** A file to read. */
interface ReadRequest {
  kind: 'read';
  text: string;
  /** Absolute path. */
  file: string;
  /** Whether the answer contains the values with their positions, which are large. */
  hasRoot: boolean;
}

/** A case to add to the text of a file. */
interface AddRequest {
  kind: 'add';
  /** Undefined for a new file. */
  text: string | undefined;
  /** Absolute path. */
  file: string;
  recorded: RecordedCase;
  /** The secrets that the case must not contain. */
  secrets: readonly string[];
}

export type ReadWorkerRequest = ReadRequest | AddRequest;

/** `file` is for `receiveFile`; `refused` says why the case cannot be added. */
export type ReadWorkerAnswer = { file: MessagePort } | { added: NewCase } | { refused: string };

useLanguage(workerData as Parameters<typeof useLanguage>[0]);

parentPort?.on('message', (request: ReadWorkerRequest) => {
  if (request.kind === 'add') return parentPort?.postMessage(added(request));
  const file = portOfFile(parsed(request));
  parentPort?.postMessage({ file } satisfies ReadWorkerAnswer, [file]);
});

function parsed({ text, file, hasRoot }: ReadRequest): ParsedFile {
  const whole = parseTestFile(text, file, process.env);
  return hasRoot ? whole : { read: whole.read };
}

function added({ text, file, recorded, secrets }: AddRequest): ReadWorkerAnswer {
  const finder = new SecretFinder(secrets);
  try {
    return {
      added: withNewCase(text, file, recorded, (part) => part.includes(dots) || finder.mask(part) !== part),
    };
  } catch (error) {
    if (error instanceof UserError) return { refused: error.message };
    throw error;
  }
}

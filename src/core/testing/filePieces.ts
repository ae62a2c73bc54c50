/**
 * Sends a test file from a worker to its window in pieces. Receiving a message blocks the thread, and a file of a
 * hundred cases with all positions would take too long for one turn of the extension host.
 */
import type { MessagePort } from 'node:worker_threads';
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import { runInSlices } from '../base/timeSlice.js';
import type { ParsedFile } from './readTestFile.js';
import type { TestCase } from './testModel.js';
import type { YamlNode } from './yamlTree.js';

/** Cases, and their values with positions. A row of `each` is a case without values of its own. */
interface FilePiece {
  tests: readonly TestCase[];
  items: readonly YamlNode[];
}

const casesInPiece = 10;

/** A port from which `receiveFile` reads the file. It must be transferred. */
export function portOfFile(file: ParsedFile): MessagePort {
  const { port1, port2 } = new MessageChannel();
  const { tests, items } = partsOf(file);
  port1.postMessage(withParts(file, { tests: [], items: [] }));
  for (let from = 0; from < Math.max(tests.length, items.length); from += casesInPiece) {
    const to = from + casesInPiece;
    port1.postMessage({ tests: tests.slice(from, to), items: items.slice(from, to) } satisfies FilePiece);
  }
  port1.postMessage('end');
  return port2;
}

/**
 * Receives a file in several turns. The node of the whole file and the node of its list of tests have no value; the
 * nodes below them have values. Rejects if the worker ended too early.
 */
export function receiveFile(port: MessagePort): Promise<ParsedFile> {
  return runInSlices(received(port));
}

function* received(port: MessagePort): Generator<void, ParsedFile> {
  const next = (): unknown => {
    const found = receiveMessageOnPort(port);
    if (!found) throw new Error('The worker ended before it had sent the file.');
    return found.message;
  };
  try {
    const file = next() as ParsedFile;
    const parts: { tests: TestCase[]; items: YamlNode[] } = { tests: [], items: [] };
    for (;;) {
      yield;
      const piece = next();
      if (piece === 'end') return withParts(file, parts);
      const { tests, items } = piece as FilePiece;
      parts.tests.push(...tests);
      parts.items.push(...items);
    }
  } finally {
    port.close();
  }
}

function partsOf({ read, root }: ParsedFile): FilePiece {
  return {
    tests: 'test' in read ? read.test.tests : [],
    items: root?.entries?.find(isTests)?.node.items ?? [],
  };
}

/** A copy of a file in which these cases and their values replace its own. */
function withParts({ read, root }: ParsedFile, { tests, items }: FilePiece): ParsedFile {
  const entries = root?.entries?.map((entry) =>
    isTests(entry) && entry.node.items ? { ...entry, node: { ...entry.node, items, value: undefined } } : entry,
  );
  return {
    read: 'test' in read ? { test: { ...read.test, tests } } : read,
    ...(root ? { root: entries ? { ...root, entries, value: undefined } : root } : {}),
  };
}

function isTests({ key }: { key: string }): boolean {
  return key === 'tests';
}

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallToolResult } from '../../../src/core/protocol/mcp.js';
import { drawNodes } from '../../../src/core/present/tree/treeNode.js';
import { failureMessage } from '../../../src/core/present/failure/failureText.js';
import { serverNode } from '../../../src/core/present/tree/serverNodes.js';
import type { HeadlessHost } from '../../support/headlessHost.js';

/** One entry of a journal, as a hostile server writes it. */
export interface JournalRow {
  event: string;
  method?: string;
  pid?: number;
  [key: string]: unknown;
}

/** The behavior of one hostile server, and the expected outcome. */
export interface HostileCase {
  /** The mode of the fixture. */
  mode: string;
  /** Ids of the requirements that it proves, in square brackets. */
  proves: string;
  /** Additional fields of its definition. */
  definition?: Record<string, unknown>;
  /** The size of the attack, for modes that have one. */
  number?: number;
  /** The clock of the host, for cases that advance time. */
  takesTime?: boolean;
  /** The actions of the test, which return the text for the caller; default: start it and call `attack`. */
  act?: (bench: Bench) => Promise<string>;
  /** The text for the caller: the result, or the message of the failure. */
  says: string | RegExp;
  /** The line of the server in the tree, directly after the actions. */
  tree: string | RegExp;
  /** The messages that the server received, with their counts. */
  journal: Record<string, number>;
  /** Additional checks before the server is stopped. */
  check?: (bench: Bench) => void | Promise<void>;
}

/** Everything that a case may inspect. */
export interface Bench {
  id: string;
  headless: HeadlessHost;
  /** The journal so far. */
  journal: () => JournalRow[];
  /** Messages of the client so far, by method. */
  received: () => Record<string, number>;
  /** Log lines so far. */
  log: () => string[];
  /** Calls a tool and returns the text for the user. */
  call: (tool?: string) => Promise<string>;
  /** Starts the server and returns the text for the user. */
  start: () => Promise<string>;
  /** Resolves when `condition` holds. */
  until: (what: string, condition: () => boolean) => Promise<void>;
}

/** The keys of Object.prototype before any server sent a message (security requirement L5). */
const prototypeKeys = Reflect.ownKeys(Object.prototype);

/** For the cases that only a timeout ends; long enough that on a busy machine everything else is in time. */
export const impatient = { timeoutMs: 2_500, startTimeoutMs: 4_000 };

export function readJournal(file: string): JournalRow[] {
  if (!existsSync(file)) return [];
  return (
    readFileSync(file, 'utf8')
      .split('\n')
      // The text after the last line break is incomplete.
      .slice(0, -1)
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as JournalRow)
  );
}

export function makeBench(headless: HeadlessHost, id: string, journal: () => JournalRow[]): Bench {
  const { host } = headless;
  const textFor = async (work: Promise<CallToolResult | void>): Promise<string> => {
    try {
      const result = await work;
      return result ? contentText(result) : 'started';
    } catch (error) {
      return failureMessage(error, { isWorkspaceTrusted: true })?.text ?? 'cancelled';
    }
  };
  const bench: Bench = {
    id,
    headless,
    journal,
    received: () =>
      countBy(
        journal().filter(({ event, method }) => event === 'in' && method !== undefined),
        ({ method }) => method ?? '',
      ),
    log: () => headless.logs.get(id) ?? [],
    call: (tool = 'attack') => textFor(host.calls.runTool({ server: id, tool, arguments: {} }, { caller: 'user' })),
    start: () => textFor(host.lifecycle.start(id)),
    until: async (what, condition) => assert.ok(await comes(condition), `${id}: ${what} never happened`),
  };
  return bench;
}

/**
 * Runs one case: checks the texts for the caller and the user, the messages at the server, that nothing is left, and
 * that other servers are not affected.
 */
export async function survive(hostile: HostileCase, bench: Bench, good: string): Promise<void> {
  const { headless, id } = bench;
  const { host } = headless;
  try {
    const message = hostile.act ? await hostile.act(bench) : await startAndCall(bench);
    assertText(message, hostile.says, 'the text for the caller');
    const view = host.servers.get(id);
    assert.ok(view);
    const tree = () => drawNodes([serverNode(host.servers.get(id) ?? view, Date.now())], 1);
    // The answer to the liveness ping may still be in transit.
    await comes(() => isText(tree(), hostile.tree));
    assertText(tree(), hostile.tree, 'the line in the tree');
    await hostile.check?.(bench);
    if (view.state.kind === 'failed') {
      const lines = drawNodes([serverNode(view, Date.now())]);
      const [what] = message.split(/(?<=[.!?…]) /);
      assert.ok(
        lines.includes(what ?? message),
        `the tree does not contain the text for the caller:\n${lines}\n${message}`,
      );
      assert.ok(
        bench.log().some((line) => line.includes(message)),
        `the log does not contain the text for the caller:\n${bench.log().join('\n')}\n${message}`,
      );
    }
  } finally {
    await host.lifecycle.stop(id);
  }
  assert.deepEqual(bench.received(), hostile.journal, 'the messages at the server');
  const pids = bench
    .journal()
    .flatMap(({ event, pid }) => ((event === 'start' || event === 'spawned') && pid !== undefined ? [pid] : []));
  // The system reaps killed processes that are not our children at some later time.
  await bench.until(`the end of ${pids.join(', ')}`, () => !pids.some(isAlive));
  assert.equal(host.servers.get(id)?.state.kind, 'stopped');
  const answer = await host.calls.runTool(
    { server: good, tool: 'echo', arguments: { text: `after ${hostile.mode}` } },
    { caller: 'user' },
  );
  assert.equal(contentText(answer), `after ${hostile.mode}`, 'the well-behaved server');
  assert.deepEqual(Reflect.ownKeys(Object.prototype), prototypeKeys, 'the keys of Object.prototype');
}

export async function startAndCall(bench: Bench): Promise<string> {
  const started = await bench.start();
  return started === 'started' ? bench.call() : started;
}

export function contentText({ content }: CallToolResult): string {
  return content.map((item) => (item.type === 'text' ? item.text : `<${item.type}>`)).join('|');
}

/** The number of occurrences of each key. */
export function countBy<T>(items: readonly T[], keyOf: (item: T) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const item of items) counts[keyOf(item)] = (counts[keyOf(item)] ?? 0) + 1;
  return counts;
}

/** Whether the condition becomes true within 20 seconds. */
async function comes(condition: () => boolean): Promise<boolean> {
  for (const end = Date.now() + 20_000; !condition(); await sleep(5)) if (Date.now() >= end) return false;
  return true;
}

function isText(actual: string, expected: string | RegExp): boolean {
  return typeof expected === 'string' ? actual === expected : expected.test(actual);
}

function assertText(actual: string, expected: string | RegExp, what: string): void {
  if (typeof expected === 'string') assert.equal(actual, expected, what);
  else assert.match(actual, expected, what);
}

/** Whether a process runs; a zombie does not count. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const stat = `/proc/${pid}/stat`;
  return !existsSync(stat) || !/\) Z /.test(readFileSync(stat, 'utf8'));
}

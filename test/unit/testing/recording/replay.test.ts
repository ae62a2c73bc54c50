/** The mock of a recording: the order of answers, the strict mode, other answers to questions, and latency. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { after, test } from 'node:test';
import type { Clock } from '../../../../src/core/base/clock.js';
import { Deferred } from '../../../../src/core/base/deferred.js';
import type { ElicitResult } from '../../../../src/core/protocol/mcp.js';
import type { McpServer } from '../../../../src/core/serving/mcpServer.js';
import { McpSession } from '../../../../src/core/session/mcpSession.js';
import { firstListing, listingsOf } from '../../../../src/core/testing/recording/recordedLists.js';
import { createMock } from '../../../../src/core/testing/recording/mockServer.js';
import type {
  RecordedLine,
  RecordedRequest,
  Recording,
} from '../../../../src/core/testing/recording/recordingModel.js';
import { MemoryTransport } from '../../../../src/core/transport/memoryTransport.js';
import { recordedHead } from '../../../support/recordedHead.js';

// The timers of the product do not keep the process alive, and these tests have neither sockets nor processes.
const alive = setInterval(() => undefined, 60_000);
after(() => clearInterval(alive));

const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });
const texts = (value: string) => ({ content: [{ type: 'text', text: value }] });

function call(name: string, values: object, answer: string, more: Partial<RecordedRequest> = {}): RecordedRequest {
  const line = { at: 0, request: 'tools/call', params: { arguments: values, name }, ms: 0, result: texts(answer) };
  return { ...line, ...more } as RecordedRequest;
}

function list(...names: string[]): RecordedRequest {
  return { at: 0, request: 'tools/list', params: {}, ms: 0, result: { tools: names.map(tool) } };
}

const question = { message: 'Which?', requestedSchema: { type: 'object', properties: {} } };

function asking(answer: ElicitResult, outcome: string): RecordedRequest {
  return call('ask', {}, outcome, {
    during: [
      {
        at: 1,
        ask: 'elicitation/create',
        params: question,
        round: 1,
        answer: { result: { ...answer } },
        answeredAt: 5,
      },
    ],
  });
}

function recording(...lines: RecordedLine[]): Recording {
  return { head: recordedHead({ tools: { listChanged: true }, resources: {}, logging: {} }), lines };
}

test('[MK1] a listing of any number of pages is joined in linear time', () => {
  const page = (cursor: object, ...names: string[]): RecordedRequest => ({ ...list(...names), params: { ...cursor } });
  const pages = (count: number) => Array.from({ length: count }, () => page({ cursor: 'a' }, 'b', 'c'));
  const lines = [page({}, 'a'), ...pages(2), list('d'), list()];
  const names = (listings: ReturnType<typeof listingsOf>) =>
    listings.map((one) => ('items' in one ? one.items.map(({ name }) => name).join('') : ''));
  assert.deepEqual(names(listingsOf('tools/list', lines)), ['abcbc', 'd', '']);
  assert.deepEqual(names([firstListing('tools/list', lines)].flatMap((one) => one ?? [])), ['abcbc']);
  assert.equal(firstListing('prompts/list', lines), undefined);
  // Copying the items for each page took more than ten minutes for 12 MB.
  const large = listingsOf('tools/list', pages(200_000));
  assert.equal(names(large)[0]?.length, 400_000);
});

interface ClientOptions {
  era: 'legacy' | '2026-07-28';
  answer?: ElicitResult;
  onListChanged?: () => void;
}

async function connect(t: TestContext, server: McpServer, options: ClientOptions): Promise<McpSession> {
  const { era: protocol, answer = { action: 'decline' }, onListChanged } = options;
  const session = await McpSession.open(
    () => {
      const [mine, its] = MemoryTransport.pair();
      void server.connect(its);
      return mine;
    },
    {
      client: { name: 'client', version: '1' },
      protocol,
      handlers: { elicit: () => Promise.resolve(answer) },
      listener: onListChanged ? { onListChanged } : {},
    },
  );
  t.after(() => session.close());
  return session;
}

async function textOf(session: McpSession, name: string, values: Record<string, unknown>): Promise<unknown> {
  const { content } = await session.callTool(name, values);
  return content.map((block) => (block.type === 'text' ? block.text : block.type)).join();
}

for (const era of ['legacy', '2026-07-28'] as const) {
  test(`repeated requests of a ${era} client get the answers in recorded order, then the last, for each client`, async (t) => {
    const server = createMock(recording(list('add'), call('add', { a: 1 }, 'one'), call('add', { a: 1 }, 'two')));
    for (let client = 0; client < 2; client++) {
      const session = await connect(t, server, { era });
      const seen = [];
      for (let turn = 0; turn < 3; turn++) seen.push(await textOf(session, 'add', { a: 1 }));
      assert.deepEqual(seen, ['one', 'two', 'two']);
    }
  });

  test(`an unknown request of a ${era} client fails and names the nearest recorded one`, async (t) => {
    const server = createMock(
      recording(list('add'), call('add', { a: 1, b: 2 }, 'x'), call('add', { a: 7, b: 9 }, 'y')),
    );
    const session = await connect(t, server, { era });
    await assert.rejects(session.callTool('add', { a: 1, b: 3 }), {
      code: -32602,
      message:
        'The recording has no answer to tools/call "add" with {"a":1,"b":3}. The nearest recorded request is tools/call "add" ' +
        'with {"a":1,"b":2}, which differs at /arguments/b.',
    });
    await assert.rejects(session.callTool('addd', {}), /nearest recorded request is tools\/call "add"/);
    await assert.rejects(session.readResource('test://x'), /no request with this method/);
  });

  test(`a ${era} client that answers a question differently gets what was recorded for this answer`, async (t) => {
    const accept = { action: 'accept', content: { color: 'red' } } as const;
    const lines = [list('ask'), asking(accept, 'red'), asking({ action: 'decline' }, 'declined')];
    const server = createMock(recording(...lines));
    const declining = await connect(t, server, { era, answer: { action: 'decline' } });
    assert.equal(await textOf(declining, 'ask', {}), 'declined');
    const other = await connect(t, server, { era, answer: { action: 'accept', content: { color: 'blue' } } });
    assert.equal(await textOf(other, 'ask', {}), 'red', 'no answer fits, so the recorded order decides');
    const strict = await connect(t, createMock(recording(...lines), { isStrict: true }), {
      era,
      answer: { action: 'cancel' },
    });
    await assert.rejects(strict.callTool('ask', {}), /differs from the recorded one, and the mock is strict/);
  });

  test(`a redacted value matches any value of a ${era} client, and the strict mode refuses it`, async (t) => {
    const login = call('login', { token: '•••', user: 'ada' }, 'in', { redacted: ['/params/arguments/token'] });
    const session = await connect(t, createMock(recording(list('login'), login)), { era });
    assert.equal(await textOf(session, 'login', { user: 'ada', token: 'abc' }), 'in');
    await assert.rejects(session.callTool('login', { user: 'eve', token: 'abc' }), /differs at \/arguments\/user/);
    const strict = await connect(t, createMock(recording(list('login'), login), { isStrict: true }), { era });
    await assert.rejects(
      strict.callTool('login', { user: 'ada', token: '•••' }),
      /redacted value at \/params\/arguments\/token/,
    );
  });

  test(`a ${era} client is told that a list changed, and gets the next recorded list`, async (t) => {
    const changed = { at: 2, notification: 'notifications/tools/list_changed', params: {} };
    const server = createMock(recording(list('grow'), call('grow', {}, 'grown'), changed, list('grow', 'grown')));
    const told = new Deferred<void>();
    const session = await connect(t, server, { era, onListChanged: () => told.resolve() });
    assert.equal((await session.listTools()).items.length, 1);
    await textOf(session, 'grow', {});
    await told.promise;
    assert.equal((await session.listTools()).items.length, 2);
  });
}

test('with latency, an answer and its progress take as long as they did', async (t) => {
  const waits: number[] = [];
  const clock: Clock = {
    now: () => 0,
    after: (ms, callback) => {
      if (ms < 1_000) waits.push(ms);
      const due = ms < 1_000 ? setImmediate(callback) : undefined;
      return { dispose: () => clearImmediate(due) };
    },
  };
  const during = [{ at: 40, progress: { progress: 1 } }];
  const lines = recording(list('slow'), call('slow', {}, 'done', { ms: 100, during }));
  const session = await connect(t, createMock(lines, { hasLatency: true, clock }), { era: 'legacy' });
  const progress: number[] = [];
  await session.callTool('slow', {}, { onProgress: (step) => progress.push(step.progress) });
  assert.deepEqual([waits, progress], [[40, 60], [1]]);
});

test('[CLI2] a recording with very many notifications after one request is read in linear time', async (t) => {
  const notifications = Array.from({ length: 100_000 }, (_, at) => ({
    at,
    notification: 'notifications/other',
    params: {},
  }));
  const lines = [call('a', {}, 'first'), ...notifications, call('a', {}, 'second')];
  const mock = createMock({ ...recording(), lines });
  t.after(() => mock.dispose());
  const session = await connect(t, mock, { era: 'legacy' });
  assert.deepEqual((await session.callTool('a', {})).content, texts('first').content);
});

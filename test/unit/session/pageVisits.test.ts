import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import type { McpHost } from '../../../src/core/host/mcpHost.js';
import type { WaitingRequest } from '../../../src/core/requests/requestQueue.js';
import { RequestQueue } from '../../../src/core/requests/requestQueue.js';
import { SamplingPolicies } from '../../../src/core/requests/samplingPolicies.js';
import { headlessHost } from '../../support/headlessHost.js';
import { ManualClock, settle } from '../../support/manualClock.js';

const fixture = path.resolve('test/fixtures/servers/pages.mjs');

interface Bench {
  host: McpHost;
  queue: RequestQueue;
  clock: ManualClock;
  /** Runs a tool of the server and returns its text. */
  call: (tool: string, args?: Record<string, unknown>, signal?: AbortSignal) => Promise<unknown>;
  /** The first request of this kind, if there is one. */
  asked: (kind: WaitingRequest['ask']['kind']) => Promise<WaitingRequest>;
  /** How often the server received this request. */
  received: (what: string) => Promise<number>;
}

/** A server that sends its user to a page, and the requests that wait for that user. */
async function withPages(run: (bench: Bench) => Promise<void>): Promise<void> {
  const clock = new ManualClock();
  const queue = new RequestQueue(new SamplingPolicies({ get: () => undefined, set: () => Promise.resolve() }));
  const { host } = headlessHost({
    servers: { pages: { command: process.execPath, args: [fixture], protocol: 'legacy' } },
    settings: { requestTimeoutMs: 60_000 },
    clock,
    ports: { elicitor: queue },
  });
  const bench: Bench = {
    host,
    queue,
    clock,
    call: async (tool, args = {}, signal) => {
      const { content } = await host.calls.runTool(
        { server: 'pages', tool, arguments: args },
        { caller: 'user', ...(signal ? { signal } : {}) },
      );
      const [block] = content;
      return block?.type === 'text' ? block['text'] : undefined;
    },
    asked: async (kind) => {
      for (;;) {
        const request = queue.waiting.find(({ ask }) => ask.kind === kind);
        if (request) return request;
        await clock.advance(1);
      }
    },
    received: async (what) => Number(await bench.call('how_often', { what })),
  };
  await host.open();
  try {
    await host.lifecycle.start('pages');
    await run(bench);
  } finally {
    await host.close();
    queue.dispose();
  }
}

const agree = ({ queue }: Bench, { id }: WaitingRequest) => queue.answer(id, { action: 'accept' });
/** The user opens the page and has not confirmed yet. */
async function open(bench: Bench): Promise<WaitingRequest> {
  agree(bench, await bench.asked('url'));
  return bench.asked('visit');
}

describe('[elicitation.url] a request that needs a page first', () => {
  const requests: Record<string, { what: string; send: (bench: Bench) => Promise<unknown> }> = {
    'the call of a tool': { what: 'tools/call need_page', send: ({ call }) => call('need_page') },
    'a prompt': {
      what: 'prompts/get contract',
      send: async ({ host }) =>
        (await host.calls.getPrompt({ server: 'pages', prompt: 'contract' })).messages[0]?.content,
    },
    'a resource': {
      what: 'resources/read form:7',
      send: async ({ host }) => (await host.calls.readResource({ server: 'pages', uri: 'form:7' })).contents[0],
    },
  };
  for (const [name, { what, send }] of Object.entries(requests)) {
    test(`is repeated when the server reports that the user has finished on the page, not when the page opens (${name})`, () =>
      withPages(async (bench) => {
        const { queue, call, received } = bench;
        const running = send(bench);
        const visit = await open(bench);
        assert.equal(visit.ask.kind === 'visit' && visit.ask.url.host, 'sign.example');
        // Another page does not count, and neither does the passing of an hour.
        await call('tell_of_another');
        await bench.clock.advance(3_600_000);
        assert.deepEqual([await received(what), queue.waiting.length], [1, 1]);
        await call('finish_page');
        assert.match(JSON.stringify(await running), /signed/);
        assert.deepEqual([await received(what), queue.waiting.length], [2, 0]);
      }));
  }

  test('is repeated when the user confirms the visit, if the server does not report it', () =>
    withPages(async (bench) => {
      const { queue, call, received } = bench;
      const running = call('need_page');
      const visit = await open(bench);
      await call('finish_page', { isTold: false });
      assert.equal(await received('tools/call need_page'), 1);
      queue.finishVisit(visit.id);
      assert.equal(await running, 'signed');
    }));

  test('does not wait when the user had finished before the question was closed', () =>
    withPages(async (bench) => {
      const { call, asked } = bench;
      const running = call('need_page');
      const question = await asked('url');
      await call('finish_page');
      agree(bench, question);
      assert.equal(await running, 'signed');
    }));

  test('is not repeated when the user cancels the page or the call', () =>
    withPages(async (bench) => {
      const { queue, call, received } = bench;
      const running = assert.rejects(call('need_page'), { code: 'cancelled' });
      queue.decline((await open(bench)).id);
      await running;

      const abort = new AbortController();
      const given = assert.rejects(call('need_page', {}, abort.signal), /enough/);
      await open(bench);
      abort.abort(new Error('enough'));
      await given;
      assert.deepEqual([await received('tools/call need_page'), queue.waiting.length], [2, 0]);
    }));

  test('fails with the refusal of the server when the user does not agree to the page', () =>
    withPages(async ({ queue, call, asked }) => {
      const running = assert.rejects(call('need_page'), { code: -32042 });
      queue.decline((await asked('url')).id);
      await running;
      assert.equal(queue.waiting.length, 0);
    }));
});

describe('[elicitation.url] a call whose server has requested a page', () => {
  test('does not time out while the user is on the page, until the server reports that the user has finished', () =>
    withPages(async (bench) => {
      const { queue, clock, call } = bench;
      const running = call('ask_page');
      await open(bench);
      await clock.advance(3_600_000);
      assert.equal(queue.waiting.length, 1);
      await call('finish_page');
      assert.equal(await running, 'signed');
      await settle();
      assert.equal(queue.waiting.length, 0);
    }));

  test('leaves no wait when it ends without a notification about the page', () =>
    withPages(async (bench) => {
      const { queue, clock, call } = bench;
      const running = call('ask_page');
      await open(bench);
      await call('finish_page', { isTold: false });
      assert.equal(await running, 'signed');
      await clock.advance(1_000);
      assert.equal(queue.waiting.length, 0);
    }));

  test('times out again after the user confirms the visit', () =>
    withPages(async (bench) => {
      const { queue, clock, call } = bench;
      const running = assert.rejects(call('ask_page'), { code: 'timeout' });
      queue.finishVisit((await open(bench)).id);
      await clock.advance(61_000);
      await running;
    }));
});

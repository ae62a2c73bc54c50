/**
 * The era square: callers of both eras, with the official clients 1.x and 2.x, and servers of both eras. Each of the
 * four cells has every method that may ask with every kind of question, and every kind of notification. Prints one line
 * with the number of cases that are right.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  ResultSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { systemClock } from '../../../src/core/base/clock.js';
import { messageOf } from '../../../src/core/base/hostError.js';
import { withTimeLimit } from '../../../src/core/base/withTimeLimit.js';
import { openGatewayUrl } from '../../support/openedGateway.js';

type Message = Record<string, any>;
type Era = 'legacy' | 'modern';
type Kind = 'form' | 'url' | 'sampling' | 'roots';

interface SendOptions {
  signal?: AbortSignal;
  onprogress?: () => void;
}

/** How long a busy machine may need for one request, in milliseconds. */
const timeout = 120_000;
const live = 'square://live';
const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

/** What a caller answers, and the text that the server makes of the answer. */
const answers: Record<Kind, { value: Message; text: string }> = {
  form: { value: { action: 'accept', content: { color: 'green' } }, text: 'accept green' },
  url: { value: { action: 'accept' }, text: 'accept' },
  sampling: {
    value: { role: 'assistant', model: 'square', content: { type: 'text', text: 'fixed words' } },
    text: 'fixed words',
  },
  roots: { value: { roots: [{ uri: 'file:///square', name: 'square' }] }, text: 'file:///square' },
};

/** An official client of one era. */
class Caller {
  readonly asked: Kind[] = [];
  readonly heard: Message[] = [];
  private readonly waiting: (() => void)[] = [];

  private constructor(
    readonly era: Era,
    private readonly client: Client | ModernClient,
  ) {}

  static async connect(t: TestContext, era: Era, url: string): Promise<Caller> {
    const info = { name: `${era} caller`, version: '1' };
    const isLegacy = era === 'legacy';
    const legacy = new Client(info, { capabilities });
    const modern = new ModernClient(info, { capabilities, versionNegotiation: { mode: { pin: '2026-07-28' } } });
    const caller = new Caller(era, isLegacy ? legacy : modern);
    const answer = (kind: Kind): any => {
      caller.asked.push(kind);
      return answers[kind].value;
    };
    const elicited = ({ params }: Message) => answer(params['mode'] === 'url' ? 'url' : 'form');
    legacy.setRequestHandler(ElicitRequestSchema, elicited);
    legacy.setRequestHandler(CreateMessageRequestSchema, () => answer('sampling'));
    legacy.setRequestHandler(ListRootsRequestSchema, () => answer('roots'));
    modern.setRequestHandler('elicitation/create', elicited);
    modern.setRequestHandler('sampling/createMessage', () => answer('sampling'));
    modern.setRequestHandler('roots/list', () => answer('roots'));
    const transport: any = isLegacy
      ? new StreamableHTTPClientTransport(new URL(url))
      : new ModernTransport(new URL(url));
    await caller.client.connect(transport);
    t.after(() => caller.client.close());
    // The clients drop a progress report that arrives together with the result, so messages are read before them.
    const onMessage = transport.onmessage;
    transport.onmessage = (message: Message, more: unknown) => {
      if (message['id'] === undefined) caller.hear(message);
      return onMessage.call(transport, message, more);
    };
    return caller;
  }

  request(method: string, params: Message = {}, options: SendOptions = {}): Promise<Message> {
    return this.client instanceof Client
      ? this.client.request({ method, params }, ResultSchema, { timeout, ...options })
      : this.client.request({ method, params }, z.looseObject({}), { timeout, ...options });
  }

  async call(name: string, more: Message = {}, options: SendOptions = {}): Promise<string> {
    const { content } = await this.request('tools/call', { name, arguments: {}, ...more }, options);
    return content[0].text;
  }

  /** Subscribes to changes of the tools and to updates of the resource `live`. */
  async listen(): Promise<void> {
    if (this.client instanceof Client) await this.request('resources/subscribe', { uri: live });
    else await this.client.listen({ toolsListChanged: true, resourceSubscriptions: [live] }, { timeout });
  }

  /** The notifications with this method. */
  of(method: string): Message[] {
    return this.heard.filter((message) => message['method'] === `notifications/${method}`);
  }

  /** Resolves with the next notification. */
  next(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** Repeats work until it returns true, for what no message reports. */
  async repeat(work: () => Promise<boolean>): Promise<void> {
    const giveUpAt = Date.now() + timeout;
    while (!(await work())) assert.ok(Date.now() < giveUpAt, 'It did not happen in time.');
  }

  private hear(message: Message): void {
    this.heard.push(message);
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}

const asks: [string, (kind: Kind) => Message, (result: Message) => string][] = [
  ['tools/call', (kind) => ({ name: `ask-${kind}`, arguments: {} }), ({ content }) => content[0].text],
  ['prompts/get', (kind) => ({ name: `ask-${kind}` }), ({ messages }) => messages[0].content.text],
  ['resources/read', (kind) => ({ uri: `square://ask-${kind}` }), ({ contents }) => contents[0].text],
];

/** The cases of a cell, in order. */
const cases: [string, (caller: Caller) => Promise<void>][] = [
  ...asks.flatMap(([method, params, textOf]) =>
    (Object.keys(answers) as Kind[]).map((kind): (typeof cases)[number] => [
      `${method} asks with ${kind}`,
      async (caller) => {
        caller.asked.length = 0;
        assert.equal(textOf(await caller.request(method, params(kind))), answers[kind].text);
        assert.deepEqual(caller.asked, [kind]);
      },
    ]),
  ),
  [
    'list_changed',
    async (caller) => {
      await caller.listen();
      await caller.call('grow');
      const hasGrown = async () =>
        (await caller.request('tools/list'))['tools'].some(({ name }: Message) => name === 'grown');
      for (let next = caller.next(); caller.of('tools/list_changed').length === 0 || !(await hasGrown());) {
        await next;
        next = caller.next();
      }
    },
  ],
  [
    'updates of a resource',
    async (caller) => {
      // The caller is not told when its subscription has reached the server.
      await caller.repeat(async () => {
        await caller.call('touch');
        return caller.of('resources/updated').length > 0;
      });
      assert.equal(caller.of('resources/updated')[0]?.['params'].uri, live);
    },
  ],
  [
    'progress',
    async (caller) => {
      await caller.call('steps', {}, { onprogress: () => undefined });
      assert.deepEqual(
        caller.of('progress').map(({ params }) => [params.progress, params.total]),
        [1, 2, 3].map((step) => [step, 3]),
      );
    },
  ],
  [
    'cancellation',
    async (caller) => {
      const abort = new AbortController();
      const before = caller.of('progress').length;
      const call = caller.call('wait', {}, { signal: abort.signal, onprogress: () => undefined });
      while (caller.of('progress').length === before) await caller.next();
      abort.abort(new Error('enough'));
      await assert.rejects(call);
      await caller.repeat(async () => (await caller.call('canceled')) === '1');
    },
  ],
  [
    'log level',
    async (caller) => {
      if (caller.era === 'legacy') await caller.request('logging/setLevel', { level: 'warning' });
      const meta = { 'io.modelcontextprotocol/logLevel': 'warning' };
      await caller.call('log', caller.era === 'legacy' ? {} : { _meta: meta });
      assert.deepEqual(
        caller.of('message').map(({ params }) => `${params.level} ${params.data}`),
        ['warning square', 'error square'],
      );
    },
  ],
];

/** The URL of a gateway in front of a server of this era. */
function open(t: TestContext, era: Era): Promise<string> {
  const args = [path.resolve('test/fixtures/servers/square.mjs'), era];
  return openGatewayUrl(t, { square: { command: process.execPath, args } });
}

test('[GW3] every question and notification passes between callers and servers of both eras', async (t) => {
  const eras: readonly Era[] = ['legacy', 'modern'];
  const wrong: string[] = [];
  let count = 0;
  for (const callerEra of eras)
    for (const serverEra of eras) {
      const caller = await Caller.connect(t, callerEra, await open(t, serverEra));
      for (const [name, run] of cases) {
        count++;
        await withTimeLimit(run(caller), timeout, () => new Error('It did not end in time.'), systemClock).catch(
          (error: unknown) => wrong.push(`${callerEra} caller, ${serverEra} server, ${name}: ${messageOf(error)}`),
        );
      }
    }
  process.stderr.write(`era square: ${eras.length ** 2} cells, ${count - wrong.length} of ${count}\n`);
  assert.deepEqual(wrong, []);
});

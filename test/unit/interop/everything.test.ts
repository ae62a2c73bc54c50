import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { CallToolResult, ElicitRequest, Progress } from '../../../src/core/protocol/mcp.js';
import { openRemote } from '../../../src/core/transport/remoteTransport.js';
import type { Transport } from '../../../src/core/transport/transport.js';
import type { InteropClient } from '../../support/interopClient.js';
import { connectInterop } from '../../support/interopClient.js';
import { isProcessAlive, startOnFreePort, stdioOf } from '../../support/interopProcess.js';

// The official reference server, over every transport that it supports.
const script = 'node_modules/@modelcontextprotocol/server-everything/dist/index.js';

const ways: { way: string; ids: string; open: (ends: (() => Promise<void>)[]) => Promise<() => Transport> }[] = [
  { way: 'stdio', ids: '[stdio]', open: () => Promise.resolve(() => stdioOf([script, 'stdio'])) },
  {
    way: 'Streamable HTTP',
    ids: '[http.post]',
    open: async (ends) => {
      const server = await startOnFreePort([script, 'streamableHttp'], '/mcp');
      ends.push(() => server.close());
      return () => openRemote({ type: 'http', url: server.url, headers: {} });
    },
  },
  {
    way: 'HTTP+SSE',
    ids: '[sse.legacy]',
    open: async (ends) => {
      const server = await startOnFreePort([script, 'sse'], '/sse');
      ends.push(() => server.close());
      return () => openRemote({ type: 'sse', url: server.url, headers: {} });
    },
  },
];

function textOf(result: CallToolResult): string {
  return result.content.map((block) => ('text' in block ? String(block.text) : `<${block.type}>`)).join('\n');
}

// One server and one session per transport, because starting a process is slow; the tests of a transport run in
// sequence.
describe('server-everything', { concurrency: true }, () => {
  for (const { way, ids, open } of ways) suite(way, ids, open);
});

function suite(way: string, ids: string, open: (typeof ways)[number]['open']): void {
  describe(`over ${way}`, { concurrency: false }, () => {
    let client: InteropClient;
    const ends: (() => Promise<void>)[] = [];
    before(async () => {
      const openTransport = await open(ends);
      client = await connectInterop(openTransport);
      ends.unshift(() => client.session.close());
      // The server offers the tools that depend on our capabilities some time after the handshake.
      for (let known = 0; known < 19;) {
        const changes = client.seen.listChanges.length;
        known = (await client.session.listTools()).items.length;
        if (known < 19) await client.until(() => client.seen.listChanges.length > changes);
      }
    });
    afterEach(() => {
      assert.deepEqual(client.oracle.problems.splice(0), []);
      client.forget();
    });
    after(async () => {
      for (const end of ends) await end();
    });

    test(`${ids} [lifecycle.legacy, lifecycle.eraProbe] completes the handshake in the legacy era`, async () => {
      const { session, oracle } = client;
      const { era, revision, info, capabilities, instructions } = session.identity;
      assert.deepEqual([era, revision, info.name], ['legacy', '2025-11-25', 'mcp-servers/everything']);
      assert.ok(
        capabilities.tools && capabilities.resources?.subscribe && capabilities.completions && capabilities.tasks,
      );
      assert.ok((instructions ?? '').length > 500);
      if (way !== 'HTTP+SSE') assert.equal(oracle.methods[0], 'server/discover');
      await session.ping();
    });

    test(`${ids} [tools.list, tools.listChanged] lists everything, and all 19 tools once it knows our capabilities`, async () => {
      const { session } = client;
      const { items } = await session.listTools();
      assert.equal(items.length, 19);
      assert.ok(items.every(({ title, annotations }) => title !== undefined && annotations !== undefined));
      assert.equal((await session.listResources()).items.length, 7);
      assert.equal((await session.listResourceTemplates()).items.length, 2);
      assert.equal((await session.listPrompts()).items.length, 4);
    });

    test(`${ids} [tools.call] calls tools with content of every kind`, async () => {
      const { session } = client;
      assert.equal(textOf(await session.callTool('echo', { message: 'häß 😀\u2028' })), 'Echo: häß 😀\u2028');
      assert.match(textOf(await session.callTool('get-sum', { a: 2, b: 3 })), /is 5/);
      assert.deepEqual(
        (await session.callTool('get-tiny-image', {})).content.map(({ type }) => type),
        ['text', 'image', 'text'],
      );
      const links = await session.callTool('get-resource-links', { count: 3 });
      assert.equal(links.content.filter(({ type }) => type === 'resource_link').length, 3);
      const [, embedded] = (await session.callTool('get-resource-reference', { resourceType: 'Blob', resourceId: 1 }))
        .content;
      assert.equal(embedded?.type, 'resource');
      const [annotated] = (await session.callTool('get-annotated-message', { messageType: 'error' })).content;
      assert.deepEqual(annotated?.annotations?.audience, ['user', 'assistant']);
    });

    test(`${ids} [tools.call] an unknown tool and bad arguments are results with isError`, async () => {
      const { session } = client;
      assert.equal((await session.callTool('no-such-tool', {})).isError, true);
      assert.equal((await session.callTool('get-sum', { a: 'x' })).isError, true);
    });

    test(`${ids} [tools.outputSchema] structured content matches its schema`, async () => {
      const { session } = client;
      await session.listTools();
      const { structuredContent } = await session.callTool('get-structured-content', { location: 'Chicago' });
      assert.deepEqual(Object.keys(structuredContent as object).sort(), ['conditions', 'humidity', 'temperature']);
    });

    test(`${ids} [progress] every step arrives, the last one too`, async () => {
      const { session } = client;
      const steps: Progress[] = [];
      await session.callTool(
        'trigger-long-running-operation',
        { duration: 0.2, steps: 4 },
        { onProgress: (progress) => void steps.push(progress) },
      );
      assert.deepEqual(
        steps.map(({ progress, total }) => [progress, total]),
        [
          [1, 4],
          [2, 4],
          [3, 4],
          [4, 4],
        ],
      );
    });

    test(`${ids} [cancellation] a canceled call ends at once with its reason, and the session continues`, async () => {
      const { session, oracle } = client;
      const abort = new AbortController();
      const call = session.callTool(
        'trigger-long-running-operation',
        { duration: 600, steps: 6000 },
        { signal: abort.signal, onProgress: () => abort.abort(new Error('enough')) },
      );
      await assert.rejects(call, /enough/);
      assert.equal(oracle.methods.at(-1), 'notifications/cancelled');
      assert.equal(textOf(await session.callTool('echo', { message: 'still here' })), 'Echo: still here');
    });

    test(`${ids} [resources.read, resources.templates] reads text, blobs and templates, and an unknown URI is an error`, async () => {
      const { session } = client;
      const [first] = (await session.listResources()).items;
      const [document] = (await session.readResource(first?.uri ?? '')).contents;
      assert.ok(document && 'text' in document && String(document.text).length > 100);
      const [blob] = (await session.readResource('demo://resource/dynamic/blob/1')).contents;
      assert.ok(blob && 'blob' in blob);
      await assert.rejects(session.readResource('demo://resource/nothing'), { code: -32602 });
    });

    test(`${ids} [resources.subscribe] updates of a subscribed resource arrive, those of others do not`, async () => {
      const { session, seen, until } = client;
      const uri = 'demo://resource/dynamic/text/1';
      await session.subscribe(uri);
      await session.callTool('toggle-subscriber-updates', {});
      await until(() => seen.updates.length > 0);
      assert.deepEqual([...new Set(seen.updates)], [uri]);
      await session.unsubscribe(uri);
      await session.callTool('toggle-subscriber-updates', {});
    });

    test(`${ids} [resources.read] a resource that a call created is announced, listed and read`, async () => {
      const { session, seen, until } = client;
      const { content } = await session.callTool('gzip-file-as-resource', {
        name: 'interop.gz',
        data: 'data:text/plain,hello',
        outputType: 'resourceLink',
      });
      const link = content.find(({ type }) => type === 'resource_link') as { uri: string } | undefined;
      await until(() => seen.listChanges.includes('resources'));
      const { items } = await session.listResources();
      assert.ok(items.some(({ uri }) => uri === link?.uri));
      const [gzip] = (await session.readResource(link?.uri ?? '')).contents;
      assert.ok(gzip && 'blob' in gzip && String(gzip.blob).startsWith('H4sI'));
    });

    test(`${ids} [prompts] gives prompts with and without arguments, and refuses a missing one`, async () => {
      const { session } = client;
      assert.equal((await session.getPrompt('simple-prompt', undefined)).messages.length, 1);
      assert.match(JSON.stringify(await session.getPrompt('args-prompt', { city: 'Ulm' })), /Ulm/);
      assert.match(
        JSON.stringify(await session.getPrompt('resource-prompt', { resourceType: 'Text', resourceId: '1' })),
        /"type":"resource"/,
      );
      await assert.rejects(session.getPrompt('args-prompt', {}), { code: -32602 });
    });

    test(`${ids} [completion] completes prompt arguments, with context, and template variables`, async () => {
      const { session } = client;
      const prompt = { type: 'ref/prompt', name: 'completable-prompt' } as const;
      assert.deepEqual((await session.complete(prompt, { name: 'department', value: 'E' })).values, ['Engineering']);
      assert.deepEqual(
        (await session.complete(prompt, { name: 'name', value: '' }, { department: 'Engineering' })).values,
        ['Alice', 'Bob', 'Charlie'],
      );
      const template = { type: 'ref/resource', uri: 'demo://resource/dynamic/text/{resourceId}' } as const;
      assert.deepEqual((await session.complete(template, { name: 'resourceId', value: '1' })).values, ['1']);
    });

    test(`${ids} [logging] a level is set, and messages arrive`, async () => {
      const { session, seen, until } = client;
      await session.setLogLevel('debug');
      await session.callTool('toggle-simulated-logging', {});
      await until(() => seen.logs.length > 0);
      await session.callTool('toggle-simulated-logging', {});
    });

    test(`${ids} [roots] our roots are requested, and again when they change`, async () => {
      const { session, seen, answers, oracle, until } = client;
      // The server requests the roots a moment after the handshake; the tool returns what it received.
      await until(() => oracle.received.some(({ method }) => method === 'roots/list'));
      assert.match(textOf(await session.callTool('get-roots-list', {})), /interop root/);
      answers.roots = [
        { uri: 'file:///a', name: 'first' },
        { uri: 'file:///b', name: 'second' },
      ];
      const asked = () => oracle.received.filter(({ method }) => method === 'roots/list').length;
      const before = asked();
      session.rootsChanged();
      await until(() => asked() > before && seen.logs.some(({ data }) => JSON.stringify(data).includes('2 root')));
      assert.match(textOf(await session.callTool('get-roots-list', {})), /first[^]*second/);
    });

    test(`${ids} [sampling] a sampling request is answered`, async () => {
      const { session, seen } = client;
      const result = await session.callTool('trigger-sampling-request', { prompt: 'Say something', maxTokens: 50 });
      assert.match(textOf(result), /sampled text/);
      assert.deepEqual([seen.samplings.length, seen.samplings[0]?.maxTokens], [1, 50]);
    });

    test(`${ids} [elicitation.form] a form of 13 fields is answered, its defaults filled in; declining and dismissing are reported`, async () => {
      const { session, seen, answers } = client;
      const accepted = await session.callTool('trigger-elicitation-request', {});
      const [form] = seen.elicitations as [ElicitRequest & { mode: 'form' }];
      assert.equal(Object.keys(form.requestedSchema['properties'] as object).length, 13);
      assert.match(textOf(accepted), /Ada[^]*42[^]*hero-1/);
      for (const action of ['decline', 'cancel'] as const) {
        answers.elicit = () => Promise.resolve({ action });
        assert.match(textOf(await session.callTool('trigger-elicitation-request', {})), new RegExp(action, 'i'));
      }
    });

    test(`${ids} [elicitation.url] a URL is requested, by a request and by error -32042`, async () => {
      const { session, seen, answers, oracle } = client;
      const args = { url: 'https://example.com/sign', message: 'Sign here', elicitationId: 'e-1' };
      await session.callTool('trigger-url-elicitation', args);
      assert.deepEqual(seen.elicitations, [{ mode: 'url', ...args }]);
      // The refused call is repeated and then sends a request for the address that it was called with.
      const calls = () => oracle.methods.filter((method) => method === 'tools/call').length;
      const before = calls();
      await session.callTool('trigger-url-elicitation', { ...args, elicitationId: 'e-2', errorPath: true });
      const urls = seen.elicitations.map((request) => 'url' in request && request.url);
      assert.deepEqual([urls, calls() - before], [[args.url, 'https://modelcontextprotocol.io', args.url], 2]);
      answers.elicit = () => Promise.resolve({ action: 'decline' });
      await assert.rejects(
        session.callTool('trigger-url-elicitation', { ...args, elicitationId: 'e-3', errorPath: true }),
        { code: -32042 },
      );
      assert.equal(calls() - before, 3);
    });

    test(`${ids} [tasks.legacy] a server's question may run as a task on our side`, async () => {
      const { session, seen } = client;
      const sampled = await session.callTool('trigger-sampling-request-async', {
        prompt: 'Say something',
        maxTokens: 20,
      });
      assert.match(textOf(sampled), /COMPLETED[^]*sampled text/);
      const asked = await session.callTool('trigger-elicitation-request-async', {});
      assert.match(textOf(asked), /COMPLETED[^]*Ada/);
      assert.deepEqual([seen.samplings.length, seen.elicitations.length], [1, 1]);
    });

    test(`${ids} [tasks.legacy] a tool that needs a task is followed to its result`, async () => {
      const { session, seen } = client;
      await session.listTools();
      const messages: unknown[] = [];
      const result = await session.callTool(
        'simulate-research-query',
        { topic: 'bees' },
        { onProgress: ({ message }) => void messages.push(message) },
      );
      assert.match(textOf(result), /bees/);
      assert.ok(messages.length > 0 && seen.taskStatuses.length > 0);
    });

    test(`${ids} [tasks.legacy] a task that needs input requests it and continues`, async () => {
      const { session, seen, answers } = client;
      answers.elicit = (request) => {
        const { properties } = (
          request as unknown as { requestedSchema: { properties: { interpretation: { oneOf: { const: string }[] } } } }
        ).requestedSchema;
        return Promise.resolve({
          action: 'accept',
          content: { interpretation: properties.interpretation.oneOf[0]?.const },
        });
      };
      const result = await session.callTool('simulate-research-query', { topic: 'python', ambiguous: true });
      assert.match(textOf(result), /python/i);
      assert.equal(seen.elicitations.length, 1);
    });

    test(`${ids} [P6] leaves nothing behind after a close`, async () => {
      const { session } = client;
      const { pid } = session.endpoint;
      await session.close();
      if (way === 'stdio') assert.equal(isProcessAlive(pid ?? 0), false);
      await assert.rejects(session.callTool('echo', { message: 'x' }));
    });
  });
}

import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { CallToolResult, Progress } from '../../../src/core/protocol/mcp.js';
import type { SessionOptions } from '../../../src/core/session/mcpSession.js';
import { openRemote } from '../../../src/core/transport/remoteTransport.js';
import type { Transport } from '../../../src/core/transport/transport.js';
import type { InteropClient } from '../../support/interopClient.js';
import { connectInterop } from '../../support/interopClient.js';
import { isProcessAlive, startPeer, stdioOf } from '../../support/interopProcess.js';
import { localSocket } from '../../support/localSocket.js';

// The tests for every server built with an official SDK, for any transport and era.

type Ends = (() => Promise<void>)[];
type Open = (ends: Ends) => Promise<(fallback: 'none' | 'sse') => Transport>;

/** The peer as our child process. */
export const child =
  (script: string): Open =>
  () =>
    Promise.resolve(() => stdioOf([script, 'stdio']));

/**
 * The peer as a listening process. The ways `unix` (HTTP) and `socket` (JSON lines) use a Unix socket or, on Windows, a
 * named pipe. Without `type` the client must detect it.
 */
export const remote =
  (script: string, way: string, type?: 'http' | 'sse' | 'ws' | 'socket'): Open =>
  async (ends) => {
    const socket = way === 'unix' || way === 'socket' ? localSocket() : undefined;
    const peer = await startPeer(socket ? [script, way, socket.path] : [script, way]);
    ends.push(async () => {
      await peer.close();
      socket?.remove();
    });
    const url = !socket ? peer.url : way === 'unix' ? `${socket.url}#/mcp` : socket.url;
    return (fallback) =>
      openRemote({ ...(type === undefined ? {} : { type }), url, headers: {} } as Parameters<typeof openRemote>[0], {
        fallback,
      });
  };

export interface Peer {
  name: string;
  ids: string;
  open: Open;
  options?: Partial<SessionOptions>;
  revision?: string;
  /** Every request has its own server: no state is kept and no unsolicited messages arrive. */
  isStateless?: boolean;
  /** Requests are answered with plain JSON: no messages precede the answer. */
  isJsonOnly?: boolean;
}

export const modern = '2026-07-28';

export function textOf(result: CallToolResult): string {
  return result.content.map((block) => ('text' in block ? String(block.text) : `<${block.type}>`)).join('\n');
}

export function suite({
  name,
  ids,
  open,
  options = {},
  revision = '2025-11-25',
  isStateless = false,
  isJsonOnly = false,
}: Peer): void {
  const isModern = revision === modern;
  describe(name, { concurrency: false }, () => {
    let client: InteropClient;
    const ends: Ends = [];
    before(async () => {
      const openTransport = await open(ends);
      client = await connectInterop(openTransport, options);
      ends.unshift(() => client.session.close());
    });
    afterEach(() => {
      assert.deepEqual(client.oracle.problems.splice(0), []);
      client.forget();
    });
    after(async () => {
      for (const end of ends) await end();
    });

    test(`${ids} completes the handshake at ${revision}`, async () => {
      const { session } = client;
      const { identity } = session;
      assert.deepEqual(
        [identity.era, identity.revision, identity.instructions],
        [isModern ? 'modern' : 'legacy', revision, 'Use with care.'],
      );
      assert.match(identity.info.name, /^interop-sdk/);
      await session.ping();
    });

    test(`${ids} [tools.list, pagination] lists tools, prompts, templates and every page of resources`, async () => {
      const { session } = client;
      const { items } = await session.listTools();
      assert.ok(items.length >= 12 && items.some((tool) => tool.name === 'add' && tool.outputSchema !== undefined));
      assert.deepEqual(
        (await session.listResources()).items.map((resource) => resource.name),
        ['r0', 'r1', 'r2', 'r3', 'r4'],
      );
      assert.deepEqual(
        (await session.listResourceTemplates()).items.map(({ uriTemplate }) => uriTemplate),
        ['test://item/{id}'],
      );
      assert.deepEqual(
        (await session.listPrompts()).items.map((prompt) => prompt.name),
        ['greet'],
      );
    });

    test(`${ids} [tools.call, tools.outputSchema] calls tools`, async () => {
      const { session } = client;
      assert.equal(textOf(await session.callTool('echo', { text: 'häß 😀\u2028\n' })), 'häß 😀\u2028\n');
      assert.deepEqual((await session.callTool('add', { a: 1, b: 2 })).structuredContent, { sum: 3 });
      assert.equal((await session.callTool('fail', {})).isError, true);
      // The older SDK reports an unknown tool with a result, the newer one with an error.
      const unknown = await session.callTool('no such tool ü', {}).catch((error: { code?: unknown }) => error);
      assert.ok(('isError' in unknown && unknown.isError === true) || ('code' in unknown && unknown.code === -32602));
    });

    test(`${ids} calls made at once are each answered`, async () => {
      const { session } = client;
      const texts = await Promise.all(
        Array.from({ length: 20 }, (_item, i) => session.callTool('echo', { text: String(i) }).then(textOf)),
      );
      assert.deepEqual(
        texts,
        Array.from({ length: 20 }, (_item, i) => String(i)),
      );
    });

    if (!isJsonOnly) {
      test(`${ids} [progress] every step arrives`, async () => {
        const steps: Progress[] = [];
        await client.session.callTool('steps', { count: 5 }, { onProgress: (progress) => void steps.push(progress) });
        assert.deepEqual(
          steps.map(({ progress, message }) => [progress, message]),
          [1, 2, 3, 4, 5].map((step) => [step, `step ${step}`]),
        );
      });

      // Without sessions a cancel notification reaches a server instance without the call.
      testIf(!isStateless, `${ids} [cancellation] the server is notified of a canceled call`, async () => {
        const { session, oracle } = client;
        const abort = new AbortController();
        const call = session.callTool(
          'wait',
          {},
          { signal: abort.signal, onProgress: () => abort.abort(new Error('enough')) },
        );
        await assert.rejects(call, /enough/);
        while (textOf(await session.callTool('aborted', {})) === '0')
          await new Promise((resolve) => setImmediate(resolve));
        const isNotified = oracle.methods.includes('notifications/cancelled');
        assert.equal(
          isNotified,
          !(isModern && session.identity.transportKind === 'http'),
          'by notification, or by closing the stream',
        );
      });
    }

    test(`${ids} [resources.read, resources.templates] reads text and blobs; an unknown one is an error`, async () => {
      const { session } = client;
      assert.deepEqual((await session.readResource('test://greeting')).contents, [
        { uri: 'test://greeting', text: 'hello' },
      ]);
      assert.deepEqual((await session.readResource('test://item/7')).contents, [
        { uri: 'test://item/7', blob: 'Nw==' },
      ]);
      await assert.rejects(session.readResource('test://nothing/ü'), { code: -32602 });
    });

    test(`${ids} [prompts, completion] gives and completes a prompt`, async () => {
      const { session } = client;
      assert.match(JSON.stringify(await session.getPrompt('greet', { name: 'Ada' })), /Greet Ada/);
      await assert.rejects(session.getPrompt('greet', {}), { code: -32602 });
      const context = revision >= '2025-06-18' ? 'Ulm' : 'nowhere';
      assert.deepEqual(
        (await session.complete({ type: 'ref/prompt', name: 'greet' }, { name: 'name', value: 'A' }, { city: 'Ulm' }))
          .values,
        ['A!', context],
      );
      assert.deepEqual(
        (await session.complete({ type: 'ref/resource', uri: 'test://item/{id}' }, { name: 'id', value: '1' })).values,
        ['1', '12'],
      );
    });

    testIf(
      !isStateless && !(isJsonOnly && isModern),
      `${ids} [logging] messages of the level arrive, lower ones do not`,
      async () => {
        const { session, seen, until } = client;
        await session.setLogLevel('warning');
        await session.callTool('say', { level: 'info', data: 'unheard' });
        await session.callTool('say', { level: 'error', data: 'heard' });
        await until(() => seen.logs.length > 0);
        assert.deepEqual(
          seen.logs.map(({ data }) => data),
          ['heard'],
        );
      },
    );

    testIf(!isStateless, `${ids} [tools.listChanged] a new tool is announced`, async () => {
      const { session, seen, until } = client;
      const before = (await session.listTools()).items.length;
      await session.callTool('grow', {});
      await until(() => seen.listChanges.includes('tools'));
      assert.equal((await session.listTools()).items.length, before + 1);
    });

    testIf(
      !isStateless,
      `${ids} [resources.subscribe${isModern ? ', subscriptions.listen' : ''}] updates of subscribed resources arrive`,
      async () => {
        const { session, seen, oracle, until } = client;
        const acknowledged = () =>
          oracle.received.filter(({ method }) => method === 'notifications/subscriptions/acknowledged').length;
        const before = acknowledged();
        await session.subscribe('test://greeting');
        if (isModern) await until(() => acknowledged() > before);
        await session.callTool('touch', { uri: 'test://other' });
        await session.callTool('touch', { uri: 'test://greeting' });
        await until(() => seen.updates.length > 0);
        assert.deepEqual(seen.updates, ['test://greeting']);
        await session.unsubscribe('test://greeting');
      },
    );

    const asks = !isStateless && !isJsonOnly;
    testIf(
      asks && revision >= '2025-06-18',
      `${ids} [elicitation.form${isModern ? ', mrtr' : ''}] a question is answered`,
      async () => {
        const { session, answers } = client;
        assert.match(textOf(await session.callTool('ask', {})), /accept Ada/);
        answers.elicit = () => Promise.resolve({ action: 'decline' });
        assert.match(textOf(await session.callTool('ask', {})), /decline/);
      },
    );

    testIf(asks, `${ids} [sampling, roots${isModern ? ', mrtr' : ''}] sampling and roots are answered`, async () => {
      const { session } = client;
      assert.match(textOf(await session.callTool('sample', {})), /sampled text/);
      assert.match(textOf(await session.callTool('roots', {})), /file:\/\/\/interop\/root/);
    });

    test(`${ids} [P6] ends without leftovers`, async () => {
      const { session, seen } = client;
      const { pid } = session.endpoint;
      await session.close();
      assert.deepEqual(seen.warnings, []);
      if (pid !== undefined) assert.equal(isProcessAlive(pid), false);
      await assert.rejects(session.callTool('echo', { text: 'x' }));
    });
  });
}

/** Registers a test only for peers that support the feature. */
function testIf(isPossible: boolean, name: string, run: () => Promise<void>): void {
  if (isPossible) test(name, run);
}

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isCancelled } from '../../../src/core/base/hostError.js';
import { HttpFront } from '../../../src/core/serving/httpFront.js';
import { MemoryTransport } from '../../../src/core/transport/memoryTransport.js';
import { openRemote } from '../../../src/core/transport/remoteTransport.js';
import type { Transport } from '../../../src/core/transport/transport.js';
import { connectInterop } from '../../support/interopClient.js';
import { sampleServer } from '../serving/peers.js';

// Both halves of our core. The official schemas check the messages of the client.
describe('our own server half', () => {
  for (const protocol of ['legacy', '2026-07-28'] as const) {
    for (const way of ['memory', 'http'] as const) {
      const ids = protocol === 'legacy' ? '[lifecycle.legacy]' : '[lifecycle.requestMeta, mrtr]';
      test(`${ids} over ${way} at ${protocol}: every message of a whole session is valid`, async (t) => {
        const { server, seen } = sampleServer({ pageSize: 3 });
        const front = new HttpFront({ server });
        const { url } = await front.listen();
        t.after(async () => {
          await front.close();
          server.dispose();
        });
        const openTransport = (): Transport => {
          if (way === 'http') return openRemote({ type: 'http', url, headers: {} });
          const [mine, its] = MemoryTransport.pair();
          void server.connect(its);
          return mine;
        };
        const { session, oracle } = await connectInterop(openTransport, { protocol });
        assert.equal((await session.listTools()).items.length, 8);
        await session.listResources();
        await session.listResourceTemplates();
        await session.listPrompts();
        await session.readResource('test://items/a b');
        await session.getPrompt('greet', { name: 'Ada' });
        await session.complete({ type: 'ref/prompt', name: 'greet' }, { name: 'name', value: 'x' }, { city: 'Ulm' });
        await session.setLogLevel('debug');
        await session.callTool('report', {}, { onProgress: () => undefined });
        // Before 2026-07-28 structured content is an object, so our server does not send a list to such clients.
        assert.deepEqual(
          (await session.callTool('structured', {})).structuredContent,
          protocol === 'legacy' ? undefined : [1, 2],
        );
        assert.match(JSON.stringify(await session.callTool('ask', {})), /Hello, Ada/);
        assert.match(JSON.stringify(await session.callTool('ask_twice', { 'ü "x"': 1 })), /sampled text.*interop/);
        const abort = new AbortController();
        const waiting = session.callTool('wait', {}, { signal: abort.signal });
        await seen.waiting.promise;
        abort.abort();
        await assert.rejects(waiting, isCancelled);
        await seen.aborted.promise;
        await session.close();
        assert.deepEqual(oracle.problems, []);
        assert.ok(oracle.sent.length > 15);
      });
    }
  }
});

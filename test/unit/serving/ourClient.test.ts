import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Deferred } from '../../../src/core/base/deferred.js';
import { isCancelled } from '../../../src/core/base/hostError.js';
import { HttpFront } from '../../../src/core/serving/httpFront.js';
import type { ResourceSource } from '../../../src/core/serving/servedFeatures.js';
import { SseFront } from '../../../src/core/serving/sseFront.js';
import { WebSocketFront } from '../../../src/core/serving/webSocketFront.js';
import { McpSession } from '../../../src/core/session/mcpSession.js';
import { MemoryTransport } from '../../../src/core/transport/memoryTransport.js';
import { openRemote } from '../../../src/core/transport/remoteTransport.js';
import type { Transport } from '../../../src/core/transport/transport.js';
import { until } from '../../support/httpUntil.js';
import { sampleServer } from './peers.js';

// Both halves of the core against each other. Only the official peers can find an error that both halves share.
const fronts = { http: HttpFront, sse: SseFront, ws: WebSocketFront };

for (const protocol of ['legacy', '2026-07-28', 'auto'] as const) {
  for (const way of ['memory', 'http', 'sse', 'ws'] as const) {
    // HTTP+SSE exists in the legacy era only.
    if (way === 'sse' && protocol === '2026-07-28') continue;
    test(`our own client speaks ${protocol} over ${way} with our server`, async (t) => {
      const { server, tools, resources, seen } = sampleServer({ pageSize: 3 });
      const watched = new Deferred<void>();
      const watch: ResourceSource['watch'] = () => {
        watched.resolve();
        return { dispose: () => undefined };
      };
      Object.assign(resources, { watch });
      const front = new fronts[way === 'memory' ? 'http' : way]({ server, token: 'secret-token' });
      const { url } = await front.listen();
      t.after(async () => {
        await front.close();
        server.dispose();
      });
      const openTransport = (): Transport => {
        if (way !== 'memory') return openRemote({ type: way, url, headers: { authorization: 'Bearer secret-token' } });
        const [mine, its] = MemoryTransport.pair();
        void server.connect(its);
        return mine;
      };
      const listChanged = new Deferred<string>();
      const updated = new Deferred<string>();
      const warnings: string[] = [];
      const session = await McpSession.open(openTransport, {
        client: { name: 'ours', version: '1' },
        protocol,
        handlers: {
          roots: () => [{ uri: 'file:///w' }],
          createMessage: () =>
            Promise.resolve({ role: 'assistant', model: 'm', content: { type: 'text', text: 'hello' } }),
          elicit: () => Promise.resolve({ action: 'accept', content: { name: 'Ada' } }),
        },
        listener: {
          onListChanged: (kind) => listChanged.resolve(kind),
          onResourceUpdated: (uri) => updated.resolve(uri),
          onWarning: (line) => void warnings.push(line),
        },
      });
      assert.equal(session.identity.era, protocol === 'legacy' || way === 'sse' ? 'legacy' : 'modern');
      assert.deepEqual([session.identity.info.name, session.identity.instructions], ['sample', 'Be nice.']);
      assert.equal((await session.listTools()).items.length, 8, 'every page');
      assert.equal((await session.listResources()).items.length, 1);
      assert.equal((await session.listResourceTemplates()).items.length, 1);
      assert.equal((await session.listPrompts()).items.length, 1);
      assert.deepEqual((await session.readResource('test://items/a b')).contents, [
        { uri: 'test://items/a b', text: 'item a b' },
      ]);
      assert.equal((await session.getPrompt('greet', { name: 'Ada' })).messages.length, 1);
      assert.deepEqual(
        (await session.complete({ type: 'ref/prompt', name: 'greet' }, { name: 'name', value: 'A' }, { city: 'Rome' }))
          .values,
        ['name:A:Rome'],
      );
      const asked = await session.callTool('ask_twice', { a: 1 });
      assert.deepEqual(asked.content, [{ type: 'text', text: '{"type":"text","text":"hello"} file:///w {"a":1}' }]);
      const progress: number[] = [];
      await session.callTool('report', {}, { onProgress: (step) => progress.push(step.progress) });
      assert.deepEqual(progress, [1, 2, 3]);

      const controller = new AbortController();
      const waiting = session.callTool('wait', {}, { signal: controller.signal });
      await seen.waiting.promise;
      controller.abort();
      await assert.rejects(waiting);
      assert.ok(isCancelled(await seen.aborted.promise));

      // Streams for changes open in the background. Once the resource is watched, the server receives both kinds.
      await session.subscribe('test://a');
      await watched.promise;
      resources.fireUpdated('test://a');
      assert.equal(await updated.promise, 'test://a');
      tools.add({ tool: { name: 'new', inputSchema: { type: 'object' } }, call: () => ({ content: [] }) });
      assert.equal(await listChanged.promise, 'tools');
      await session.close();
      assert.deepEqual(warnings, []);
      await until(() => front.sessionCount === 0);
    });
  }
}

test('our own client says that a server over HTTP+SSE has no 2026-07-28', async (t) => {
  const { server } = sampleServer();
  const front = new SseFront({ server });
  const { url } = await front.listen();
  t.after(async () => {
    await front.close();
    server.dispose();
  });
  for (const type of ['sse', 'auto'] as const)
    await assert.rejects(
      McpSession.open(() => openRemote({ type, url, headers: {} }), {
        client: { name: 'ours', version: '1' },
        protocol: '2026-07-28',
      }),
      /HTTP\+SSE, (?:for|this server supports) protocol versions up to 2025-11-25/,
    );
});

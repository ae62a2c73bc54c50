import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import type { CallOptions } from '../../../../src/core/catalog/hostTypes.js';
import type { HostApi } from '../../../../src/core/host/hostApi.js';
import type { ServerRequestHandlers } from '../../../../src/core/session/serverRequests.js';
import { compareRecording } from '../../../../src/core/testing/recording/compareRecording.js';
import { headlessHost } from '../../../support/headlessHost.js';
import { recordedHead } from '../../../support/recordedHead.js';

test('[C35] a comparison sends no method of a recording that could have another effect than its questions say', async (t) => {
  const { host } = headlessHost({
    servers: { one: { command: process.execPath, args: [path.resolve('test/fixtures/servers/counting.mjs'), 'one'] } },
  });
  t.after(() => host.close());
  await host.open();
  await host.lifecycle.start('one');
  const params = { name: 'count', arguments: {} };
  const line = (request: string) => ({ at: 0, request, params, ms: 0, result: {} });
  const recording = {
    head: recordedHead({ tools: {} }),
    lines: [line('ping","method":"tools/call'), line('vendor/pay'), line('ping')],
  };
  const { compared, skipped } = await compareRecording(recording, {
    host,
    server: 'one',
    signal: new AbortController().signal,
  });
  assert.deepEqual(
    [compared.length, skipped.map(({ request }) => request)],
    [1, ['ping","method":"tools/call', 'vendor/pay']],
  );
  const { content } = await host.calls.runTool({ server: 'one', tool: 'count', arguments: {} }, { caller: 'user' });
  assert.deepEqual(content, [{ type: 'text', text: '1' }]);
});

test('[F9] a comparison keeps answers that differ only up to a limit, and the places of all differences', async () => {
  const line = (uri: string) => ({
    at: 0,
    request: 'resources/read',
    params: { uri },
    ms: 0,
    result: { contents: [] },
  });
  const recording = {
    head: recordedHead({ resources: {} }),
    lines: [...['a://1', 'a://2', 'a://3'].map(line), { ...line('a://same'), result: { contents: ['x'] } }],
  };
  const large = 'x'.repeat(40 * 1024 * 1024);
  const calls = {
    sendRequest: ({ params }: { params?: object }) =>
      Promise.resolve({ contents: [params && 'uri' in params && params.uri === 'a://same' ? 'x' : large] }),
  };
  const { compared } = await compareRecording(recording, {
    host: { calls: calls as unknown as HostApi['calls'] },
    server: 'one',
    signal: new AbortController().signal,
  });
  const kept = compared.map(({ actual, differences }) => [
    JSON.stringify(actual).length > large.length,
    differences.map((one) => `${one.path} ${typeof one.actual}`),
  ]);
  const difference = ['/result/contents/0 string'];
  assert.deepEqual(kept, [
    [true, difference],
    [false, difference],
    [false, difference],
    [false, []],
  ]);
  assert.match(
    String(compared[1]?.actual),
    /not shown, because the answers that differ are larger than 64 MB in total/,
  );
});

test('[F9] a comparison keeps the questions of a server only up to a limit', async () => {
  const recording = {
    head: recordedHead({ tools: {} }),
    lines: [{ at: 0, request: 'resources/read', params: { uri: 'a://1' }, ms: 0, result: { contents: [] } }],
  };
  const message = 'x'.repeat(10 * 1024 * 1024);
  const refusals: unknown[] = [];
  const calls = {
    sendRequest: async (_request: unknown, { origin }: CallOptions) => {
      const { elicit } = origin?.handlers as ServerRequestHandlers;
      for (let count = 0; count < 10; count++)
        await elicit?.({ mode: 'form', message, requestedSchema: { type: 'object', properties: {} } }, signal).catch(
          (error: unknown) => refusals.push(error),
        );
      return { contents: [] };
    },
  };
  const { signal } = new AbortController();
  const { compared } = await compareRecording(recording, {
    host: { calls: calls as unknown as HostApi['calls'] },
    server: 'one',
    signal,
  });
  assert.match(String(refusals.at(-1)), /The questions of this request are too large together/);
  assert.ok(JSON.stringify(compared[0]?.actual).length < 64_000_000);
});

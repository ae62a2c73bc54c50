import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
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

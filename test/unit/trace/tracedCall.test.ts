import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { tracedCall } from '../../../src/core/present/documents/tracedCall.js';
import { headlessHost } from '../../support/headlessHost.js';

test('[S2] a call in a trace is found by its request and its response, without secrets; other messages are no calls', async (t) => {
  const chatter = path.resolve('test/fixtures/servers/chatter.mjs');
  const { host } = headlessHost({
    servers: { s: { command: process.execPath, args: [chatter] } },
    settings: { trace: 'on' },
  });
  t.after(() => host.close());
  await host.open();
  await host.lifecycle.start('s');
  const call = { server: 's', tool: 'say', arguments: { text: 'hello', password: 'hunter2-hunter2' } };
  const options = { caller: 'user', onProgress: () => undefined, onOutputProblems: () => undefined } as const;
  await host.calls.runTool(call, options);
  await host.calls.runTool({ server: 's', tool: 'refuse' }, options).catch(() => undefined);
  const log = host.traces.log('s');
  assert.ok(log);
  const found = [];
  for (let seq = log.first; seq < log.end; seq++) {
    const traced = tracedCall(log, seq, log.redactor([]));
    if (traced) found.push(traced);
  }
  const expected = {
    tool: 'say',
    arguments: { text: 'hello', password: '•••' },
    result: { content: [{ type: 'text', text: 'You said: hello' }] },
  };
  assert.deepEqual(found, [expected, expected]);
});

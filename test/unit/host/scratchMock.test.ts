/** Mocks as servers of a window: they start after an approval, in either era, and have no process. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { nullLog } from '../../../src/core/base/log.js';
import { neverEvent } from '../../../src/core/base/event.js';
import { startQuestion } from '../../../src/core/present/questions/startQuestion.js';
import { serverDescription } from '../../../src/core/present/server/serverDescription.js';
import { ScratchServers } from '../../../src/core/registry/scratchServers.js';
import { openMock } from '../../../src/vscode/builtin/openMock.js';
import { folderWith } from '../../support/cliProcess.js';
import { headlessHost } from '../../support/headlessHost.js';
import { recordedHead } from '../../support/recordedHead.js';

const call = { at: 0, request: 'tools/call', params: { arguments: { a: 1 }, name: 'add' }, ms: 1 };
const listing = {
  at: 0,
  request: 'tools/list',
  params: {},
  ms: 1,
  result: { tools: [{ name: 'add', inputSchema: { type: 'object' } }] },
};
const lines = [recordedHead({ tools: {} }), listing, { ...call, result: { content: [{ type: 'text', text: 'one' }] } }];

function mockHost(t: TestContext, content: readonly unknown[] = lines) {
  const text = content.map((line) => JSON.stringify(line)).join('\n');
  const file = path.join(folderWith(t, { 'a.mcprecording.jsonl': text }), 'a.mcprecording.jsonl');
  const scratch = new ScratchServers({ read: () => Promise.resolve([]), onDidChange: neverEvent });
  const asked: string[] = [];
  const answer = { next: 'allow' as 'allow' | 'deny' };
  const { host } = headlessHost({
    servers: {},
    ports: {
      configuration: scratch,
      openMock: (mock) => openMock(mock, nullLog),
      trust: {
        isWorkspaceTrusted: () => true,
        onDidGrantTrust: neverEvent,
        confirmStart: (entry, description) => {
          const { message, detail } = startQuestion(entry, description);
          asked.push(`${message}\n${detail}`);
          return Promise.resolve(answer.next);
        },
      },
    },
  });
  t.after(() => host.close());
  return { host, scratch, file, asked, answer };
}

const runAdd = { server: 'm', tool: 'add', arguments: { a: 1 } };
const script = {
  caller: 'script',
  isApi: true,
  onProgress: () => undefined,
  onOutputProblems: () => undefined,
} as const;

for (const protocol of ['legacy', '2026-07-28'] as const)
  test(`a mock starts after the question, and answers in the era ${protocol}`, async (t) => {
    const { host, scratch, file, asked, answer } = mockHost(t);
    scratch.setMock('m', { mock: { file }, protocol });
    await host.open();
    await assert.rejects(host.lifecycle.start('m', { interactive: false }), { code: 'not-trusted' });
    answer.next = 'deny';
    await assert.rejects(host.lifecycle.start('m'), { code: 'not-trusted' });
    answer.next = 'allow';
    await host.lifecycle.start('m');
    assert.equal(asked.length, 2);
    assert.match(asked[1] ?? '', /^Start the mock server "m"\?\n/);
    assert.ok(asked[1]?.includes(file) && asked[1].includes('No program is started.'), asked[1]);
    const view = host.servers.get('m');
    assert.equal(view?.features?.identity.era, protocol === 'legacy' ? 'legacy' : 'modern');
    assert.equal(serverDescription(view, Date.now()), 'mock · 1 tool');
    const result = await host.calls.runTool(runAdd, script);
    assert.deepEqual(result.content, [{ type: 'text', text: 'one' }]);
    await assert.rejects(host.calls.runTool({ ...runAdd, arguments: { a: 2 } }, script), /nearest recorded request is/);
  });

test('other options of a mock need another approval, and the file is read again at each start', async (t) => {
  const { host, scratch, file, asked } = mockHost(t);
  scratch.setMock('m', { mock: { file } });
  await host.open();
  await host.lifecycle.start('m');
  writeFileSync(
    file,
    [...lines.slice(0, 2), { ...call, result: { content: [] } }].map((one) => JSON.stringify(one)).join('\n'),
  );
  await host.lifecycle.restart('m');
  assert.deepEqual((await host.calls.runTool(runAdd, script)).content, []);
  assert.equal(asked.length, 1);
  scratch.setMock('strict', { mock: { file, isStrict: true } });
  await host.servers.readConfiguration();
  await host.lifecycle.start('strict');
  assert.equal(asked.length, 2);
  scratch.remove('m');
  await host.servers.readConfiguration();
  assert.equal(host.servers.get('m'), undefined);
});

test('a mock of a damaged recording fails with the line', async (t) => {
  const { host, scratch, file } = mockHost(t, [...lines, { at: 0 }]);
  scratch.setMock('m', { mock: { file } });
  await host.open();
  await assert.rejects(host.lifecycle.start('m'), { code: 'bad-configuration', message: /line 4/ });
});

/** The memory of the gateway after many sessions. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { McpSession } from '../../../src/core/session/mcpSession.js';
import { openRemote } from '../../../src/core/transport/remoteTransport.js';
import { heapBytes } from '../../support/heapBytes.js';
import { openedGateway } from '../../support/openedGateway.js';

const counting = path.resolve('test/fixtures/servers/counting.mjs');

const sessions = 1_000;
const maxGrowth = 5 * 1024 * 1024;

test('after 1,000 sessions of both eras the gateway has less than 5 MiB more memory and no more processes', async (t) => {
  const servers = { one: { command: process.execPath, args: [counting, 'one'] } };
  const { gateway } = await openedGateway(t, { servers });
  const visit = async (number: number): Promise<string> => {
    const session = await McpSession.open(
      () => openRemote({ type: 'http', url: gateway.url, headers: { Authorization: 'Bearer secret' } }),
      { client: { name: `client ${number}`, version: '1' }, protocol: number % 2 === 0 ? 'legacy' : '2026-07-28' },
    );
    await session.listTools();
    const { content } = await session.callTool('process', {});
    await session.close();
    return JSON.stringify(content);
  };
  const processes = new Set<string>();
  // Caches and compiled code are complete after some sessions.
  for (let i = 0; i < 100; i++) processes.add(await visit(i));
  const start = await heapBytes();
  for (let i = 0; i < sessions; i++) processes.add(await visit(100 + i));
  const growth = (await heapBytes()) - start;
  assert.ok(growth < maxGrowth, `${Math.round(growth / 1024)} KiB more`);
  assert.equal(processes.size, 1, 'one process answers all clients');
});

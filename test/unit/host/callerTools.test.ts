import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CallerTools } from '../../../src/core/host/callerTools.js';
import { McpSession } from '../../../src/core/session/mcpSession.js';
import { ManualClock, settle } from '../../support/manualClock.js';
import { ScriptedServer } from '../../support/scriptedServer.js';
import { client, tool } from '../session/openSession.js';

test('[F9] a server that reports changes without end causes one listing at a time, and a call waits for the last one', async () => {
  const answers: (() => void)[] = [];
  let description = 'first';
  const server = new ScriptedServer().legacy({ tools: { listChanged: true } }).respondTo(
    'tools/list',
    () =>
      new Promise((resolve) => {
        const tools = [{ ...tool('x'), description }];
        answers.push(() => resolve({ tools }));
      }),
  );
  const clock = new ManualClock();
  const tools = new CallerTools(clock);
  let changes = 0;
  const session: McpSession = await McpSession.open(server.openTransport, {
    client,
    listener: {
      onListChanged: () => {
        changes++;
        void tools.list(session);
      },
    },
  });
  const listed = tools.list(session);
  await server.next(({ method }) => method === 'tools/list');
  for (let count = 0; count < 1_000; count++) server.notify('notifications/tools/list_changed');
  await settle();
  assert.equal(tools.list(session), tools.list(session), 'all changes wait in one promise');
  description = 'second';
  const check = tools.check(session, 's', 'x', { ...tool('x'), description: 'first' });
  answers[0]?.();
  await listed;
  await clock.advance(1_000);
  answers[1]?.();
  await assert.rejects(check ?? Promise.resolve(), { code: 'tool-changed' });
  assert.deepEqual([changes, answers.length], [1_000, 2]);
  await session.close();
});

test('[F9] a server that answers every listing with a change is listed less and less often', async () => {
  const server = new ScriptedServer().legacy({ tools: { listChanged: true } });
  let listings = 0;
  server.respondTo('tools/list', () => {
    listings++;
    server.notify('notifications/tools/list_changed');
    return { tools: [] };
  });
  const clock = new ManualClock();
  const tools = new CallerTools(clock);
  const session: McpSession = await McpSession.open(server.openTransport, {
    client,
    listener: { onListChanged: () => void tools.list(session) },
  });
  await tools.list(session);
  await clock.advance(60_000);
  assert.ok(listings > 2 && listings < 12, `${listings} listings in a minute`);
  await session.close();
});

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { DoorSession } from '../../../../src/cli/door/doorSession.js';
import { KnownLists } from '../../../../src/cli/door/knownLists.js';
import { until } from '../../../support/httpUntil.js';
import type { DoorPlace, RawDoor } from '../../../support/doorWindow.js';
import { crashingWindow, doorClient, doorPlace, doorWindow, rawDoor, toolNames } from '../../../support/doorWindow.js';

const textOf = (result: unknown) => JSON.stringify(result);

for (const era of ['legacy', '2026-07-28'] as const) {
  test(`[GD4] without a window, a ${era} client connects, and its call says which folder to open`, async (t) => {
    const place = doorPlace(t);
    const app = place.folder('app');
    const session = await doorClient(place, app, { era });
    assert.deepEqual(await toolNames(session), []);
    const result = await session.callTool('count', {});
    assert.equal(result.isError, true);
    assert.ok(textOf(result).includes(`has the folder \\"${app}\\" open. Open this folder in VS Code`), textOf(result));
    await assert.rejects(session.readResource('counting://live'), /Open this folder in VS Code/);
    await assert.rejects(session.getPrompt('greet', {}), /Open this folder in VS Code/);
    assert.deepEqual((await session.listResources()).items, []);
  });

  test(`[GD4] without a window, the instructions for a ${era} client state the reason and the next step`, async (t) => {
    const place = doorPlace(t);
    const app = place.folder('app');
    const instructionsNow = async () => (await doorClient(place, app, { era })).identity.instructions ?? '';
    const without = await instructionsNow();
    const { content } = await (await doorClient(place, app, { era })).callTool('count', {});
    assert.ok(content[0]?.type === 'text' && without.includes(content[0].text), without);
    assert.ok(without.includes(`has the folder "${app}" open`), without);
    const window = await doorWindow(place, [app]);
    const withWindow = await instructionsNow();
    assert.match(withWindow, /^These are the tools of the MCP servers of a VS Code window/);
    await window.close();
    assert.equal(await instructionsNow(), without);
  });

  test(`[GD4] a ${era} client keeps its lists without the window, also after a restart of the door, but not those of another client`, async (t) => {
    const place = doorPlace(t);
    const app = place.folder('app');
    const window = await doorWindow(place, [app]);
    const session = await doorClient(place, app, { era });
    const listed = await toolNames(session);
    assert.ok(listed.includes('only_one'));
    await window.close();
    assert.deepEqual(await toolNames(session), listed);
    await session.close();
    assert.deepEqual(await toolNames(await doorClient(place, app, { era })), listed);
    assert.deepEqual(await toolNames(await doorClient(place, app, { era, name: 'another' })), []);
    assert.deepEqual(await toolNames(await doorClient(place, app, { era, args: ['--preset', 'review'] })), []);
  });

  test(`[GD5] a ${era} client continues without a restart when its window returns, and is told that lists changed`, async (t) => {
    const place = doorPlace(t);
    const app = place.folder('app');
    const changed: string[] = [];
    const session = await doorClient(place, app, {
      era,
      listener: { onListChanged: (kind) => void changed.push(kind) },
    });
    assert.deepEqual(await toolNames(session), []);
    for (const name of ['one', 'two']) {
      const window = await doorWindow(place, [app], { servers: [name] });
      await until(() => ['tools', 'prompts', 'resources'].every((kind) => changed.includes(kind)));
      changed.length = 0;
      assert.match(textOf(await session.callTool(`only_${name}`, {})), new RegExp(`"${name}"`));
      await window.close();
    }
  });

  test(`[GD5] when the window crashes during a call of a ${era} client, the call ends at once, and the next one waits for the new window`, async (t) => {
    const place = doorPlace(t);
    const app = place.folder('app');
    const window = await crashingWindow(place, [app]);
    const session = await doorClient(place, app, { era });
    assert.ok((await toolNames(session)).includes('ask'));
    const asked = session.callTool('ask', {}).then(textOf, String);
    await window.isAsked();
    await window.crash();
    assert.match(
      await asked,
      /window closed, reloaded, closed this folder, or stopped its gateway while this request was open. The request may have run/,
    );
    const counted = session.callTool('count', {});
    await doorWindow(place, [app]);
    assert.match(textOf(await counted), /"1"/);
  });
}

test('[GD5] log level and subscriptions are restored in the next window', async (t) => {
  const place = doorPlace(t);
  const app = place.folder('app');
  const window = await doorWindow(place, [app]);
  const updates: string[] = [];
  const session = await doorClient(place, app, { listener: { onResourceUpdated: (uri) => void updates.push(uri) } });
  const [resource] = (await session.listResources()).items;
  const uri = resource?.uri ?? '';
  await session.subscribe(uri);
  await window.close();
  await doorWindow(place, [app]);
  await until(() => {
    session.callTool('touch', {}).catch(() => undefined);
    return updates.includes(uri);
  });
});

async function initialized(door: RawDoor): Promise<void> {
  door.send({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: { elicitation: {} },
      clientInfo: { name: 'raw', version: '1' },
    },
  });
  await door.answer(1);
  door.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
}

const call = (id: number, name: string) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: {} },
});

/** The requests of servers that the door has passed on. */
const questions = (door: RawDoor) =>
  door.lines
    .map((line) => JSON.parse(line) as { id?: unknown; method?: string })
    .filter(({ method }) => method === 'elicitation/create');

async function askedIn(place: DoorPlace, app: string, door: RawDoor, id: number, count: number) {
  const window = await doorWindow(place, [app]);
  door.send({ jsonrpc: '2.0', id: id + 1, method: 'tools/list' });
  await door.answer(id + 1);
  door.send(call(id, 'ask'));
  await until(() => questions(door).length === count);
  return { window, question: questions(door)[count - 1]?.id };
}

test('[GD5] a question of a window that has closed is withdrawn, and a late answer reaches no other question', async (t) => {
  const place = doorPlace(t);
  const app = place.folder('app');
  const door = rawDoor(place, app);
  await initialized(door);
  const first = await askedIn(place, app, door, 10, 1);
  await first.window.close();
  await until(() =>
    door.lines.some(
      (line) =>
        line.includes('notifications/cancelled') && line.includes(`"requestId":${JSON.stringify(first.question)}`),
    ),
  );
  const second = await askedIn(place, app, door, 20, 2);
  assert.notEqual(second.question, first.question);
  const answer = (id: unknown, text: string) =>
    door.send({ jsonrpc: '2.0', id, result: { action: 'accept', content: { text } } });
  answer(first.question, 'late');
  answer(second.question, 'right');
  assert.match(textOf(await door.answer(20)), /right/);
});

/** A door session that has found no window yet, with the client's view of it. */
function seekingSession(t: TestContext) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'deck-known-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const answers: { id?: unknown; result?: { instructions?: string } }[] = [];
  let searches = 0;
  const session = new DoorSession({
    info: { name: 'mcp-deck', version: '1' },
    toClient: (line) => void answers.push(JSON.parse(line) as object),
    seek: () => void searches++,
    lists: () => new KnownLists(folder, []),
  });
  const clientInfo = { name: 'raw', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  for (const [id, method] of [
    [1, 'initialize'],
    [2, 'tools/list'],
  ] as const)
    session.fromClient(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
  return { session, answers, searches: () => searches };
}

test('[GD4] the handshake waits for the search for a window, and its answer precedes all others', async (t) => {
  const { session, answers, searches } = seekingSession(t);
  assert.deepEqual([answers.length, searches() > 0], [0, true]);
  session.absent('Open the folder.', false);
  await until(() => answers.length === 2);
  assert.deepEqual(
    answers.map(({ id }) => id),
    [1, 2],
  );
  assert.match(answers[0]?.result?.instructions ?? '', /Tell the user: Open the folder\./);
});

test('[GD4] the handshake is answered when a window is found, when the client sends no more, and when a window hangs', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const ends: ((session: DoorSession) => void)[] = [
    (session) => session.attach(() => undefined),
    (session) => session.end(),
    () => t.mock.timers.tick(2_000),
  ];
  for (const end of ends) {
    const { session, answers } = seekingSession(t);
    end(session);
    session.absent('Open the folder.', true);
    const [{ id, result } = {}] = answers;
    assert.deepEqual([id, result?.instructions?.includes('Open the folder.')], [1, false]);
  }
});

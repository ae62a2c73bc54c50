/** Attacks on the door by what pretends to be a window: it has a private record and a socket of the same user. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { DoorSession } from '../../../../src/cli/door/doorSession.js';
import { KnownLists } from '../../../../src/cli/door/knownLists.js';
import { openLink } from '../../../../src/cli/door/windowLink.js';
import type { FoundRecord } from '../../../../src/core/gateway/door/windowRecords.js';
import { doorPlace, doorWindow, rawDoor } from '../../../support/doorWindow.js';
import { onlyPosix } from '../../../support/platform.js';

const sockets = onlyPosix('sockets in folders');
const welcome = '{"door":1}\n';
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

/** What a dishonest window does with a connection before it has welcomed the door. */
const misbehaviors: Record<string, (socket: Socket) => void> = {
  'closes at once': (socket) => void socket.destroy(),
  'closes after the greeting': (socket) => void socket.once('data', () => socket.end()),
  'sends no JSON': (socket) => void socket.write('\0\xff HTTP/1.1 200 OK\r\n\r\n'),
  'sends a message instead of the first line': (socket) =>
    void socket.write('{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"planted"}}\n'),
  'has another version': (socket) => void socket.write('{"door":2}\n'),
  'sends a wrong line, then the right one with a message': (socket) =>
    void socket.write(
      `null\n${welcome}{"jsonrpc":"2.0","method":"notifications/message","params":{"data":"planted"}}\n`,
    ),
  'sends a first line without end': (socket) => void socket.write('x'.repeat(100_000)),
};

/** Listens on a socket in a private folder. */
async function dishonest(t: TestContext, act: (socket: Socket) => void): Promise<FoundRecord> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'deck-'));
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    act(socket);
  });
  t.after(() => {
    for (const socket of open) socket.destroy();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const socket = path.join(folder, 's');
  server.listen(socket);
  await once(server, 'listening');
  return { pid: process.pid, computer: os.hostname(), socket, token: 'own', folders: [], focusedAt: 0, name: '1-a' };
}

for (const [what, act] of Object.entries(misbehaviors))
  test(`[GD3] a door disconnects at once from a window that ${what}`, sockets, async (t) => {
    const record = await dishonest(t, act);
    // The limit of time never ends the connection in this test.
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const received: string[] = [];
    const link = await openLink(record, '', { onLine: (line) => void received.push(line), onEnd: () => undefined });
    assert.ok(link === undefined || link.socket.destroyed);
    assert.deepEqual(received, []);
  });

test('[GD3] a door disconnects from a window that does not answer', sockets, async (t) => {
  let isGreeted = () => {};
  const greeted = new Promise<void>((resolve) => (isGreeted = resolve));
  const record = await dishonest(t, (socket) => void socket.once('data', isGreeted));
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const link = openLink(record, '', { onLine: () => undefined, onEnd: () => undefined });
  await greeted;
  t.mock.timers.tick(3_000);
  assert.equal(await link, undefined);
});

test('[GD3] dishonest windows keep no client from the window of its folder', sockets, async (t) => {
  const place = doorPlace(t);
  const app = place.folder('app');
  await doorWindow(place, [app]);
  for (const [index, act] of Object.values(misbehaviors).entries()) {
    const record = await dishonest(t, act);
    const file = path.join(place.windows, `1-${index}.json`);
    writeFileSync(file, JSON.stringify({ ...record, folders: [app], focusedAt: Date.now() + 60_000 }));
    chmodSync(file, 0o600);
  }
  const door = rawDoor(place, app);
  door.send(initialize);
  door.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  door.send({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
  assert.match(JSON.stringify(await door.answer(2)), /only_one/);
  assert.ok(!door.lines.join('\n').includes('planted'));
});

/** The session of a client that has called a tool, and its window. */
function openSession(t: TestContext) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'deck-known-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const toClient: string[] = [];
  const toWindow: { id?: unknown; method?: string; error?: unknown }[] = [];
  const session = new DoorSession({
    info: { name: 'mcp-deck', version: '1' },
    toClient: (line) => void toClient.push(line),
    seek: () => undefined,
    lists: () => new KnownLists(folder, []),
  });
  session.attach((line) => void toWindow.push(JSON.parse(line) as object));
  session.fromClient(JSON.stringify(initialize));
  session.fromWindow(JSON.stringify({ jsonrpc: '2.0', id: toWindow[0]?.id, result: {} }));
  session.fromClient('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  session.fromClient('{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"pay"}}');
  assert.equal(toWindow.at(-1)?.method, 'tools/call');
  toClient.length = 0;
  return { session, toClient, toWindow };
}

test('[GD3] a door drops invalid messages, and answers to requests that its client did not send', (t) => {
  const { session, toClient } = openSession(t);
  for (const line of [
    'nonsense',
    'null',
    '7',
    '"text"',
    '[]',
    '[{"jsonrpc":"2.0","id":2,"result":{}}]',
    '{"jsonrpc":"2.0"',
    '{}',
    '{"jsonrpc":"2.0","id":1,"result":{"planted":true}}',
    '{"jsonrpc":"2.0","id":"2","result":{}}',
    '{"jsonrpc":"2.0","id":null,"result":{}}',
    '{"jsonrpc":"2.0","id":{},"method":"elicitation/create"}',
    '{"jsonrpc":"2.0","id":null,"method":"elicitation/create"}',
    '['.repeat(100_000),
  ])
    session.fromWindow(line);
  assert.deepEqual(toClient, []);
  const answer = '{"jsonrpc":"2.0","id":2,"result":{"content":[]}}';
  session.fromWindow(answer);
  session.fromWindow(answer);
  assert.deepEqual(toClient, [answer]);
});

test('[GD3] a door passes on a limited number of open requests of a window', (t) => {
  const { session, toClient, toWindow } = openSession(t);
  toWindow.length = 0;
  for (let id = 0; id < 5_000; id++)
    session.fromWindow(JSON.stringify({ jsonrpc: '2.0', id, method: 'elicitation/create', params: {} }));
  assert.equal(toClient.length, 1_024);
  assert.equal(toWindow.length, 5_000 - 1_024);
  assert.deepEqual(toWindow[0], {
    jsonrpc: '2.0',
    id: 1_024,
    error: { code: -32603, message: 'Too many requests are open at once.' },
  });
  session.fromClient('{"jsonrpc":"2.0","id":5,"result":{"action":"decline"}}');
  session.fromWindow('{"jsonrpc":"2.0","id":6000,"method":"elicitation/create"}');
  assert.match(toClient.at(-1) ?? '', /6000/);
});

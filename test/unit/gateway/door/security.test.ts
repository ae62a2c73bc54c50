import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import type { Log } from '../../../../src/core/base/log.js';
import { isOwnSocket } from '../../../../src/core/gateway/door/privateFiles.js';
import { readWindowRecords } from '../../../../src/core/gateway/door/windowRecords.js';
import { until } from '../../../support/httpUntil.js';
import type { DoorPlace } from '../../../support/doorWindow.js';
import { crashingWindow, doorClient, doorPlace, doorWindow, rawDoor, toolNames } from '../../../support/doorWindow.js';
import { onlyPosix } from '../../../support/platform.js';

const modes = onlyPosix('file modes');
const modeOf = (file: string) => lstatSync(file).mode & 0o777;
/** Unlike `once`, it does not reject when the connection breaks. */
const closed = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve));
const recordFiles = ({ windows }: DoorPlace) => readdirSync(windows).filter((name) => name.endsWith('.json'));
const recordFile = (place: DoorPlace) => path.join(place.windows, recordFiles(place)[0] ?? '');
const recordOf = (place: DoorPlace) =>
  JSON.parse(readFileSync(recordFile(place), 'utf8')) as { socket: string; token: string; folders: string[] };

test('[GD1] only the user can read the record and open the socket of a window', modes, async (t) => {
  const place = doorPlace(t);
  mkdirSync(place.windows, { mode: 0o777 });
  chmodSync(place.windows, 0o777);
  await doorWindow(place, [place.folder('app')]);
  const { socket } = recordOf(place);
  assert.deepEqual(
    [place.door, place.windows, recordFile(place), path.dirname(socket), socket].map(modeOf),
    [0o700, 0o700, 0o600, 0o700, 0o600],
  );
});

test('[GD1] a window removes its record and its socket when it closes, and those of a window that crashed', async (t) => {
  const place = doorPlace(t);
  const crashed = await crashingWindow(place, [place.folder('other')]);
  const left = recordOf(place).socket;
  await crashed.crash();
  assert.equal(recordFiles(place).length, 1);
  const window = await doorWindow(place, [place.folder('app')]);
  assert.equal(recordFiles(place).length, 1);
  const { socket } = recordOf(place);
  await window.close();
  assert.deepEqual(recordFiles(place), []);
  for (const address of [left, socket]) assert.throws(() => lstatSync(path.dirname(address)), /ENOENT/);
});

test('[GD1] the record of a crashed window removes no file but its socket', modes, async (t) => {
  const place = doorPlace(t);
  await (await doorWindow(place, [])).close();
  const folder = place.folder('mcp-deck-notes');
  chmodSync(folder, 0o700);
  for (const name of ['notes.txt', 's']) writeFileSync(path.join(folder, name), 'kept');
  for (const [index, socket] of [path.join(folder, 's'), path.join(folder, 'notes.txt'), folder].entries())
    writeFileSync(
      path.join(place.windows, `1-${index}.json`),
      // No process has this number.
      JSON.stringify({ pid: 2 ** 30, computer: os.hostname(), socket, token: '', folders: [], focusedAt: 0 }),
      { mode: 0o600 },
    );
  await doorWindow(place, [place.folder('app')]);
  assert.equal(recordFiles(place).length, 1);
  assert.deepEqual(readdirSync(folder).sort(), ['notes.txt', 's']);
});

test('[GD1] the folder of the records may not be a symbolic link', modes, async (t) => {
  const place = doorPlace(t);
  const lines: string[] = [];
  const log: Log = { write: (_level, line) => void lines.push(line) };
  symlinkSync(place.folder('elsewhere'), place.windows);
  const { gateway } = await doorWindow(place, [place.folder('app')], { log });
  assert.equal(gateway.door, undefined);
  assert.match(lines.join('\n'), /Agents cannot reach this window through the door: .* is not a folder of this user/);
});

/** A server that pretends to be a window, and records what it receives. */
async function impostor(place: DoorPlace): Promise<{ address: string; received: () => string }> {
  const folder = place.folder('impostor');
  chmodSync(folder, 0o700);
  const address = path.join(folder, 's');
  let received = '';
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('data', (chunk) => (received += String(chunk)));
    socket.on('error', () => undefined);
  });
  server.listen(address);
  await once(server, 'listening');
  place.finally(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { address, received: () => received };
}

test(
  '[GD2] a door ignores records that others can read, links, other files and records of other computers',
  modes,
  async (t) => {
    const place = doorPlace(t);
    const app = place.folder('app');
    const { address, received } = await impostor(place);
    await (await doorWindow(place, [])).close();
    const write = (name: string, change: object, mode = 0o600) => {
      const file = path.join(place.windows, name);
      writeFileSync(file, JSON.stringify({ ...own, ...change }), { mode });
      chmodSync(file, mode);
    };
    const own = {
      pid: process.pid,
      computer: os.hostname(),
      socket: address,
      token: 'secret',
      folders: [app],
      focusedAt: Date.now(),
    };
    const ignored: [string, () => void][] = [
      ['readable by others', () => write('1-a.json', {}, 0o644)],
      ['writable by a group', () => write('1-a.json', {}, 0o620)],
      ['another computer', () => write('1-a.json', { computer: 'elsewhere' })],
      ['not a record', () => write('1-a.json', { folders: 'all' })],
      ['too large', () => write('1-a.json', { more: 'x'.repeat(70_000) })],
      ['not JSON', () => writeFileSync(path.join(place.windows, '1-a.json'), '\0{]', { mode: 0o600 })],
      ['too deep', () => writeFileSync(path.join(place.windows, '1-a.json'), '['.repeat(60_000), { mode: 0o600 })],
      ['a folder', () => mkdirSync(path.join(place.windows, '1-a.json'), { mode: 0o700 })],
      ['a pipe', () => execFileSync('mkfifo', ['-m', '600', path.join(place.windows, '1-a.json')])],
      ['another name', () => write('a.json', {})],
      ['of a process that has ended', () => write('1-a.json', { pid: spawnSync(process.execPath, ['-e', '']).pid })],
      ['no socket', () => write('1-a.json', { socket: place.script })],
      [
        'a link to a socket',
        () => {
          symlinkSync(address, path.join(place.door, 'link'));
          write('1-a.json', { socket: path.join(place.door, 'link') });
        },
      ],
      ['folders as objects', () => write('1-a.json', { folders: [{ toString: 1 }, { length: 9 }] })],
      ['members of all objects', () => write('1-a.json', { folders: undefined, ['__proto__']: own })],
      [
        'a link',
        () => {
          write('hidden', {});
          renameSync(path.join(place.windows, 'hidden'), path.join(place.door, 'hidden'));
          symlinkSync(path.join(place.door, 'hidden'), path.join(place.windows, '1-a.json'));
        },
      ],
    ];
    for (const [what, plant] of ignored) {
      for (const name of readdirSync(place.windows)) rmSync(path.join(place.windows, name), { recursive: true });
      plant();
      const session = await doorClient(place, app);
      assert.match(JSON.stringify(await session.callTool('x', {})), /Open this folder/, what);
      assert.equal(received(), '', what);
    }
    rmSync(path.join(place.windows, '1-a.json'));
    write('1-a.json', {});
    const session = await doorClient(place, app);
    void session.callTool('x', {}).catch(() => undefined);
    await until(() => received().includes('"token":"secret"'));
    chmodSync(place.windows, 0o755);
    assert.deepEqual(await readWindowRecords(place.door), []);
  },
);

test('[GD2] a door ignores records and sockets of another user', modes, async (t) => {
  const place = doorPlace(t);
  const app = place.folder('app');
  await doorWindow(place, [app]);
  const { socket } = recordOf(place);
  const { getuid } = process;
  // The files now belong to another user than this process seems to have.
  process.getuid = () => (getuid?.() ?? 0) + 1;
  try {
    assert.deepEqual(await readWindowRecords(place.door), []);
    assert.equal(await isOwnSocket(socket), false);
  } finally {
    if (getuid) process.getuid = getuid;
  }
  assert.equal(await isOwnSocket(socket), true);
  assert.equal((await readWindowRecords(place.door)).length, 1);
});

test('[GD3] a window serves no connection without its token, and none that sends too much or too slowly', async (t) => {
  const place = doorPlace(t);
  const lines: string[] = [];
  const log: Log = { write: (_level, line) => void lines.push(line) };
  const { gateway } = await doorWindow(place, [place.folder('app')], { log });
  const { socket: address, token } = recordOf(place);
  const listing = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'intruder', version: '1' } },
  });
  for (const greeting of [
    listing,
    '{}',
    'null',
    '[]',
    JSON.stringify({ door: 1 }),
    JSON.stringify({ door: 1, token: '' }),
    JSON.stringify({ door: 1, token: [token] }),
    JSON.stringify({ door: 1, token: `${token}x` }),
    JSON.stringify({ door: 1, token: token.slice(1) }),
    JSON.stringify({ door: 2, token }),
    'x'.repeat(5_000),
  ]) {
    const socket = connect(address);
    let received = '';
    socket.on('data', (chunk) => (received += String(chunk)));
    socket.on('error', () => undefined);
    socket.write(`${greeting}\n${listing}\n`);
    await closed(socket);
    assert.equal(received, '', greeting.slice(0, 80));
  }
  assert.equal(gateway.clients.list.length, 0);
  assert.ok(lines.length > 0);
  assert.ok(!lines.join('\n').includes(token));
});

test('[GD3] a message of a client that is too large ends its connection to the window, not the window', async (t) => {
  const place = doorPlace(t);
  const app = place.folder('app');
  await doorWindow(place, [app]);
  const { socket: address, token } = recordOf(place);
  const socket = connect(address);
  socket.on('error', () => undefined);
  socket.resume();
  socket.write(`${JSON.stringify({ door: 1, token })}\n"${'x'.repeat(17 * 1024 * 1024)}"\n`);
  await closed(socket);
  assert.ok((await toolNames(await doorClient(place, app))).includes('only_one'));
});

test('[GD2] the token of the door appears in no log, and in no file but the record', async (t) => {
  const place = doorPlace(t);
  const app = place.folder('app');
  const lines: string[] = [];
  await doorWindow(place, [app], { log: { write: (_level, line) => void lines.push(line) } });
  const { token } = recordOf(place);
  const door = rawDoor(place, app);
  door.send({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
  });
  door.send({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
  await door.answer(2);
  const known = path.join(place.door, 'known');
  await until(() => existsSync(known) && readdirSync(known).some((name) => name.endsWith('.json')));
  const files = readdirSync(place.door, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(place.door, name))
    .filter((file) => lstatSync(file).isFile() && file !== recordFile(place));
  assert.ok(files.length > 1);
  for (const text of [
    door.lines.join(),
    door.errors(),
    lines.join(),
    ...files.map((file) => readFileSync(file, 'utf8')),
  ])
    assert.ok(!text.includes(token));
});

test('[GD3] state that was signed for the client of one door is refused from another door', async (t) => {
  const place = doorPlace(t);
  const app = place.folder('app');
  await doorWindow(place, [app]);
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
    'io.modelcontextprotocol/clientInfo': { name: 'same', version: '1' },
  };
  const request = (id: number, method: string, params: object = {}) => ({
    jsonrpc: '2.0',
    id,
    method,
    params: { ...params, _meta: meta },
  });
  const ask = { name: 'ask', arguments: {} };
  const one = rawDoor(place, app);
  one.send(request(1, 'tools/list'));
  await one.answer(1);
  one.send(request(2, 'tools/call', ask));
  const { result } = (await one.answer(2)) as {
    result: { requestState: string; inputRequests: Record<string, unknown> };
  };
  const [key = ''] = Object.keys(result.inputRequests);
  const answered = {
    ...ask,
    requestState: result.requestState,
    inputResponses: { [key]: { action: 'accept', content: { text: 'mine' } } },
  };
  const other = rawDoor(place, app);
  other.send(request(3, 'tools/call', answered));
  assert.ok('error' in ((await other.answer(3)) as object));
  one.send(request(4, 'tools/call', answered));
  assert.match(JSON.stringify(await one.answer(4)), /mine/);
});

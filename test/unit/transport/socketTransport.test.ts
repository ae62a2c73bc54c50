import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, afterEach, describe, test } from 'node:test';
import type { HostError } from '../../../src/core/base/hostError.js';
import { parseRemoteAddress } from '../../../src/core/transport/http/remoteAddress.js';
import type { RemoteOptions } from '../../../src/core/transport/remoteOptions.js';
import { SocketTransport } from '../../../src/core/transport/socketTransport.js';
import { HttpTestPeer } from '../../support/httpTestPeer.js';
import { until } from '../../support/httpUntil.js';
import { ManualClock } from '../../support/manualClock.js';

const folder = mkdtempSync(path.join(tmpdir(), 'deck-socket-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

let count = 0;

/** A server on its own socket, with the connections that it accepted. */
async function listen(
  onConnection: (socket: Socket) => void = () => undefined,
  options: { allowHalfOpen?: boolean } = {},
): Promise<{ url: string; file: string; sockets: Socket[]; server: Server }> {
  const file = path.join(folder, `${count++}.sock`);
  const sockets: Socket[] = [];
  const server = createServer(options, (socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(file, resolve));
  ends.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return { url: `unix://${file}`, file, sockets, server };
}

function transportTo(url: string, options: RemoteOptions = {}): { transport: SocketTransport; peer: HttpTestPeer } {
  const transport = new SocketTransport(parseRemoteAddress(url), options);
  ends.push(() => transport.close());
  return { transport, peer: new HttpTestPeer(transport) };
}

async function connected(onConnection?: (socket: Socket) => void, options: RemoteOptions = {}) {
  const server = await listen(onConnection);
  const parts = transportTo(server.url, options);
  await parts.transport.open(parts.peer);
  return { ...server, ...parts };
}

/** Answers each line with its method, optionally split into single bytes. */
function echoing(socket: Socket): void {
  let rest = '';
  socket.on('data', (chunk) => {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const { id, method } = JSON.parse(line) as { id: number; method: string };
      socket.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: { said: `${method} 读取 🎉 \u2028` } })}\r\n`);
    }
  });
}

describe('a raw socket', () => {
  test('[U1] carries messages both ways, one per line, in order', async () => {
    const { peer, transport, file } = await connected(echoing);
    assert.deepEqual(
      await Promise.all(['a', 'b', 'c'].map((method) => peer.request(method))),
      ['a', 'b', 'c'].map((method) => ({ said: `${method} 读取 🎉 \u2028` })),
    );
    assert.deepEqual([transport.kind, transport.describe()], ['socket', { address: `unix://${file}` }]);
  });

  test('[U1] a message above the limit ends the connection', async () => {
    const { peer, sockets } = await connected((socket) => socket.write(`"${'x'.repeat(2_000)}"\n`), {
      maxMessageBytes: 1_000,
    });
    await until(() => peer.closes.length > 0);
    assert.equal((peer.closes[0] as HostError).code, 'too-large');
    await until(() => sockets.every(({ destroyed }) => destroyed));
  });

  test('[U1] a server that does not read is not written to without a limit', async () => {
    const { transport } = await connected((socket) => socket.pause(), { maxMessageBytes: 1_000_000 });
    const failures: HostError[] = [];
    const text = JSON.stringify({ jsonrpc: '2.0', method: 'x', params: { text: 'y'.repeat(300_000) } });
    for (let i = 0; i < 8; i++) {
      transport.send({ text, fail: (error: Error) => failures.push(error as HostError) });
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.ok(failures.length > 0 && failures.every(({ code }) => code === 'send-failed'), String(failures.length));
  });

  test('[U1] nothing can be sent once it is closed, and a close that the server does not answer has a time limit', async () => {
    const clock = new ManualClock();
    const { url, sockets } = await listen((socket) => socket.resume(), { allowHalfOpen: true });
    const { transport, peer } = transportTo(url, { clock });
    await transport.open(peer);
    const closing = transport.close();
    const failures: HostError[] = [];
    transport.send({ text: '{}', fail: (error: Error) => failures.push(error as HostError) });
    assert.deepEqual(
      failures.map(({ code }) => code),
      ['closed'],
    );
    await until(() => sockets[0]?.readableEnded === true);
    clock.advance(2_000);
    await closing;
    assert.deepEqual(peer.closes, [undefined]);
  });

  test('[U1] kill ends a pending close at once', async () => {
    const { url } = await listen(undefined, { allowHalfOpen: true });
    const { transport, peer } = transportTo(url, { clock: new ManualClock() });
    await transport.open(peer);
    const closing = transport.close();
    transport.kill();
    await closing;
    assert.deepEqual(peer.closes, [undefined]);
  });

  test('[U1] opening can be aborted, and leaves nothing behind', async () => {
    const { url } = await listen();
    const { transport, peer } = transportTo(url);
    const reason = new Error('given up');
    await assert.rejects(transport.open(peer, AbortSignal.abort(reason)), reason);
    const later = transportTo(url);
    const controller = new AbortController();
    const opening = later.transport.open(later.peer, controller.signal);
    controller.abort(reason);
    await assert.rejects(opening, reason);
  });

  test('[U1] a close during opening ends the opening', async () => {
    const { url } = await listen();
    const { transport, peer } = transportTo(url);
    const opening = transport.open(peer);
    const closing = transport.close();
    await assert.rejects(opening, { code: 'closed' });
    await closing;
    assert.deepEqual(peer.closes, []);
  });

  const refusals: { name: string; url: () => string; code: string; message: RegExp }[] = [
    {
      name: 'no file',
      url: () => `unix://${folder}/none.sock`,
      code: 'connection-refused',
      message: /There is no socket at unix:/,
    },
    {
      name: 'a file that is not a socket',
      url: () => {
        const file = path.join(folder, 'plain');
        writeFileSync(file, '');
        return `unix://${file}`;
      },
      code: 'connection-refused',
      message: /Nothing listens at unix:/,
    },
    {
      name: 'a named pipe of another system',
      url: () => 'pipe:///deck-no-such-pipe',
      code: 'connection-refused',
      message: /There is no socket at pipe:/,
    },
  ];
  for (const { name, url, code, message } of refusals) {
    test(`[U1] ${name} is refused with a reason`, async () => {
      const { transport, peer } = transportTo(url());
      await assert.rejects(transport.open(peer), { code, message });
    });
  }

  test('[U1] a socket without permission is reported as such', async () => {
    const { url, file } = await listen();
    chmodSync(file, 0o000);
    const { transport, peer } = transportTo(url);
    const opening = transport.open(peer);
    // Permissions do not apply to root.
    if (process.getuid?.() === 0) await opening;
    else await assert.rejects(opening, { code: 'connection-refused', message: /Access to unix:.* is denied/ });
  });

  test('[U1] an address without a socket is refused before anything is opened', () => {
    assert.throws(() => new SocketTransport(parseRemoteAddress('https://a.example/mcp')), {
      code: 'bad-configuration',
      message: /unix: or pipe:/,
    });
  });
});

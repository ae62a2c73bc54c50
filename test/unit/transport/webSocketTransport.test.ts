import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { afterEach, describe, test } from 'node:test';
import zlib from 'node:zlib';
import type { AuthChallenge } from '../../../src/core/auth/authorizer.js';
import type { HostError } from '../../../src/core/base/hostError.js';
import { parseRemoteAddress } from '../../../src/core/transport/http/remoteAddress.js';
import type { RemoteOptions } from '../../../src/core/transport/remoteOptions.js';
import { WebSocketTransport } from '../../../src/core/transport/webSocketTransport.js';
import { HttpTestPeer } from '../../support/httpTestPeer.js';
import { until } from '../../support/httpUntil.js';
import { ManualClock } from '../../support/manualClock.js';
import type { WsTestServerOptions } from '../../support/wsTestServer.js';
import { WsTestServer } from '../../support/wsTestServer.js';

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const thing of open.splice(0).reverse()) await thing.close();
});

async function start(server: WsTestServerOptions = {}, options: RemoteOptions = {}) {
  const wsServer = await WsTestServer.start(server);
  open.push(wsServer);
  const transport = new WebSocketTransport(parseRemoteAddress(wsServer.url), options);
  open.push(transport);
  return { server: wsServer, transport, peer: new HttpTestPeer(transport) };
}

async function connected(server: WsTestServerOptions = {}, options: RemoteOptions = {}) {
  const parts = await start(server, options);
  await parts.transport.open(parts.peer);
  return parts;
}

/** Completes a handshake manually, with the given headers and accept key. */
function accept(
  key: string | undefined,
  socket: Duplex,
  headers: string[],
  guid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11',
): true {
  const digest = createHash('sha1').update(`${key}${guid}`).digest('base64');
  socket.write(
    [
      'HTTP/1.1 101 Switching Protocols',
      'Upgrade: websocket',
      'Connection: Upgrade',
      `Sec-WebSocket-Accept: ${digest}`,
      ...headers,
      '',
      '',
    ].join('\r\n'),
  );
  return true;
}

/** One unmasked frame. */
function frame(first: number, payload: Buffer | string): Buffer {
  const bytes = Buffer.from(payload);
  return Buffer.concat([Buffer.from([first, bytes.length]), bytes]);
}

describe('a WebSocket', () => {
  test('carries messages both ways, one per frame, in order', async () => {
    const received: any[] = [];
    const { peer } = await connected({
      onMessage: (message, socket) => {
        received.push(message.method);
        socket.send(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { text: '读取 🎉' } }));
      },
    });
    const answers = await Promise.all(['a', 'b', 'c'].map((method) => peer.request(method)));
    assert.deepEqual({ answers, received }, { answers: Array(3).fill({ text: '读取 🎉' }), received: ['a', 'b', 'c'] });
  });

  test('delivers messages in the same packet as the handshake', async () => {
    const { peer } = await connected({ onConnection: (socket) => socket.send('{"jsonrpc":"2.0","method":"early"}') });
    await until(() => peer.messages.length === 1);
  });

  test('offers the sub-protocol, configured headers and authorization', async () => {
    const { server } = await connected(
      {},
      {
        headers: { 'X-Key': 'k', authorization: 'configured' },
        userAgent: 'Deck/1',
        authorizer: { headers: () => ({ Authorization: 'Bearer t' }), handleChallenge: () => Promise.resolve(false) },
      },
    );
    const headers: Record<string, unknown> = server.upgrades[0]?.headers ?? {};
    assert.deepEqual(
      [headers['sec-websocket-protocol'], headers['x-key'], headers['authorization'], headers['user-agent']],
      ['mcp', 'k', 'Bearer t', 'Deck/1'],
    );
  });

  test('sends a close frame when closed, once, and ends everything', async () => {
    const { server, transport, peer } = await connected({ onMessage: () => undefined });
    const answer = peer.request('a');
    await Promise.all([transport.close(), transport.close()]);
    await assert.rejects(answer, { code: 'closed' });
    await until(() => server.openConnections === 0);
    assert.deepEqual({ codes: server.closeCodes, closes: peer.closes }, { codes: [1000], closes: [undefined] });
    await assert.rejects(peer.request('late'), { code: 'closed' });
  });

  test('does not wait for a server that does not answer the close frame', async () => {
    for (const force of [false, true]) {
      const clock = new ManualClock();
      const { server, transport } = await connected({}, { clock });
      await until(() => server.sockets.length === 1);
      server.sockets[0]?.pause();
      const closing = transport.close();
      if (force) transport.kill();
      else await clock.advance(2_000);
      await closing;
      server.sockets[0]?.resume();
    }
  });

  test('skips invalid JSON, with a warning', async () => {
    const { peer } = await connected({ onConnection: (socket) => socket.send('hello \u001b[31m') });
    await until(() => peer.warnings.length === 1);
    assert.deepEqual(peer.warnings, ['Skipped a WebSocket message that is not JSON: hello \\u{1b}[31m']);
    await peer.request('a');
  });

  test('delivers a flood complete and in order', async () => {
    const count = 20_000;
    const { peer } = await connected({
      onMessage: (message, socket) => {
        for (let i = 0; i < count; i++) socket.send(`{"jsonrpc":"2.0","method":"note","params":${i}}`);
        socket.send(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: {} }));
      },
    });
    await peer.request('a');
    assert.deepEqual(
      peer.messages.slice(0, -1).map(({ params }) => params),
      Array.from({ length: count }, (_, i) => i),
    );
  });
});

describe('[W1] the handshake', () => {
  const failures: Record<string, WsTestServerOptions['onUpgrade']> = {
    'no sub-protocol': ({ headers }, socket) => accept(headers['sec-websocket-key'], socket, []),
    'a foreign sub-protocol': ({ headers }, socket) =>
      accept(headers['sec-websocket-key'], socket, ['Sec-WebSocket-Protocol: chat']),
    'a wrong accept key': ({ headers }, socket) =>
      accept(headers['sec-websocket-key'], socket, ['Sec-WebSocket-Protocol: mcp'], 'x'),
  };
  for (const [name, onUpgrade] of Object.entries(failures)) {
    test(`fails on ${name}`, async () => {
      const { transport, peer } = await start({ onUpgrade });
      await assert.rejects(transport.open(peer), {
        code: 'invalid-message',
        message: /does not open an MCP WebSocket/,
      });
      assert.deepEqual(peer.closes, []);
    });
  }

  test('is not redirected, and sends nothing to other hosts', async () => {
    const trap = await WsTestServer.start();
    open.push(trap);
    const { transport, peer } = await start({
      onUpgrade: (_request, socket) =>
        Boolean(socket.end(`HTTP/1.1 302 Found\r\nLocation: ${trap.url}\r\nContent-Length: 0\r\n\r\n`)),
    });
    await assert.rejects(
      transport.open(peer),
      (error: any) => error.code === 'http-status' && error.message.includes(trap.url),
    );
    assert.deepEqual(trap.upgrades, []);
  });

  test('fails with the status of a refusal, and with the problem of the address', async () => {
    const refused = await start({
      onUpgrade: (_request, socket) =>
        Boolean(socket.end('HTTP/1.1 503 No\r\nContent-Length: 4\r\nRetry-After: 3\r\n\r\nbusy')),
    });
    await assert.rejects(refused.transport.open(refused.peer), {
      code: 'http-status',
      data: {
        why: 'plain',
        request: 'the WebSocket handshake',
        status: 503,
        bodyText: 'busy',
        contentType: '',
        retryAfterMs: 3_000,
      },
    });
    const gone = await WsTestServer.start();
    await gone.close();
    const transport = new WebSocketTransport(parseRemoteAddress('ws://127.0.0.1:1/'));
    await assert.rejects(transport.open(refused.peer), { code: 'connection-refused' });
    await transport.close();
  });

  test('times out, and can be aborted', async () => {
    const clock = new ManualClock();
    const silent = await start({ onUpgrade: () => true }, { clock, connectTimeoutMs: 4_000 });
    const outcome = assert.rejects(silent.transport.open(silent.peer), { code: 'timeout' });
    await until(() => silent.server.upgrades.length === 1);
    await clock.advance(4_000);
    await outcome;
    const controller = new AbortController();
    const stopped = await start({ onUpgrade: () => true });
    const abort = assert.rejects(stopped.transport.open(stopped.peer, controller.signal), { message: 'stop' });
    await until(() => stopped.server.upgrades.length === 1);
    controller.abort(new Error('stop'));
    await abort;
    await until(() => silent.server.openConnections === 0 && stopped.server.openConnections === 0);
  });

  test('calls the authorizer after a 401 and retries, at most five times', async () => {
    const challenges: AuthChallenge[] = [];
    const authorizer = {
      headers: () => ({ authorization: `Bearer ${challenges.length}` }),
      handleChallenge: (challenge: AuthChallenge) => Promise.resolve(challenges.push(challenge) > 0),
    };
    const refuseUnless =
      (token: string): WsTestServerOptions['onUpgrade'] =>
      ({ headers }, socket) =>
        headers['authorization'] !== `Bearer ${token}` &&
        Boolean(socket.end('HTTP/1.1 401 No\r\nWWW-Authenticate: Bearer\r\nContent-Length: 0\r\n\r\n'));
    const { server, peer } = await connected({ onUpgrade: refuseUnless('1') }, { authorizer });
    await peer.request('a');
    assert.deepEqual(
      challenges.map(({ url, wwwAuthenticate }) => [url, wwwAuthenticate]),
      [[server.url.replace('ws:', 'http:'), ['Bearer']]],
    );

    const never = await start({ onUpgrade: refuseUnless('never') }, { authorizer });
    await assert.rejects(never.transport.open(never.peer), { code: 'auth-required' });
    assert.equal(never.server.upgrades.length, 6);
  });
});

describe('[W2] a broken frame', () => {
  /** Connects to a server that answers the first message with `bytes`. */
  async function answeredWith(bytes: Buffer, options: RemoteOptions = {}) {
    let raw: Duplex | undefined;
    const parts = await connected(
      {
        onUpgrade: (_request, socket) => {
          raw = socket;
          return false;
        },
        onMessage: () => raw?.write(bytes),
      },
      options,
    );
    return { ...parts, answer: parts.peer.request('a') };
  }

  const cases: Record<string, [Buffer, number, RegExp]> = {
    binary: [frame(0x82, '{}'), 1003, /binary/],
    'invalid UTF-8': [frame(0x81, Buffer.from([0x7b, 0xc3, 0x28, 0x7d])), 1007, /not UTF-8/],
    masked: [Buffer.from([0x81, 0x80, 0, 0, 0, 0]), 1002, /WebSocket protocol/],
    'with a reserved bit': [frame(0xc1, '{}'), 1002, /WebSocket protocol/],
    'of an unknown type': [frame(0x83, '{}'), 1002, /WebSocket protocol/],
  };
  for (const [name, [bytes, code, message]] of Object.entries(cases)) {
    test(`(${name}) ends the connection with ${code} and fails open requests`, async () => {
      const { server, peer, answer } = await answeredWith(bytes);
      await assert.rejects(answer, { code: 'invalid-message', message });
      await until(() => server.closeCodes.length === 1);
      assert.deepEqual({ codes: server.closeCodes, closes: peer.closes.length }, { codes: [code], closes: 1 });
    });
  }

  test('(too large) ends the connection with 1009', async () => {
    const { server, answer } = await answeredWith(
      Buffer.concat([Buffer.from([0x81, 126, 0x10, 0x00]), Buffer.alloc(0x1000, 0x20)]),
      { maxMessageBytes: 1_000 },
    );
    await assert.rejects(answer, { code: 'too-large', data: { limitBytes: 1_000 } });
    await until(() => server.closeCodes.length === 1);
    assert.deepEqual(server.closeCodes, [1009]);
  });

  test('is not reported for a fragmented message, with a ping between them', async () => {
    const json = Buffer.from('{"jsonrpc":"2.0","id":1,"result":{"text":"读取 🎉"}}');
    const parts: Buffer[] = [];
    for (let i = 0; i < json.length; i += 3) {
      const isLast = i + 3 >= json.length;
      parts.push(frame((isLast ? 0x80 : 0) | (i === 0 ? 1 : 0), json.subarray(i, i + 3)));
      if (i === 9) parts.push(frame(0x89, 'hi'));
    }
    const { server, answer } = await answeredWith(Buffer.concat(parts));
    const pong = new Promise((resolve) => server.sockets[0]?.once('pong', (data) => resolve(String(data))));
    assert.deepEqual(await answer, { text: '读取 🎉' });
    assert.equal(await pong, 'hi');
  });
});

describe('[W3] a lost connection', () => {
  test('ends if the server does not read its responses', async () => {
    const cases: [string, number, RemoteOptions][] = [
      ['x'.repeat(1_000), 20, { maxMessageBytes: 10_000 }],
      ['{}', 100_001, {}],
    ];
    for (const [text, count, options] of cases) {
      const { transport, peer } = await connected({}, options);
      for (let sent = 1; sent < count; sent++) transport.send({ text });
      if (count > 20) assert.deepEqual(peer.closes, []);
      transport.send({ text });
      assert.deepEqual(
        peer.closes.map((error) => (error as HostError).data as unknown as { why: string }).map(({ why }) => why),
        ['not-reading'],
      );
    }
  });

  test('fails open requests at once, with the reason of the server', async () => {
    const dropped = await connected({ onMessage: (_message, socket) => socket.terminate() });
    await assert.rejects(dropped.peer.request('tools/call'), { code: 'closed', message: /1006, connection lost/ });
    const closed = await connected({ onMessage: (_message, socket) => socket.close(1008, 'too \u202e many') });
    await assert.rejects(closed.peer.request('tools/call'), {
      code: 'closed',
      message: /1008, policy violation\): too \\u\{202e\} many/,
    });
    assert.equal(dropped.server.upgrades.length, 1, 'no automatic reconnect');
  });
});

describe('[W4, Y1] the heartbeat', () => {
  test('declares a silent connection dead', async () => {
    const clock = new ManualClock();
    const { server, peer } = await connected({ server: { autoPong: false }, onMessage: () => undefined }, { clock });
    const answer = peer.request('a');
    const pinged = new Promise((resolve) => server.sockets[0]?.once('ping', resolve));
    await clock.advance(30_000);
    await pinged;
    await clock.advance(10_000);
    await assert.rejects(answer, { code: 'closed', message: /did not respond for 10 s/ });
    await until(() => server.openConnections === 0);
  });

  test('keeps a connection that answers', async () => {
    const clock = new ManualClock();
    const { server, peer } = await connected({}, { clock });
    let pings = 0;
    await until(() => server.sockets.length === 1);
    server.sockets[0]?.on('ping', () => pings++);
    for (let round = 1; round <= 3; round++) {
      await clock.advance(30_000);
      await until(() => pings === round);
      // The pong is in transit; a message after it shows that it has arrived.
      await peer.request('a');
      await clock.advance(10_000);
    }
    assert.deepEqual(peer.closes, []);
  });

  test('answers pings of the server', async () => {
    const { server, peer } = await connected();
    await peer.request('a');
    const socket = server.sockets[0];
    let pongs = 0;
    socket?.on('pong', () => pongs++);
    socket?.ping();
    await until(() => pongs === 1);
  });
});

describe('compression of a WebSocket', () => {
  const offered = (upgrade: { headers: NodeJS.Dict<string | string[]> } | undefined) =>
    upgrade?.headers['sec-websocket-extensions'];
  const extension = /^permessage-deflate(;|$)/;

  test('is offered if configured, and messages are decompressed', async () => {
    const text = 'x'.repeat(100_000);
    const { server, peer } = await connected(
      {
        server: { perMessageDeflate: { threshold: 0 } },
        onMessage: (message, socket) => {
          assert.equal(socket.extensions, 'permessage-deflate');
          socket.send(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { text } }));
        },
      },
      { compression: true },
    );
    assert.deepEqual(await peer.request('a'), { text });
    assert.match(String(offered(server.upgrades[0])), extension);
    const raw = server.upgrades[0]?.socket.bytesWritten ?? 0;
    assert.ok(raw < 10_000, `${raw} bytes were written`);
  });

  test('is not offered by default', async () => {
    const { server, peer } = await connected({ server: { perMessageDeflate: { threshold: 0 } } });
    await peer.request('a');
    assert.equal(offered(server.upgrades[0]), undefined);
  });

  test('[H8] a small frame that inflates to a quarter of a gigabyte is aborted at the limit', async () => {
    const mebibyte = 2 ** 20;
    // Each is a complete block, so that any number of them forms one stream.
    const block = zlib.deflateRawSync(Buffer.alloc(mebibyte, ' '), { finishFlush: zlib.constants.Z_FULL_FLUSH });
    const payload = Buffer.concat(Array<Buffer>(256).fill(block));
    const head = Buffer.alloc(10);
    head.writeUInt16BE(0xc17f);
    head.writeBigUInt64BE(BigInt(payload.length), 2);
    assert.ok(payload.length < mebibyte, `${payload.length} bytes`);
    const { peer } = await connected(
      {
        onUpgrade: (request, socket) => {
          accept(request.headers['sec-websocket-key'], socket, [
            'Sec-WebSocket-Protocol: mcp',
            'Sec-WebSocket-Extensions: permessage-deflate; client_no_context_takeover',
          ]);
          socket.once('data', () => socket.write(Buffer.concat([head, payload])));
          return true;
        },
      },
      { compression: true, maxMessageBytes: mebibyte },
    );
    const peakBefore = process.resourceUsage().maxRSS;
    await assert.rejects(peer.request('a'), { code: 'too-large', data: { limitBytes: mebibyte } });
    const grown = (process.resourceUsage().maxRSS - peakBefore) / 1_024;
    assert.ok(grown < 64, `${grown} MiB`);
  });
});

import assert from 'node:assert/strict';
import type { Server } from 'node:net';
import { connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { suite, test } from 'node:test';
import { LoopbackReceiver, page } from '../../../src/core/auth/loopbackReceiver.js';
import { UriRedirectReceiver } from '../../../src/core/auth/redirectReceiver.js';

/** Sends the head of a request and returns the whole response. */
function ask(port: string, head: string, address = '127.0.0.1'): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), address, () => socket.end(`${head}\r\nConnection: close\r\n\r\n`));
    let text = '';
    socket.on('data', (bytes: Buffer) => (text += bytes.toString('latin1')));
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
}

/** Another program that listens there. */
function listenAt(address: string, port: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(Number(port), address, () => resolve(server));
  });
}

const hasIPv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));
const receiver = new LoopbackReceiver();
const state = 'the-state';

suite('[A8] the loopback receiver', () => {
  test('listens on 127.0.0.1 on a random port and accepts the answer with the correct state', async () => {
    const pending = await receiver.open({ state, server: 'github' });
    const other = await receiver.open({ state, server: 'github' });
    assert.match(pending.redirectUri, /^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    assert.notEqual(pending.redirectUri, other.redirectUri);
    const response = await fetch(`${pending.redirectUri}?code=c&state=${state}&iss=x`);
    assert.equal(response.status, 200);
    assert.match(response.headers.get('content-security-policy') ?? '', /default-src 'none'/);
    assert.match(await response.text(), /Sign-in received/);
    assert.deepEqual(Object.fromEntries(await pending.answer), { code: 'c', state, iss: 'x' });
    pending.dispose();
    other.dispose();
  });

  test('any other request is rejected and does not end the wait', async () => {
    const pending = await receiver.open({ state, server: 'github' });
    const { origin } = new URL(pending.redirectUri);
    const statuses = new Set<number>();
    for (const [path = '', method = ''] of [
      ['/callback?code=evil&state=wrong', 'GET'],
      ['/callback?code=evil', 'GET'],
      ['/', 'GET'],
      [`/other?code=evil&state=${state}`, 'GET'],
      [`/callback?code=evil&state=${state}x`, 'GET'],
      [`/callback?code=evil&state=wrong&state=${state}`, 'GET'],
      [`/callback/?code=evil&state=${state}`, 'GET'],
      [`/callback%2F?code=evil&state=${state}`, 'GET'],
      [`/Callback?code=evil&state=${state}`, 'GET'],
      [`/callback;x?code=evil&state=${state}`, 'GET'],
      ...['POST', 'PUT', 'HEAD', 'OPTIONS', 'DELETE'].map((method) => [`/callback?code=evil&state=${state}`, method]),
    ] as const) {
      statuses.add((await fetch(origin + path, { method })).status);
    }
    assert.deepEqual([...statuses], [400]);
    await fetch(`${pending.redirectUri}?code=good&state=${state}`);
    assert.equal((await pending.answer).get('code'), 'good');
    pending.dispose();
  });

  test('[loopback.requests] answers requests without a valid URL, and keeps waiting', async () => {
    const pending = await receiver.open({ state, server: 'github' });
    const { port, hostname } = new URL(pending.redirectUri);
    for (const target of ['//', 'http://', '//[', '\\\\', '/%', '*']) {
      const answer = await ask(port, `GET ${target} HTTP/1.1\r\nHost: ${hostname}`);
      assert.match(answer, /^HTTP\/1\.1 400 /, target);
    }
    await fetch(`${pending.redirectUri}?code=good&state=${state}`);
    assert.equal((await pending.answer).get('code'), 'good');
    pending.dispose();
  });

  test('[loopback.requests] a name that leads to this machine is not taken for this machine', async () => {
    const pending = await receiver.open({ state, server: 'github' });
    const { port } = new URL(pending.redirectUri);
    for (const host of ['evil.example', `evil.example:${port}`, `localhost.evil.example:${port}`, '', '[', '0.0.0.0'])
      assert.match(
        await ask(port, `GET /callback?code=evil&state=${state} HTTP/1.1\r\nHost: ${host}`),
        /^HTTP\/1\.1 400 /,
        host,
      );
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`])
      assert.match(
        await ask(port, `GET /callback?code=good&state=wrong HTTP/1.1\r\nHost: ${host}`),
        /^HTTP\/1\.1 400 /,
      );
    assert.match(
      await ask(port, `GET /callback?code=good&state=${state} HTTP/1.1\r\nHost: localhost:${port}`),
      /^HTTP\/1\.1 200 /,
    );
    assert.equal((await pending.answer).get('code'), 'good');
    pending.dispose();
  });

  test('[loopback.requests] accepts one of many answers that arrive at the same time', async () => {
    const pending = await receiver.open({ state, server: 'github' });
    const { port } = new URL(pending.redirectUri);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        ask(port, `GET /callback?code=${i}&state=${state} HTTP/1.1\r\nHost: localhost`),
      ),
    );
    const taken = answers.flatMap((text, i) => (text.startsWith('HTTP/1.1 200 ') ? [String(i)] : []));
    assert.deepEqual(taken, [(await pending.answer).get('code')]);
    pending.dispose();
  });

  test('[loopback.requests] two sign-ins at the same time: each accepts its own answer only', async () => {
    const [one, two] = await Promise.all(['one', 'two'].map((own) => receiver.open({ state: own, server: own })));
    assert.ok(one && two);
    for (const [pending, foreign] of [
      [one, 'two'],
      [two, 'one'],
    ] as const)
      assert.equal((await fetch(`${pending.redirectUri}?code=crossed&state=${foreign}`)).status, 400);
    await Promise.all([fetch(`${one.redirectUri}?code=1&state=one`), fetch(`${two.redirectUri}?code=2&state=two`)]);
    assert.deepEqual([(await one.answer).get('code'), (await two.answer).get('code')], ['1', '2']);
    one.dispose();
    two.dispose();
  });

  test('[loopback.requests] ends a request with an endless body or a large head, and keeps waiting', async () => {
    const pending = await receiver.open({ state, server: 'github' });
    const { port, host } = new URL(pending.redirectUri);
    const flood = connect(Number(port), '127.0.0.1').on('error', () => undefined);
    flood.resume();
    flood.write(
      `POST /callback?code=evil&state=${state} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 99999999999\r\n\r\n`,
    );
    const more = () => {
      while (!flood.destroyed && flood.write('x'.repeat(65_536)));
    };
    flood.on('drain', more);
    more();
    await new Promise((resolve) => flood.once('close', resolve));
    const head = `GET /callback?code=evil&state=${state}&x=${'x'.repeat(100_000)} HTTP/1.1\r\nHost: ${host}`;
    assert.ok(!(await ask(port, head).catch(String)).includes('Sign-in received'));
    await fetch(`${pending.redirectUri}?code=good&state=${state}`);
    assert.equal((await pending.answer).get('code'), 'good');
    pending.dispose();
  });

  test('[loopback.requests] holds a bounded number of connections', async () => {
    const pending = await receiver.open({ state, server: 'github' });
    const { port } = new URL(pending.redirectUri);
    const sockets = Array.from({ length: 510 }, () => connect(Number(port), '127.0.0.1').on('error', () => undefined));
    await Promise.race(sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve))));
    for (const socket of sockets) socket.destroy();
    pending.dispose();
  });

  test('[loopback.requests] for "localhost" holds the IPv4 and the IPv6 address, so that no other program receives the answer', async () => {
    const own = await receiver.open({ state, server: 'github' });
    const { port } = new URL(own.redirectUri);
    own.dispose();
    const redirectUri = `http://localhost:${port}/callback`;
    const pending = await receiver.open({ state, redirectUri, isFixed: true, server: 'github' });
    assert.equal(pending.redirectUri, redirectUri);
    const places = hasIPv6 ? ['127.0.0.1', '::1'] : ['127.0.0.1'];
    for (const place of places) await assert.rejects(listenAt(place, port), { code: 'EADDRINUSE' }, place);
    const request = `GET /callback?code=c&state=${state} HTTP/1.1\r\nHost: localhost:${port}`;
    assert.match(await ask(port, request, places.at(-1)), /^HTTP\/1\.1 200 /);
    assert.equal((await pending.answer).get('code'), 'c');
    pending.dispose();
    for (const place of places) {
      const other = await listenAt(place, port);
      await assert.rejects(
        receiver.open({ state, redirectUri, isFixed: true, server: 'github' }),
        /another program may be using the port/,
      );
      const elsewhere = await receiver.open({ state, redirectUri, server: 'github' });
      assert.notEqual(new URL(elsewhere.redirectUri).port, port);
      elsewhere.dispose();
      other.close();
      await new Promise((resolve) => other.once('close', resolve));
    }
  });

  test('accepts only one answer', async () => {
    const pending = await receiver.open({ state, server: 'github' });
    await fetch(`${pending.redirectUri}?code=first&state=${state}`);
    await pending.answer;
    assert.equal((await fetch(`${pending.redirectUri}?code=second&state=${state}`)).status, 410);
    assert.equal((await pending.answer).get('code'), 'first');
    pending.dispose();
  });

  test('closes when disposed, including connections opened in advance', async () => {
    const pending = await receiver.open({ state, server: 'github' });
    const socket = connect(Number(new URL(pending.redirectUri).port), '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    pending.dispose();
    await closed;
    await assert.rejects(fetch(pending.redirectUri));
  });

  test('uses the preferred port and path if free, otherwise another port', async () => {
    const first = await receiver.open({ state, server: 'github' });
    const { port } = new URL(first.redirectUri);
    const busy = await receiver.open({ state, redirectUri: first.redirectUri, server: 'github' });
    assert.notEqual(busy.redirectUri, first.redirectUri);
    busy.dispose();
    first.dispose();
    const again = await receiver.open({ state, redirectUri: `http://localhost:${port}/own/path`, server: 'github' });
    assert.equal(again.redirectUri, `http://localhost:${port}/own/path`);
    assert.equal((await fetch(`http://127.0.0.1:${port}/own/path?code=c&state=${state}`)).status, 200);
    again.dispose();
  });

  test('a preference for another host is ignored', async () => {
    for (const redirectUri of [
      'https://127.0.0.1:1/x',
      'http://0.0.0.0:4000/x',
      'http://example.com:4000/x',
      'nonsense',
    ]) {
      const pending = await receiver.open({ state, redirectUri, server: 'github' });
      assert.match(pending.redirectUri, /^http:\/\/127\.0\.0\.1:\d+\/callback$/);
      pending.dispose();
    }
  });

  test('the page escapes all texts, and contains nothing from the request', async () => {
    assert.ok(!/<script|<img|onerror="/.test(page('<script>', '"><img src=x onerror="x">\'')));
    const pending = await receiver.open({ state, server: '<b>evil</b>' });
    const text = await (
      await fetch(`${pending.redirectUri}?error=<script>&error_description=lies&state=${state}`)
    ).text();
    assert.match(text, /Sign-in not finished/);
    assert.ok(!text.includes('lies') && !text.includes('<script'));
    pending.dispose();
  });
});

test('[A8] the receiver of editor URIs matches by state, once', async () => {
  const editor = new UriRedirectReceiver(() => Promise.resolve('vscode://mcp-deck.mcp-deck/signed-in'));
  const pending = await editor.open({ state });
  assert.equal(pending.redirectUri, 'vscode://mcp-deck.mcp-deck/signed-in');
  assert.equal(editor.take('code=x&state=other'), false);
  assert.equal(editor.take(`code=c&state=${state}`), true);
  assert.equal(editor.take(`code=d&state=${state}`), false);
  assert.equal((await pending.answer).get('code'), 'c');
  const ended = await editor.open({ state: 'two' });
  ended.dispose();
  assert.equal(editor.take('code=c&state=two'), false);
});

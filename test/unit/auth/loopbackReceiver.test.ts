import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { suite, test } from 'node:test';
import { LoopbackReceiver, page } from '../../../src/core/auth/loopbackReceiver.js';
import { UriRedirectReceiver } from '../../../src/core/auth/redirectReceiver.js';

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
    assert.match(await response.text(), /Answer received/);
    assert.deepEqual(Object.fromEntries(await pending.answer), { code: 'c', state, iss: 'x' });
    pending.dispose();
    other.dispose();
  });

  test('any other request is rejected and does not end the wait', async () => {
    const pending = await receiver.open({ state, server: 'github' });
    const { origin } = new URL(pending.redirectUri);
    const statuses = [];
    for (const [path, method] of [
      ['/callback?code=evil&state=wrong', 'GET'],
      ['/callback?code=evil', 'GET'],
      ['/', 'GET'],
      [`/other?code=evil&state=${state}`, 'GET'],
      [`/callback?code=evil&state=${state}`, 'POST'],
    ] as const) {
      statuses.push((await fetch(origin + path, { method })).status);
    }
    assert.deepEqual(statuses, [400, 400, 400, 400, 400]);
    await fetch(`${pending.redirectUri}?code=good&state=${state}`);
    assert.equal((await pending.answer).get('code'), 'good');
    pending.dispose();
  });

  test('[loopback.requests] answers requests without a valid URL, and keeps waiting', async () => {
    const pending = await receiver.open({ state, server: 'github' });
    const { port, hostname } = new URL(pending.redirectUri);
    for (const target of ['//', 'http://', '//[', '\\\\', '/%', '*']) {
      const answer = await new Promise<string>((resolve, reject) => {
        const socket = connect(Number(port), hostname, () =>
          socket.end(`GET ${target} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n\r\n`),
        );
        let text = '';
        socket.on('data', (bytes: Buffer) => (text += bytes.toString('latin1')));
        socket.on('close', () => resolve(text));
        socket.on('error', reject);
      });
      assert.match(answer, /^HTTP\/1\.1 400 /, target);
    }
    await fetch(`${pending.redirectUri}?code=good&state=${state}`);
    assert.equal((await pending.answer).get('code'), 'good');
    pending.dispose();
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

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, suite, test } from 'node:test';
import { problemOf } from '../../../src/core/auth/authProblem.js';
import { FileLock } from '../../../src/core/auth/fileLock.js';
import { refreshNeed } from '../../../src/core/auth/refresh.js';
import { currentAccount } from '../../../src/core/auth/serverRecord.js';
import { call, callAsUser, openWindow } from '../../support/authClient.js';
import { AuthServer, json } from '../../support/authServer.js';
import { MemorySecrets } from '../../support/memorySecrets.js';
import { steppedTime } from '../../support/steppedTime.js';

suite('when tokens are refreshed', () => {
  const table: [name: string, lifetimeS: number | undefined, ageS: number, expected: string][] = [
    ['no known end', undefined, 1e6, 'no'],
    ['an hour, fresh', 3600, 0, 'no'],
    ['an hour, three minutes left', 3600, 3420, 'no'],
    ['an hour, two minutes left', 3600, 3480, 'soon'],
    ['an hour, ten seconds left', 3600, 3590, 'now'],
    ['an hour, long past', 3600, 9999, 'now'],
    ['a minute, fresh', 60, 0, 'no'],
    ['a minute, twenty seconds left', 60, 40, 'no'],
    ['a minute, fifteen seconds left', 60, 45, 'soon'],
    ['a second, fresh', 1, 0, 'no'],
    ['a second, almost gone', 1, 0.95, 'now'],
    ['no lifetime', 0, 0, 'now'],
    ['our clock went back by an hour', 3600, -3600, 'now'],
    ['our clock went back by a second', 3600, -1, 'no'],
  ];
  for (const [name, lifetimeS, ageS, expected] of table) {
    test(`${name}: ${expected}`, () =>
      assert.equal(
        refreshNeed(
          { obtainedAt: 1e9, expiresAt: lifetimeS === undefined ? undefined : 1e9 + lifetimeS * 1000 },
          1e9 + ageS * 1000,
        ),
        expected,
      ));
  }
});

suite('[A13] refresh', () => {
  let servers: AuthServer;
  afterEach(() => servers.stop());

  /** A server with a signed-in user, and a clock that the test moves for both sides. */
  async function signedIn(behaviour: Parameters<typeof AuthServer.start>[0] = {}, secrets = new MemorySecrets()) {
    servers = await AuthServer.start(behaviour);
    const { now, clock, pass } = steppedTime();
    servers.time = now;
    const window = openWindow({ serverUrl: servers.url, now, clock }, secrets);
    assert.equal(await callAsUser(window.authorizer, servers.url), 200);
    return { ...window, now, pass };
  }

  test('an expired token is refreshed before the request, without a refusal and without the browser', async () => {
    const { authorizer, browser, pass } = await signedIn();
    servers.journal.length = 0;
    pass(3600);
    assert.equal(await call(authorizer, servers.url), 200);
    assert.deepEqual(
      servers.journal.map(({ path }) => path),
      ['/token', '/mcp'],
    );
    assert.equal(browser.shown.length, 1);
  });

  test('shortly before expiry the old token is still sent at once while the new one is requested', async () => {
    const { authorizer, pass } = await signedIn();
    pass(3600 - 100);
    const headers = authorizer.headers({ method: 'POST', url: servers.url });
    assert.ok(!(headers instanceof Promise));
    while (servers.grants('refresh_token').length === 0) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(await call(authorizer, servers.url), 200);
  });

  test('the refresh names the resource', async () => {
    const { authorizer, pass } = await signedIn();
    pass(3600);
    await call(authorizer, servers.url);
    assert.equal(servers.grants('refresh_token')[0]?.form['resource'], servers.url);
  });

  test('many calls at once share one refresh', async () => {
    const { authorizer, pass } = await signedIn();
    pass(4000);
    const statuses = await Promise.all(Array.from({ length: 50 }, () => call(authorizer, servers.url)));
    assert.deepEqual(new Set(statuses), new Set([200]));
    assert.equal(servers.grants('refresh_token').length, 1);
  });

  test('many refusals at once share one refresh', async () => {
    const { authorizer, pass } = await signedIn();
    pass(60);
    servers.forgetAccessTokens();
    const statuses = await Promise.all(Array.from({ length: 50 }, () => call(authorizer, servers.url)));
    assert.deepEqual(new Set(statuses), new Set([200]));
    assert.equal(servers.grants('refresh_token').length, 1);
  });

  test('two windows share one refresh; rotation with detection of reuse causes no failure', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'deck-refresh-'));
    try {
      servers = await AuthServer.start();
      const { now, pass } = steppedTime();
      servers.time = now;
      const secrets = new MemorySecrets();
      const windows = [0, 1, 2].map(() =>
        openWindow({ serverUrl: servers.url, now }, secrets, new FileLock(folder, { pollMs: 1 })),
      );
      assert.equal(await callAsUser(windows[0]!.authorizer, servers.url), 200);
      for (let round = 1; round <= 5; round++) {
        pass(4000);
        const statuses = await Promise.all(
          windows.flatMap(({ authorizer }) => [call(authorizer, servers.url), call(authorizer, servers.url)]),
        );
        assert.deepEqual(statuses, [200, 200, 200, 200, 200, 200]);
        assert.equal(servers.grants('refresh_token').length, round);
      }
      assert.equal(
        windows.reduce((sum, { browser }) => sum + browser.shown.length, 0),
        1,
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('a window whose secret storage lags behind waits for the tokens that the other one stored', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'deck-lag-'));
    try {
      const shared = new MemorySecrets();
      servers = await AuthServer.start();
      const { now, pass } = steppedTime();
      servers.time = now;
      const { authorizer } = openWindow({ serverUrl: servers.url, now }, shared, new FileLock(folder, { pollMs: 1 }));
      await callAsUser(authorizer, servers.url);
      // The second window sees the earlier state for its first reads.
      const late = new MemorySecrets();
      let lag = 0;
      const old = new Map(shared.values);
      late.get = (key) => Promise.resolve((lag-- > 0 ? old : shared.values).get(key));
      late.set = (key, value) => shared.set(key, value);
      const second = openWindow({ serverUrl: servers.url, now }, late, new FileLock(folder, { pollMs: 1 }));
      assert.equal(await call(second.authorizer, servers.url), 200);
      pass(4000);
      assert.equal(await call(authorizer, servers.url), 200);
      lag = 2;
      assert.equal(await call(second.authorizer, servers.url), 200);
      assert.equal(servers.grants('refresh_token').length, 1);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('invalid_grant clears the tokens; the next background use needs a sign-in and asks no question', async () => {
    const { authorizer, browser, store, pass } = await signedIn();
    servers.refreshTokens.clear();
    pass(4000);
    await assert.rejects(call(authorizer, servers.url), (error: unknown) => problemOf(error) === 'sign-in-needed');
    await assert.rejects(call(authorizer, servers.url), (error: unknown) => problemOf(error) === 'sign-in-needed');
    assert.deepEqual(
      [browser.shown.length, servers.grants('refresh_token').length, await store.accounts(), authorizer.state.kind],
      [1, 1, [], 'signInNeeded'],
    );
    assert.equal(await callAsUser(authorizer, servers.url), 200);
    assert.equal(authorizer.state.kind, 'signedIn');
  });

  test('an issuer that is down or sends invalid answers does not remove the tokens', async () => {
    const { authorizer, store, pass } = await signedIn();
    pass(4000);
    for (const answer of [
      { status: 503, text: 'busy' },
      { status: 200, text: '<html>' },
      { status: 400, text: '{"error":"temporarily_unavailable"}' },
    ]) {
      servers.behaviour.intercept = (entry, response) =>
        entry.path === '/token' && !!response.writeHead(answer.status).end(answer.text);
      pass(6);
      await assert.rejects(
        Promise.resolve(authorizer.headers({ method: 'POST', url: servers.url })),
        (error: unknown) => problemOf(error) === 'token-refused',
      );
      assert.equal((await store.accounts()).length, 1);
    }
    servers.behaviour.intercept = undefined;
    pass(6);
    assert.equal(await call(authorizer, servers.url), 200);
  });

  test('an unreachable issuer is contacted once after each pause, not at each call', async () => {
    const { authorizer, pass } = await signedIn();
    pass(4000);
    servers.behaviour.intercept = (entry, response) => entry.path === '/token' && !!response.writeHead(500).end();
    for (let pauses = 1; pauses <= 3; pauses++) {
      for (let i = 0; i < 5; i++)
        await assert.rejects(Promise.resolve(authorizer.headers({ method: 'POST', url: servers.url })));
      assert.equal(servers.grants('refresh_token').length, pauses);
      pass(6);
    }
  });

  test('a refresh token that is not rotated is kept', async () => {
    const { authorizer, store, pass } = await signedIn({ rotates: false });
    for (let i = 0; i < 3; i++) {
      pass(4000);
      assert.equal(await call(authorizer, servers.url), 200);
    }
    const record = await store.read(authorizer.server);
    assert.ok(servers.refreshTokens.has(currentAccount(record)?.tokens.refreshToken ?? ''));
  });

  test('without a refresh token an expired token is still sent, and the server decides', async () => {
    const { authorizer, browser, pass } = await signedIn({ givesRefreshTokens: false });
    pass(4000);
    await assert.rejects(call(authorizer, servers.url), (error: unknown) => problemOf(error) === 'sign-in-needed');
    assert.equal(browser.shown.length, 1);
    assert.equal(await callAsUser(authorizer, servers.url), 200);
    assert.equal(browser.shown.length, 2);
  });

  test('tokens of an issuer whose clock is an hour off are valid for the stated lifetime', async () => {
    for (const clockAheadMs of [3_600_000, -3_600_000]) {
      const { authorizer, pass } = await signedIn({ clockAheadMs });
      pass(3000);
      servers.journal.length = 0;
      assert.equal(await call(authorizer, servers.url), 200);
      assert.equal(servers.grants('refresh_token').length, 0);
      pass(600);
      assert.equal(await call(authorizer, servers.url), 200);
      assert.equal(servers.grants('refresh_token').length, 1);
      await servers.stop();
    }
    servers = await AuthServer.start();
  });

  test('a client that the issuer no longer knows is removed, so that the next sign-in registers again', async () => {
    const { authorizer, store, pass } = await signedIn();
    servers.clients.clear();
    pass(4000);
    await assert.rejects(call(authorizer, servers.url), (error: unknown) => problemOf(error) === 'sign-in-needed');
    assert.deepEqual(await store.registrations(), []);
    assert.equal(await callAsUser(authorizer, servers.url), 200);
    assert.equal(servers.requests('/register').length, 2);
  });

  test('canceling does not lose an answer in transit: the rotated token is stored', async () => {
    const { authorizer, store, pass } = await signedIn();
    const before = currentAccount(await store.read(authorizer.server))?.tokens.refreshToken;
    pass(4000);
    let arrived = () => undefined as void;
    const asked = new Promise<void>((resolve) => (arrived = resolve));
    let release = () => undefined as void;
    servers.behaviour.intercept = (entry, response) => {
      if (entry.path !== '/token') return false;
      servers.behaviour.intercept = undefined;
      release = () =>
        json(response, { access_token: 'new', token_type: 'Bearer', refresh_token: 'rotated', expires_in: 60 });
      arrived();
      return true;
    };
    const headers = Promise.resolve(authorizer.headers({ method: 'POST', url: servers.url }));
    await asked;
    authorizer.cancelSignIn();
    release();
    assert.deepEqual(await headers, { authorization: 'Bearer new' });
    assert.notEqual(currentAccount(await store.read(authorizer.server))?.tokens.refreshToken, before);
  });
});

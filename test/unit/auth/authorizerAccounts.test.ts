import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { currentAccount } from '../../../src/core/auth/serverRecord.js';
import type { TestWindow } from '../../support/authClient.js';
import { call, callAsUser } from '../../support/authClient.js';
import { json } from '../../support/authServer.js';
import { steppedTime } from '../../support/steppedTime.js';
import { is, open, servers, start, startServers } from './authorizerWindows.js';

suite('accounts', () => {
  test('several accounts at one server are kept apart: each window uses its own', async () => {
    const { authorizer, secrets, store } = await start();
    await authorizer.signIn();
    const work = open({ account: 'work' }, secrets);
    await assert.rejects(call(work.authorizer, servers.url), is('sign-in-needed'));
    await work.authorizer.signIn();
    assert.deepEqual((await store.accounts()).map(({ account }) => account).sort(), ['default', 'work']);
    const header = async (window: TestWindow) =>
      (await window.authorizer.headers({ method: 'POST', url: servers.url }))['authorization'];
    assert.notEqual(
      await header(open({ account: 'default' }, secrets)),
      await header(open({ account: 'work' }, secrets)),
    );
  });

  test('signing in as another account than the one in use does not change the account in use', async () => {
    const { authorizer } = await start({}, { account: 'work' });
    await authorizer.signIn();
    const before = await authorizer.headers({ method: 'POST', url: servers.url });
    const { account } = await authorizer.signIn({ account: 'home' });
    assert.equal(account, 'home');
    assert.deepEqual(await authorizer.headers({ method: 'POST', url: servers.url }), before);
  });

  test('an additional account becomes the account in use', async () => {
    const { authorizer } = await start();
    await authorizer.signIn();
    const { account, isSelected } = await authorizer.signIn({ account: 'second' });
    assert.deepEqual([account, isSelected], ['second', true]);
  });

  test('[S4] signing out revokes the tokens at the issuer and removes them here, even if the issuer is unreachable', async () => {
    const { authorizer, store } = await start();
    await callAsUser(authorizer, servers.url);
    await authorizer.signOut();
    assert.deepEqual(
      [await store.accounts(), servers.refreshTokens.size, servers.accessTokens.size, authorizer.state.kind],
      [[], 0, 0, 'signInNeeded'],
    );
    assert.deepEqual(await authorizer.headers({ method: 'POST', url: servers.url }), {});
    await callAsUser(authorizer, servers.url);
    servers.behaviour.intercept = (entry, response) => entry.path === '/revoke' && !!response.destroy();
    await authorizer.signOut();
    assert.deepEqual(await store.accounts(), []);
  });

  test('[S4] signing out revokes the tokens at the issuer even if the server is removed in the meantime', async () => {
    const { authorizer, store } = await start();
    await callAsUser(authorizer, servers.url);
    const signedOut = authorizer.signOut();
    authorizer.dispose();
    await signedOut;
    assert.deepEqual([await store.accounts(), servers.refreshTokens.size, servers.accessTokens.size], [[], 0, 0]);
  });

  test('forgetting an account in the store takes effect at once', async () => {
    const { authorizer, store } = await start();
    await callAsUser(authorizer, servers.url);
    await store.forgetAccounts(authorizer.server);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(await authorizer.headers({ method: 'POST', url: servers.url }), {});
  });

  test('the name of an account comes from the ID token, unverified', async () => {
    const idToken = `x.${Buffer.from(JSON.stringify({ sub: '1', email: 'me@work.example' })).toString('base64url')}.y`;
    const { authorizer } = await start({
      intercept: (entry, response) =>
        entry.path === '/token' &&
        (json(response, { access_token: 'a', token_type: 'bearer', id_token: idToken }), true),
    });
    assert.equal((await authorizer.signIn()).label, 'me@work.example');
  });
});

suite('DPoP', () => {
  for (const [name, dpop] of [
    ['without nonces', {}],
    ['with nonces at issuer and server', { issuerNonce: 'n1', serverNonce: 'n2' }],
  ] as const) {
    test(`${name}: bound tokens, a fresh proof per request, refresh with the same key`, async () => {
      const { now, pass } = steppedTime();
      const { authorizer, secrets } = await start({ dpop }, { now });
      servers.time = now;
      assert.equal(await callAsUser(authorizer, servers.url), 200);
      assert.equal(await call(authorizer, servers.url), 200);
      assert.equal(await call(authorizer, servers.url, 'GET'), 200);
      pass(4000);
      assert.equal(await call(authorizer, servers.url), 200);
      const later = open({ now }, secrets);
      assert.equal(await call(later.authorizer, servers.url), 200);
      assert.equal(
        servers.grants('refresh_token').filter(({ headers }) => headers['dpop'] !== undefined).length,
        servers.grants('refresh_token').length,
      );
    });
  }

  test('a changed nonce needs one more request', async () => {
    const { authorizer } = await start({ dpop: { serverNonce: 'first' } });
    await callAsUser(authorizer, servers.url);
    servers.behaviour.dpop = { serverNonce: 'second' };
    servers.journal.length = 0;
    assert.equal(await call(authorizer, servers.url), 200);
    assert.equal(servers.requests('/mcp').length, 2);
  });

  test('works with servers whose clocks are two hours ahead or behind', async () => {
    for (const clockAheadMs of [7_200_000, -7_200_000]) {
      const { authorizer } = await start({ dpop: {}, clockAheadMs });
      assert.equal(await callAsUser(authorizer, servers.url), 200);
      await servers.stop();
    }
    await startServers();
  });

  test('is not used for a server that takes bearer tokens, even if its issuer supports DPoP', async () => {
    const { authorizer } = await start({
      issuerMetadata: (document) => ({ ...document, dpop_signing_alg_values_supported: ['ES256'] }),
    });
    assert.equal(await callAsUser(authorizer, servers.url), 200);
    assert.equal(
      servers.journal.some(({ headers }) => headers['dpop'] !== undefined),
      false,
    );
  });
});

suite('the trace', () => {
  test('shows each step, with the secrets masked', async () => {
    const { authorizer, store, steps: newest } = await start();
    const live: string[] = [];
    authorizer.onDidBeginTrace((trace) => trace.onDidAdd(({ kind }) => live.push(kind)));
    await callAsUser(authorizer, servers.url);
    const steps = newest();
    assert.deepEqual(
      steps.map(({ kind }) => kind),
      ['challenge', 'resource-metadata', 'issuer-metadata', 'registration', 'authorization', 'answer', 'token', 'done'],
    );
    assert.deepEqual(
      live,
      steps.map(({ kind }) => kind),
    );
    const { tokens } = currentAccount(await store.read(authorizer.server)) ?? {};
    const text = JSON.stringify(steps);
    const form = servers.grants('authorization_code')[0]?.form ?? {};
    for (const secret of [
      tokens?.accessToken,
      tokens?.refreshToken,
      form['code'],
      form['code_verifier'],
      servers.requests('/authorize')[0]?.query['state'],
    ])
      assert.ok(secret && !text.includes(secret));
    assert.ok(text.includes(servers.issuer) && text.includes('files:read'));
  });
});

import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { AuthProblem } from '../../../src/core/base/hostErrorData.js';
import { problemOf, isAuthError } from '../../../src/core/auth/authProblem.js';
import { currentAccount } from '../../../src/core/auth/serverRecord.js';
import { systemClock } from '../../../src/core/base/clock.js';
import type { HostError } from '../../../src/core/base/hostError.js';
import { call, callAsUser } from '../../support/authClient.js';
import type { Behaviour } from '../../support/authServer.js';
import { AuthServer, json } from '../../support/authServer.js';
import { is, open, servers, start } from './authorizerWindows.js';

const without = (document: Record<string, unknown>, name: string) => ({ ...document, [name]: undefined });

suite('a sign-in that must not succeed', () => {
  const table: [name: string, behaviour: Partial<Behaviour>, problem: AuthProblem, isOpened: boolean][] = [
    [
      '[A1, A2] a javascript: authorization endpoint',
      {
        issuerMetadata: (document) => ({
          ...document,
          authorization_endpoint: 'javascript:alert(document.domain)//https://ok.example/authorize',
        }),
      },
      'unsafe-url',
      false,
    ],
    [
      '[A1] an authorization endpoint without https',
      { issuerMetadata: (document) => ({ ...document, authorization_endpoint: 'http://login.example/authorize' }) },
      'unsafe-url',
      false,
    ],
    [
      '[A1] credentials in the authorization endpoint',
      {
        issuerMetadata: (document) => ({
          ...document,
          authorization_endpoint: 'https://google.com@evil.example/authorize',
        }),
      },
      'unsafe-url',
      false,
    ],
    [
      '[A1] no authorization endpoint',
      { issuerMetadata: (document) => without(document, 'authorization_endpoint') },
      'unsafe-url',
      false,
    ],
    [
      '[A4] a token endpoint in a private network',
      { issuerMetadata: (document) => ({ ...document, token_endpoint: 'https://10.0.0.1/token' }) },
      'unsafe-url',
      false,
    ],
    [
      '[A4] a registration endpoint at the cloud metadata service',
      { issuerMetadata: (document) => ({ ...document, registration_endpoint: 'http://169.254.169.254/latest' }) },
      'unsafe-url',
      false,
    ],
    [
      '[A5] another resource',
      { resourceMetadata: (document) => ({ ...document, resource: 'https://api.bank.example/mcp' }) },
      'resource-mismatch',
      false,
    ],
    [
      '[A6] a different issuer in the metadata',
      { issuerMetadata: (document) => ({ ...document, issuer: 'https://login.honest.example' }) },
      'issuer-mismatch',
      false,
    ],
    [
      '[A7] no PKCE',
      { issuerMetadata: (document) => without(document, 'code_challenge_methods_supported') },
      'no-pkce',
      false,
    ],
    [
      '[A9] an answer from another issuer',
      { redirect: (params) => ({ ...params, iss: 'https://evil.example' }) },
      'answer-refused',
      true,
    ],
    [
      '[A9] an answer without the promised issuer',
      { redirect: ({ code = '', state = '' }) => ({ code, state }) },
      'answer-refused',
      true,
    ],
    [
      '[A14] a registration that is refused',
      {
        intercept: (entry, response) =>
          entry.path === '/register' && (json(response, { error: 'invalid_redirect_uri' }, 400), true),
      },
      'registration-refused',
      false,
    ],
    [
      '[A3] a token answer that is HTML',
      { intercept: (entry, response) => entry.path === '/token' && !!response.writeHead(200).end('<html>') },
      'token-refused',
      true,
    ],
    [
      'a token that is invalid in a header',
      {
        intercept: (entry, response) =>
          entry.path === '/token' && (json(response, { access_token: 'a\r\nx: y', token_type: 'Bearer' }), true),
      },
      'token-refused',
      true,
    ],
    [
      'an unknown token type',
      {
        intercept: (entry, response) =>
          entry.path === '/token' && (json(response, { access_token: 'a', token_type: 'mac' }), true),
      },
      'token-refused',
      true,
    ],
    [
      'an error with status 200',
      {
        intercept: (entry, response) =>
          entry.path === '/token' &&
          (json(response, { error: 'bad_verification_code', error_description: 'no' }), true),
      },
      'token-refused',
      true,
    ],
    [
      'a redirect instead of a token',
      {
        intercept: (entry, response) =>
          entry.path === '/token' && !!response.writeHead(307, { location: 'http://127.0.0.1:1/trap' }).end(),
      },
      'token-refused',
      true,
    ],
  ];
  for (const [name, behaviour, problem, isOpened] of table) {
    test(name, async () => {
      const { authorizer, browser, store, steps } = await start(behaviour);
      await assert.rejects(
        callAsUser(authorizer, servers.url),
        (error: unknown) => is(problem)(error) && (error as HostError).code === 'auth-failed',
      );
      assert.deepEqual(
        [browser.shown.length > 0, await store.accounts(), authorizer.state.kind],
        [isOpened, [], 'signInNeeded'],
      );
      if (problem === 'answer-refused') assert.equal(servers.requests('/token').length, 0);
      const last = steps().at(-1);
      assert.equal(last?.kind, 'stopped');
    });
  }

  test('keeps the earlier sign-in', async () => {
    const { authorizer, store } = await start();
    await callAsUser(authorizer, servers.url);
    const before = await store.read(authorizer.server);
    servers.behaviour.redirect = (params) => ({ ...params, iss: 'https://evil.example' });
    await assert.rejects(authorizer.signIn(), is('answer-refused'));
    assert.deepEqual(await store.read(authorizer.server), before);
    assert.deepEqual([await call(authorizer, servers.url), authorizer.state.kind], [200, 'signedIn']);
  });

  test('a secret storage that does not keep tokens fails the sign-in, and the old ones stay', async () => {
    const { authorizer, secrets } = await start();
    await callAsUser(authorizer, servers.url);
    secrets.failures = 1;
    await assert.rejects(authorizer.signIn(), /keychain/);
    assert.equal(await call(authorizer, servers.url), 200);
  });
});

suite('registration', () => {
  test('is kept and reused on the same port, even after the tokens are removed', async () => {
    const { authorizer, store } = await start();
    await callAsUser(authorizer, servers.url);
    await store.forgetAccounts(authorizer.server);
    assert.equal(await callAsUser(authorizer, servers.url), 200);
    assert.equal(servers.requests('/register').length, 1);
  });

  test('a stale registration is discarded and repeated once when the token endpoint does not know it', async () => {
    const { authorizer, store } = await start({ isStrictAboutRedirects: false });
    await callAsUser(authorizer, servers.url);
    await store.forgetAccounts(authorizer.server);
    const known = new Map(servers.clients);
    servers.behaviour.intercept = (entry, response) => {
      if (entry.path !== '/token' || !known.has(entry.form['client_id'] ?? '')) return false;
      json(response, { error: 'invalid_client' }, 401);
      return true;
    };
    assert.equal(await callAsUser(authorizer, servers.url), 200);
    assert.equal(servers.requests('/register').length, 2);
    assert.deepEqual(
      (await store.registrations()).map(({ clientId }) => clientId),
      ['client-2'],
    );
  });

  test('is repeated only once: an issuer that never knows its clients is an error', async () => {
    const { authorizer, store, browser } = await start();
    await callAsUser(authorizer, servers.url);
    await store.forgetAccounts(authorizer.server);
    servers.behaviour.intercept = (entry, response) =>
      entry.path === '/token' && (json(response, { error: 'invalid_client' }, 401), true);
    await assert.rejects(callAsUser(authorizer, servers.url), is('token-refused'));
    assert.deepEqual([servers.requests('/register').length, browser.shown.length], [2, 3]);
  });

  test('a stale registration is also discarded when the browser never returned', async () => {
    let fire = () => undefined as void;
    const clock = {
      now: () => 0,
      after: (ms: number, callback: () => void) =>
        ms === 300_000 ? ((fire = callback), { dispose: () => undefined }) : systemClock.after(ms, callback),
    };
    const { authorizer, browser, store } = await start({}, { clock });
    await callAsUser(authorizer, servers.url);
    await store.forgetAccounts(authorizer.server);
    servers.clients.clear();
    const rejected = assert.rejects(authorizer.signIn(), is('no-answer'));
    while (browser.shown.length < 2) await new Promise((resolve) => setImmediate(resolve));
    fire();
    await rejected;
    assert.equal((await authorizer.signIn()).issuer, servers.issuer);
    assert.equal(servers.requests('/register').length, 2);
  });

  test('a metadata document that the issuer refuses is replaced by a registration', async () => {
    const { authorizer } = await start(
      {
        issuerMetadata: (document) => ({ ...document, client_id_metadata_document_supported: true }),
        intercept: (entry, response) =>
          entry.path === '/token' &&
          entry.form['client_id']?.startsWith('https://') === true &&
          (json(response, { error: 'invalid_client' }, 401), true),
      },
      { metadataDocumentUrl: 'https://deck.example/client.json' },
    );
    assert.equal(await callAsUser(authorizer, servers.url), 200);
    assert.deepEqual(
      servers.requests('/authorize').map(({ query }) => query['client_id']),
      ['https://deck.example/client.json', 'client-1'],
    );
  });

  test('[A14] without registration the user is asked for a client id, which is kept for this issuer', async () => {
    const asked: string[] = [];
    const { authorizer, store } = await start(
      { issuerMetadata: (document) => without(document, 'registration_endpoint'), isStrictAboutRedirects: false },
      {
        askClient: ({ issuer, reason }) => {
          asked.push(`${issuer} ${String(problemOf(reason))}`);
          return Promise.resolve({ clientId: 'mine', clientSecret: 'hush' });
        },
      },
    );
    servers.clients.set('mine', { secret: 'hush', redirectUris: [] });
    assert.equal(await callAsUser(authorizer, servers.url), 200);
    await store.forgetAccounts(authorizer.server);
    assert.equal(await callAsUser(authorizer, servers.url), 200);
    assert.deepEqual(asked, [`${servers.issuer} client-id-needed`]);
  });

  test('[A14] without a user to ask, the error names the issuer and the command', async () => {
    const { authorizer } = await start({ issuerMetadata: (document) => without(document, 'registration_endpoint') });
    await assert.rejects(
      callAsUser(authorizer, servers.url),
      (error: unknown) =>
        is('client-id-needed')(error) &&
        isAuthError(error) &&
        error.data.issuer === servers.issuer &&
        /Set OAuth Client ID/.test(error.hint ?? ''),
    );
  });

  test('a configured client is used with its secret, and from then on only with this issuer', async () => {
    const { authorizer, secrets } = await start(
      { isStrictAboutRedirects: false },
      { client: { clientId: 'mine', clientSecret: 'hush' } },
    );
    servers.clients.set('mine', { secret: 'hush', redirectUris: [] });
    assert.equal(await callAsUser(authorizer, servers.url), 200);
    assert.match(servers.grants('authorization_code')[0]?.headers.authorization ?? '', /^Basic /);
    const second = await AuthServer.start();
    try {
      servers.behaviour.resourceMetadata = (document) => ({ ...document, authorization_servers: [second.issuer] });
      servers.behaviour.accepts = () => false;
      const later = open({ client: { clientId: 'mine', clientSecret: 'hush' } }, secrets);
      await assert.rejects(
        callAsUser(later.authorizer, servers.url),
        is('client-moved', /now uses the authorization server .* but the client ID belongs to/),
      );
      assert.deepEqual(
        second.journal.filter(({ path }) => path === '/authorize' || path === '/token'),
        [],
      );
    } finally {
      await second.stop();
    }
  });
});

test('[A10] a server that moves to another issuer: no data of the first one goes to the second', async () => {
  const { authorizer, browser, store } = await start();
  await callAsUser(authorizer, servers.url);
  const first = currentAccount(await store.read(authorizer.server))?.tokens;
  const second = await AuthServer.start();
  try {
    servers.behaviour.resourceMetadata = (document) => ({ ...document, authorization_servers: [second.issuer] });
    servers.behaviour.accepts = (token) => token !== first?.accessToken;
    const merged = second.accessTokens;
    servers.behaviour.intercept = (entry, response) =>
      entry.path === '/mcp' && merged.has(entry.headers.authorization?.slice(7) ?? '') && (json(response, {}), true);
    // The second issuer assigns the same client ids; the test checks that they are registered there.
    await assert.rejects(call(authorizer, servers.url), is('sign-in-needed'));
    assert.equal(second.requests('/token').length, 0);
    assert.equal(await callAsUser(authorizer, servers.url), 200);
    assert.deepEqual([second.requests('/register').length, browser.shown.length], [1, 2]);
    const seen = JSON.stringify(second.journal);
    assert.ok(!seen.includes(first?.accessToken ?? '') && !seen.includes(first?.refreshToken ?? ''));
    assert.deepEqual(
      (await store.accounts()).map(({ issuer }) => issuer),
      [second.issuer],
    );
  } finally {
    await second.stop();
  }
});

import assert from 'node:assert/strict';
import { afterEach, suite, test } from 'node:test';
import { LocalLock } from '../../../src/core/auth/authLock.js';
import type { AuthProblem } from '../../../src/core/base/hostErrorData.js';
import { problemOf, isAuthError } from '../../../src/core/auth/authProblem.js';
import type { OAuthAuthorizerOptions } from '../../../src/core/auth/oauthAuthorizer.js';
import { currentAccount } from '../../../src/core/auth/tokenStore.js';
import { systemClock } from '../../../src/core/base/clock.js';
import type { HostErrorWith } from '../../../src/core/base/hostError.js';
import { HostError } from '../../../src/core/base/hostError.js';
import type { TestWindow } from '../../support/authClient.js';
import { call, callAsUser, openWindow } from '../../support/authClient.js';
import type { Behaviour } from '../../support/authServer.js';
import { AuthServer, json } from '../../support/authServer.js';
import { MemorySecrets } from '../../support/memorySecrets.js';
import { steppedTime } from '../../support/steppedTime.js';

const is = (problem: AuthProblem, message?: RegExp) => (error: unknown) => {
  assert.equal(problemOf(error), problem, String(error));
  if (message) assert.match((error as Error).message, message);
  return true;
};
const without = (document: Record<string, unknown>, name: string) => ({ ...document, [name]: undefined });
const isCancelled = (error: unknown) => error instanceof HostError && error.code === 'cancelled';

suite('the authorizer of a server', () => {
  let servers: AuthServer;
  let windows: TestWindow[] = [];
  afterEach(async () => {
    for (const { authorizer } of windows) authorizer.dispose();
    windows = [];
    await servers.stop();
  });

  function open(
    options: Partial<OAuthAuthorizerOptions> = {},
    secrets = new MemorySecrets(),
    lock = new LocalLock(),
  ): TestWindow {
    const window = openWindow({ serverUrl: servers.url, ...options }, secrets, lock);
    windows.push(window);
    return window;
  }

  async function start(
    behaviour: Partial<Behaviour> = {},
    options: Partial<OAuthAuthorizerOptions> = {},
  ): Promise<TestWindow> {
    servers = await AuthServer.start(behaviour);
    return open(options);
  }

  suite('sign-in', () => {
    test('[A8, A10] one user action leads through registration, browser and token request to the response', async () => {
      const { authorizer, browser } = await start();
      assert.equal(await callAsUser(authorizer, servers.url), 200);
      const [shown] = browser.shown;
      const query = servers.requests('/authorize')[0]?.query ?? {};
      assert.deepEqual(
        [shown?.serverName, shown?.host, shown?.issuer, shown?.scopes, shown?.isStepUp],
        ['github', new URL(servers.issuer).host, servers.issuer, ['files:read'], false],
      );
      assert.deepEqual(
        [query['resource'], query['scope'], query['code_challenge_method'], query['response_type']],
        [servers.url, 'files:read', 'S256', 'code'],
      );
      const token = servers.grants('authorization_code')[0]?.form ?? {};
      assert.deepEqual([token['resource'], token['redirect_uri']], [servers.url, query['redirect_uri']]);
      const registration = JSON.parse(servers.requests('/register')[0]?.body ?? '{}') as Record<string, unknown>;
      assert.deepEqual(
        [registration['application_type'], registration['redirect_uris'], registration['grant_types']],
        ['native', [query['redirect_uri']], ['authorization_code', 'refresh_token']],
      );
      assert.equal(authorizer.state.kind, 'signedIn');
    });

    test('afterwards headers are available at once, and only for this server', async () => {
      const { authorizer } = await start();
      await callAsUser(authorizer, servers.url);
      const headers = authorizer.headers({ method: 'POST', url: servers.url });
      assert.ok(!(headers instanceof Promise));
      assert.match(headers['authorization'] ?? '', /^Bearer access-/);
      assert.deepEqual(authorizer.headers({ method: 'POST', url: `${servers.origin}/other/path` }), headers);
      assert.deepEqual(authorizer.headers({ method: 'POST', url: servers.url.replace('http', 'ws') }), headers);
      for (const url of ['https://evil.example/mcp', servers.issuer, `${servers.origin}.evil.example/mcp`, 'nonsense'])
        assert.deepEqual(authorizer.headers({ method: 'POST', url }), {});
    });

    test('[A11] without a user action no browser is opened, no server contacted, and the error says what to do', async () => {
      const { authorizer, browser } = await start();
      for (let i = 0; i < 3; i++)
        await assert.rejects(
          call(authorizer, servers.url),
          (error: unknown) =>
            is('sign-in-needed', /^github requires you to sign in\.$/)(error) &&
            (error as HostError).code === 'auth-required' &&
            (error as HostError).hint !== undefined,
        );
      assert.deepEqual(
        [browser.shown.length, servers.journal.filter(({ path }) => path !== '/mcp').length, authorizer.state.kind],
        [0, 0, 'signInNeeded'],
      );
    });

    test('an explicit sign-in uses the challenge of the last refusal', async () => {
      const { authorizer, browser } = await start({ wantedScopes: ['a', 'b'] });
      await assert.rejects(call(authorizer, servers.url));
      const account = await authorizer.signIn();
      assert.deepEqual([account.scopes, account.issuer, browser.shown.length], [['a', 'b'], servers.issuer, 1]);
      assert.equal(await call(authorizer, servers.url), 200);
    });

    test('two clicks share one sign-in', async () => {
      const { authorizer, browser } = await start();
      await assert.rejects(call(authorizer, servers.url));
      const [one, two] = await Promise.all([authorizer.signIn(), authorizer.signIn()]);
      assert.equal(one, two);
      assert.equal(browser.shown.length, 1);
    });

    test('a click joins the sign-in that a call has started', async () => {
      const { authorizer, browser } = await start();
      let clicked: Promise<unknown> | undefined;
      authorizer.onDidChangeState(({ kind }) => {
        if (kind === 'signingIn') queueMicrotask(() => void (clicked = authorizer.signIn()));
      });
      assert.equal(await callAsUser(authorizer, servers.url), 200);
      await clicked;
      assert.ok(clicked);
      assert.equal(browser.shown.length, 1);
    });

    test('a new sign-in after a refusal also requests the earlier scopes', async () => {
      const { authorizer, browser } = await start({ wantedScopes: ['a'], givesRefreshTokens: false });
      await callAsUser(authorizer, servers.url);
      servers.forgetAccessTokens();
      servers.behaviour.wantedScopes = ['b'];
      assert.equal(await callAsUser(authorizer, servers.url), 200);
      assert.deepEqual(browser.shown[1]?.scopes, ['a', 'b']);
    });

    test('many calls of one action share one sign-in', async () => {
      const { authorizer, browser } = await start();
      const statuses = await Promise.all(Array.from({ length: 20 }, () => callAsUser(authorizer, servers.url)));
      assert.deepEqual(new Set(statuses), new Set([200]));
      assert.equal(browser.shown.length, 1);
    });

    test('[A2] a user who refuses is not asked again by the same action, and no error is shown', async () => {
      const { authorizer, browser } = await start();
      browser.next = 'decline';
      const isDeclined = (error: unknown) =>
        is('sign-in-needed')(error) && (error as HostErrorWith<'auth-required'>).data.declined === true;
      await assert.rejects(callAsUser(authorizer, servers.url), isDeclined);
      assert.deepEqual([browser.shown.length, authorizer.state.kind], [1, 'signInNeeded']);
      assert.equal(servers.requests('/authorize').length, 0);
    });

    test('[A8] the wait for a browser ends after five minutes, and the listener is closed', async () => {
      let fire = () => undefined as void;
      const clock = {
        now: () => 0,
        after: (ms: number, callback: () => void) =>
          ms === 300_000 ? ((fire = callback), { dispose: () => undefined }) : systemClock.after(ms, callback),
      };
      const { authorizer, browser } = await start({}, { clock });
      browser.next = 'ignore';
      const rejected = assert.rejects(authorizer.signIn(), is('no-answer', /within 5 minutes/));
      while (browser.shown.length === 0) await new Promise((resolve) => setImmediate(resolve));
      const redirectUri = new URL(browser.shown[0]?.url ?? '').searchParams.get('redirect_uri') ?? '';
      fire();
      await rejected;
      await assert.rejects(fetch(redirectUri));
    });

    test('a sign-in can be canceled while the browser is open, and by closing the window', async () => {
      const { authorizer, browser } = await start();
      browser.next = 'ignore';
      for (const end of [() => authorizer.cancelSignIn(), () => authorizer.dispose()]) {
        const opened = browser.shown.length;
        const rejected = assert.rejects(authorizer.signIn(), isCancelled);
        while (browser.shown.length === opened) await new Promise((resolve) => setImmediate(resolve));
        end();
        await rejected;
      }
    });

    test('the sign-in survives the window: another one starts with the stored tokens', async () => {
      const { authorizer, secrets } = await start();
      await callAsUser(authorizer, servers.url);
      const next = open({}, secrets);
      assert.equal(await call(next.authorizer, servers.url), 200);
      assert.deepEqual([next.browser.shown.length, next.authorizer.state.kind], [0, 'signedIn']);
    });

    test('a sign-in in one window is detected by the other at its next refusal', async () => {
      const { authorizer, secrets } = await start();
      const other = open({}, secrets);
      await assert.rejects(call(other.authorizer, servers.url));
      await callAsUser(authorizer, servers.url);
      assert.equal(await call(other.authorizer, servers.url), 200);
    });
  });

  suite('[A11] limits', () => {
    test('a server that refuses every token gets one sign-in per user action, and no refresh of a fresh token', async () => {
      const { authorizer, browser } = await start({ accepts: () => false });
      await assert.rejects(
        callAsUser(authorizer, servers.url),
        is('token-not-accepted', /github refuses the token that http:\/\/127/),
      );
      assert.deepEqual(
        [browser.shown.length, servers.grants('refresh_token').length, authorizer.state.kind],
        [1, 0, 'signInNeeded'],
      );
      for (let i = 0; i < 5; i++) await assert.rejects(call(authorizer, servers.url), is('sign-in-needed'));
      assert.deepEqual([browser.shown.length, servers.grants('refresh_token').length], [1, 0]);
      await assert.rejects(callAsUser(authorizer, servers.url), is('token-not-accepted'));
      assert.equal(browser.shown.length, 2);
    });

    test('a server that starts to refuse leads to one refresh, then to a question', async () => {
      const { now, clock, pass } = steppedTime();
      const { authorizer, browser } = await start({}, { now, clock });
      await callAsUser(authorizer, servers.url);
      pass(120);
      servers.behaviour.accepts = () => false;
      for (let i = 0; i < 3; i++) await assert.rejects(call(authorizer, servers.url), is('sign-in-needed'));
      assert.deepEqual([browser.shown.length, servers.grants('refresh_token').length], [1, 1]);
    });

    test('[A3] a server that publishes nothing: one error, each location requested once, no loop', async () => {
      const { authorizer, browser } = await start({ resourceMetadata: () => undefined, challenge: () => undefined });
      await assert.rejects(callAsUser(authorizer, servers.url), is('no-metadata', /does not publish where to sign in/));
      const asked = servers.journal.filter(({ path }) => path !== '/mcp').map(({ path }) => path);
      assert.equal(new Set(asked).size, asked.length);
      assert.equal(browser.shown.length, 0);
    });

    test('a plain 403 is final', async () => {
      const { authorizer, browser } = await start({
        intercept: (entry, response) => entry.path === '/mcp' && !!response.writeHead(403).end(),
      });
      assert.equal(await callAsUser(authorizer, servers.url), 403);
      assert.equal(browser.shown.length, 0);
    });

    test('a 403 with a Bearer challenge before any sign-in counts as a 401', async () => {
      const { authorizer } = await start({
        intercept: (entry, response) =>
          entry.path === '/mcp' &&
          entry.headers.authorization === undefined &&
          !!response.writeHead(403, { 'www-authenticate': 'Bearer' }).end(),
      });
      assert.equal(await callAsUser(authorizer, servers.url), 200);
    });

    test('a challenge for another origin is ignored', async () => {
      const { authorizer } = await start();
      assert.equal(
        await authorizer.handleChallenge({
          status: 401,
          url: 'https://evil.example/mcp',
          method: 'POST',
          wwwAuthenticate: ['Bearer'],
          sentHeaders: {},
        }),
        false,
      );
    });
  });

  suite('[A12] step-up', () => {
    test('requests the union, and shows the additional scopes', async () => {
      const { authorizer, browser } = await start({ wantedScopes: ['files:read'] });
      await callAsUser(authorizer, servers.url);
      servers.behaviour.wantedScopes = ['files:write'];
      assert.equal(await callAsUser(authorizer, servers.url), 200);
      assert.deepEqual([browser.shown[1]?.scopes, browser.shown[1]?.isStepUp], [['files:read', 'files:write'], true]);
    });

    test('in the background the missing permissions are only reported; the sign-in stays', async () => {
      const { authorizer, browser } = await start();
      await callAsUser(authorizer, servers.url);
      servers.behaviour.wantedScopes = ['files:write'];
      await assert.rejects(
        call(authorizer, servers.url),
        (error: unknown) =>
          is('more-scopes-needed', /additional permissions for this: files:write\.$/)(error) &&
          (error as HostError).code === 'auth-required',
      );
      assert.deepEqual([browser.shown.length, authorizer.state.kind], [1, 'signedIn']);
      const { scopes } = await authorizer.signIn();
      assert.deepEqual(scopes, ['files:read', 'files:write']);
    });

    test('the client gives up on a server with ever more scopes after two', async () => {
      const { authorizer, browser } = await start({ wantedScopes: ['s0'] });
      servers.behaviour.intercept = (entry) => {
        if (entry.path === '/mcp') servers.behaviour.wantedScopes = [`s${servers.requests('/mcp').length}`];
        return false;
      };
      await assert.rejects(callAsUser(authorizer, servers.url), is('scope-not-granted'));
      assert.equal(browser.shown.length, 3);
    });

    test('a scope that was just requested and not granted is not requested again', async () => {
      const { authorizer, browser } = await start({
        intercept: (entry, response) =>
          entry.path === '/mcp' &&
          entry.headers.authorization !== undefined &&
          !!response
            .writeHead(403, { 'www-authenticate': 'Bearer error="insufficient_scope", scope="files:read"' })
            .end(),
      });
      await assert.rejects(
        callAsUser(authorizer, servers.url),
        is('scope-not-granted', /still requires additional permissions after you granted them: files:read\.$/),
      );
      assert.equal(browser.shown.length, 1);
    });

    test('a failed step-up leaves the old tokens', async () => {
      const { authorizer, browser, store } = await start();
      await callAsUser(authorizer, servers.url);
      const before = await store.read(authorizer.server);
      servers.behaviour.wantedScopes = ['files:write'];
      browser.next = 'decline';
      await assert.rejects(callAsUser(authorizer, servers.url), is('more-scopes-needed'));
      servers.behaviour.redirect = ({ state = '', iss = '' }) => ({ state, iss, error: 'access_denied' });
      browser.next = 'agree';
      await assert.rejects(callAsUser(authorizer, servers.url), is('sign-in-refused'));
      assert.deepEqual(await store.read(authorizer.server), before);
      servers.behaviour.wantedScopes = ['files:read'];
      assert.equal(await call(authorizer, servers.url), 200);
      assert.equal(authorizer.state.kind, 'signedIn');
    });
  });

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

    test('a stale one is discarded and repeated once when the token endpoint does not know it', async () => {
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

    test('a stale one is also discarded when the browser never returned', async () => {
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
          is('client-moved', /now signs in with .* but its client ID belongs to/),
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

  suite('accounts', () => {
    test('several at one server: each window uses its own one', async () => {
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
      servers = await AuthServer.start();
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
        [
          'challenge',
          'resource-metadata',
          'issuer-metadata',
          'registration',
          'authorization',
          'answer',
          'token',
          'done',
        ],
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

  test('states: open, sign-in needed, signing in, signed in; each change is announced once', async () => {
    const { authorizer } = await start();
    const states: string[] = [];
    authorizer.onDidChangeState(({ kind }) => states.push(kind));
    assert.equal(authorizer.state.kind, 'open');
    await callAsUser(authorizer, servers.url);
    await call(authorizer, servers.url);
    assert.deepEqual(
      states.filter((kind, i) => kind !== states[i - 1]),
      ['signInNeeded', 'signingIn', 'signedIn'],
    );
  });
});

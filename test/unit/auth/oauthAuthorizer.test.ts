import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { systemClock } from '../../../src/core/base/clock.js';
import type { HostErrorWith } from '../../../src/core/base/hostError.js';
import { HostError } from '../../../src/core/base/hostError.js';
import { call, callAsUser } from '../../support/authClient.js';
import { steppedTime } from '../../support/steppedTime.js';
import { is, open, servers, start } from './authorizerWindows.js';

const isCancelled = (error: unknown) => error instanceof HostError && error.code === 'cancelled';

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

  test('headers are available at once after a sign-in, and only for this server', async () => {
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

  test('[A3] for a server that publishes nothing, each location is requested once and one error is reported', async () => {
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
        is('more-scopes-needed', /additional permissions for this request: files:write\.$/)(error) &&
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

test('the states are open, sign-in needed, signing in and signed in, and each change is announced once', async () => {
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

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { FileLock } from '../../../src/core/auth/fileLock.js';
import type { HostError } from '../../../src/core/base/hostError.js';
import type { AuthServer } from '../../support/authServer.js';
import { MemorySecrets } from '../../support/memorySecrets.js';
import { methodOf, startProtectedServer } from '../../support/protectedMcp.js';
import type { SignInHostOptions } from '../../support/signInHost.js';
import { signInHost } from '../../support/signInHost.js';

type Window = ReturnType<typeof signInHost>;

describe('sign-in of a server', () => {
  let server: AuthServer;
  let windows: Window[] = [];

  beforeEach(async () => {
    server = await startProtectedServer();
  });
  afterEach(async () => {
    await Promise.all(windows.map(({ host }) => host.close()));
    windows = [];
    await server.stop();
  });

  async function openWindow(options: Partial<SignInHostOptions> & { entry?: object } = {}): Promise<Window> {
    const window = signInHost({ servers: { vault: { type: 'http', url: server.url, ...options.entry } }, ...options });
    windows.push(window);
    await window.host.open();
    return window;
  }

  /** Simulates that the issuer revoked every access token some time after issuing it. */
  function endTokens(): void {
    server.forgetAccessTokens();
    for (const { pass } of windows) pass(60_000);
  }

  async function failure(work: Promise<unknown>): Promise<HostError> {
    return work.then(
      () => assert.fail('it should have failed'),
      (error: unknown) => error as HostError,
    );
  }

  const whoami = { server: 'vault', tool: 'whoami' };

  test('[A11] an automatic start opens no browser and waits for the sign-in', async () => {
    const { host, browser, state, auth, logged } = await openWindow();
    const error = await failure(host.lifecycle.start('vault', { interactive: false }));
    assert.deepEqual(
      [error.code, error.message, error.hint],
      ['auth-required', 'vault requires you to sign in.', 'Select "Sign In…" for the server.'],
    );
    assert.deepEqual([state('vault'), auth('vault'), browser.shown.length], ['needsSignIn', 'signInNeeded', 0]);
    assert.ok(
      logged.includes('info The server "vault" requires you to sign in. Select "Sign In…" for the server.'),
      logged.join('\n'),
    );
    assert.deepEqual(
      server.journal.map(({ at }) => at),
      ['server'],
      'no metadata is requested before the user asks',
    );
  });

  test('a start by the user opens the browser once, and the server runs', async () => {
    const { host, browser, state, auth } = await openWindow();
    await host.lifecycle.start('vault');
    assert.deepEqual([state('vault'), auth('vault'), browser.shown.length], ['running', 'signedIn', 1]);
    const result = await host.calls.runTool(whoami, { caller: 'user' });
    assert.deepEqual(result.content, [{ type: 'text', text: 'whoami with files:read' }]);
  });

  test('[K7] a sign-in with several waiting calls is one entry of the audit log', async () => {
    const { host, noted, browser } = await openWindow();
    await host.signIns.accounts('vault');
    const accounts = await Promise.all([host.signIns.signIn('vault'), host.signIns.signIn('vault')]);
    assert.deepEqual([accounts[0], browser.shown.length], [accounts[1], 1]);
    assert.deepEqual(noted, [{ event: 'sign-in', server: 'vault', outcome: 'allowed', account: 'default' }]);
  });

  test('an approved, canceled or ended sign-in is in the audit log, without tokens', async () => {
    const agreed = await openWindow();
    await agreed.host.lifecycle.start('vault');
    const [account] = await agreed.host.signIns.accounts('vault');
    assert.ok(account);
    await agreed.host.signIns.signOut(account);
    assert.deepEqual(agreed.noted, [
      { event: 'sign-in', server: 'vault', outcome: 'allowed', account: 'default' },
      { event: 'sign-out', server: 'vault', account: 'default' },
    ]);
    const refusing = await openWindow({ openBrowser: () => Promise.resolve(false) });
    await failure(refusing.host.lifecycle.start('vault'));
    assert.deepEqual(refusing.noted, [{ event: 'sign-in', server: 'vault', outcome: 'refused' }]);
  });

  test('[K2] a locked keyring does not prevent a sign-in, which lasts for the window, and stored data is not overwritten', async () => {
    const secrets = new MemorySecrets();
    const first = await openWindow({ secrets });
    await first.host.lifecycle.start('vault');
    const before = new Map(secrets.values);
    secrets.get = () => Promise.reject(new Error('the keyring is locked'));
    secrets.set = () => Promise.reject(new Error('the keyring is locked'));
    const second = await openWindow({ secrets });
    await second.host.lifecycle.start('vault');
    assert.deepEqual([second.state('vault'), second.browser.shown.length], ['running', 1]);
    await second.host.lifecycle.stop('vault');
    await second.host.lifecycle.start('vault');
    assert.deepEqual([second.state('vault'), second.browser.shown.length], ['running', 1], 'not asked again');
    assert.deepEqual(secrets.values, before);
  });

  test('[K1] a start that waits for a keyring ends when the server is stopped or the window is closed', async () => {
    const secrets = new MemorySecrets();
    secrets.get = () => new Promise(() => undefined);
    for (const end of [
      (window: Window) => window.host.lifecycle.stop('vault'),
      (window: Window) => window.host.close(),
    ]) {
      const window = await openWindow({ secrets });
      const start = failure(window.host.lifecycle.start('vault'));
      await new Promise((resolve) => setImmediate(resolve));
      await end(window);
      assert.equal((await start).code, 'cancelled');
    }
  });

  test('[S2] [S3] every token that was sent, also one that was refreshed since, is masked', async () => {
    const { host } = await openWindow();
    await host.lifecycle.start('vault');
    endTokens();
    await host.calls.runTool(whoami, { caller: 'user' });
    const sent = new Set(
      server.journal.flatMap(({ at, headers }) =>
        at === 'server' ? (/^\S+ (.*)$/.exec(headers.authorization ?? '')?.[1] ?? []) : [],
      ),
    );
    assert.equal(sent.size, 2);
    const masked = host.servers.secretValues('vault');
    assert.deepEqual(
      [...sent].filter((token) => !masked.includes(token)),
      [],
    );
    assert.ok(masked.length > sent.size, 'the refresh token as well');
  });

  test('[A12] a call that needs more permissions requests them in addition to the earlier ones, and is repeated; without a user it fails with the reason', async () => {
    const { host, browser } = await openWindow();
    await host.lifecycle.start('vault');
    const error = await failure(host.calls.runTool({ server: 'vault', tool: 'write' }, { caller: 'user' }));
    assert.deepEqual(
      [error.code, error.message],
      ['auth-required', 'vault requires additional permissions for this request: files:write.'],
    );
    const result = await host.calls.runTool({ server: 'vault', tool: 'write' }, { caller: 'user', interactive: true });
    assert.deepEqual(result.content, [{ type: 'text', text: 'write with files:read files:write' }]);
    assert.deepEqual(
      browser.shown.map(({ scopes, isStepUp }) => [scopes.join(' '), isStepUp]),
      [
        ['files:read', false],
        ['files:read files:write', true],
      ],
    );
  });

  test('[A12] a server that keeps requiring granted scopes does not cause endless questions', async () => {
    const { host, browser } = await openWindow();
    await host.lifecycle.start('vault');
    server.behaviour.scopesFor = (entry) =>
      methodOf(entry) === 'tools/call' ? [`files:${server.journal.length}`] : [];
    const error = await failure(host.calls.runTool(whoami, { caller: 'user', interactive: true }));
    assert.equal(error.code, 'auth-failed');
    assert.ok(browser.shown.length <= 4, `${browser.shown.length} questions`);
  });

  test('[S4] removing a server revokes its tokens at the issuer and deletes its sign-in, unless another server has the same address', async () => {
    const { host, secrets, edit } = await openWindow({
      servers: { vault: { type: 'http', url: server.url }, twin: { url: server.url } },
    });
    await host.lifecycle.start('vault');
    assert.equal((await host.storedValues.of('vault')).signedInTo, undefined, 'the other still needs it');
    edit({ vault: { type: 'http', url: server.url } });
    while (host.servers.get('twin') !== undefined) await new Promise((resolve) => setImmediate(resolve));
    const stored = await host.storedValues.of('vault');
    assert.equal(stored.signedInTo, server.url);
    edit({});
    while (host.servers.get('vault') !== undefined) await new Promise((resolve) => setImmediate(resolve));
    await host.storedValues.forget(stored);
    assert.deepEqual([...secrets.values], [['mcpDeck.auth.servers', '[]']]);
    assert.ok(
      server.journal.some(({ path: asked }) => asked === '/revoke'),
      server.journal.map(({ path: asked }) => asked).join(' '),
    );
  });

  test('an expired token is refreshed without a question', async () => {
    const { host, browser } = await openWindow();
    await host.lifecycle.start('vault');
    endTokens();
    await host.calls.runTool(whoami, { caller: 'user' });
    assert.deepEqual([browser.shown.length, server.grants('refresh_token').length], [1, 1]);
  });

  test('[A11] a refresh that the issuer refuses leads to "needs sign-in" once, and the session is kept for afterwards', async () => {
    const { host, browser, auth, state } = await openWindow();
    await host.lifecycle.start('vault');
    endTokens();
    server.refreshTokens.clear();
    for (let call = 0; call < 3; call++)
      assert.equal((await failure(host.calls.runTool(whoami, { caller: 'user' }))).code, 'auth-required');
    assert.deepEqual(
      [auth('vault'), state('vault'), browser.shown.length, server.grants('refresh_token').length],
      ['signInNeeded', 'running', 1, 1],
    );
    const result = await host.calls.runTool(whoami, { caller: 'user', interactive: true });
    assert.deepEqual([result.isError, auth('vault'), browser.shown.length], [undefined, 'signedIn', 2]);
  });

  test('[A13] two windows that refresh at once send one request to the issuer', async () => {
    const secrets = new MemorySecrets();
    const folder = await mkdtemp(path.join(os.tmpdir(), 'locks-'));
    const one = await openWindow({ secrets, lock: new FileLock(folder, { pollMs: 5 }) });
    const two = await openWindow({ secrets, lock: new FileLock(folder, { pollMs: 5 }) });
    await one.host.lifecycle.start('vault');
    await two.host.lifecycle.start('vault', { interactive: false });
    endTokens();
    await Promise.all(
      [one, two].flatMap(({ host }) => [
        host.calls.runTool(whoami, { caller: 'user' }),
        host.calls.runTool(whoami, { caller: 'user' }),
      ]),
    );
    assert.deepEqual(
      [server.grants('refresh_token').length, one.browser.shown.length, two.browser.shown.length],
      [1, 1, 0],
    );
    await rm(folder, { recursive: true });
  });

  test('a sign-in in one window starts the server that waits for it in another', async () => {
    const secrets = new MemorySecrets();
    const one = await openWindow({ secrets });
    const two = await openWindow({ secrets });
    await failure(two.host.lifecycle.start('vault', { interactive: false }));
    assert.equal(two.state('vault'), 'needsSignIn');
    await one.host.lifecycle.start('vault');
    await until(() => two.state('vault') === 'running');
    assert.equal(two.browser.shown.length, 0);
  });

  test('the sign-in outlives the window', async () => {
    const secrets = new MemorySecrets();
    const first = await openWindow({ secrets });
    await first.host.lifecycle.start('vault');
    await first.host.close();
    const second = await openWindow({ secrets });
    await second.host.lifecycle.start('vault', { interactive: false });
    assert.deepEqual([second.state('vault'), second.browser.shown.length], ['running', 0]);
  });

  test('[A11] automatic starts of any kind open no browser', async () => {
    const window = await openWindow({ settings: { autoStart: 'always' } });
    await until(() => window.state('vault') === 'needsSignIn');
    assert.equal(window.browser.shown.length, 0);
  });

  test('clocks that differ by an hour have no effect', async () => {
    server.behaviour.clockAheadMs = 3_600_000;
    const { host, browser } = await openWindow();
    await host.lifecycle.start('vault');
    await host.calls.runTool(whoami, { caller: 'user' });
    assert.deepEqual([browser.shown.length, server.grants('refresh_token').length], [1, 0]);
  });

  test('refusing the question keeps the server waiting, and sends nothing to the issuer', async () => {
    const { host, browser, state } = await openWindow();
    browser.next = 'decline';
    const error = await failure(host.lifecycle.start('vault'));
    assert.deepEqual(
      [error.code, error.code === 'auth-required' && error.data.declined, state('vault')],
      ['auth-required', true, 'needsSignIn'],
    );
    assert.deepEqual(server.requests('/authorize').concat(server.requests('/token')), []);
  });

  test('a refusal at the issuer is reported with the issuer, and keeps the existing account', async () => {
    const { host, auth } = await openWindow();
    await host.lifecycle.start('vault');
    server.behaviour.redirect = ({ state = '' }) => ({ error: 'access_denied', state, iss: server.issuer });
    const error = await failure(host.signIns.signIn('vault', { account: 'work' }));
    assert.equal(error.code, 'auth-failed');
    assert.match(error.message, /^http:\/\/127\.0\.0\.1:\d+ refused the sign-in: access_denied/);
    assert.equal(auth('vault'), 'signedIn');
    await host.calls.runTool(whoami, { caller: 'user' });
    const steps = host.signIns.traces('vault').at(-1)?.steps ?? [];
    assert.deepEqual(steps.map(({ kind }) => kind).slice(-3), ['authorization', 'answer', 'stopped']);
  });

  test('a start that is stopped while the browser is open ends at once', async () => {
    const { host, browser, state } = await openWindow();
    browser.next = 'ignore';
    const start = failure(host.lifecycle.start('vault'));
    await until(() => browser.shown.length === 1);
    await host.lifecycle.stop('vault');
    assert.equal((await start).code, 'cancelled');
    assert.equal(state('vault'), 'stopped');
  });

  test('[S4] signing out revokes the tokens at the issuer and deletes them', async () => {
    const { host, secrets, auth } = await openWindow();
    await host.lifecycle.start('vault');
    const [account] = await host.signIns.accounts('vault');
    assert.ok(account);
    await host.signIns.signOut(account);
    assert.deepEqual(
      [await host.signIns.accounts(), auth('vault'), server.requests('/revoke').length, server.refreshTokens.size],
      [[], 'signInNeeded', 1, 0],
    );
    assert.doesNotMatch([...secrets.values.values()].join(), /access-/);
    await failure(host.calls.runTool(whoami, { caller: 'user' }));
  });

  test('a token that was revoked at the issuer leads to a sign-in, not to a loop', async () => {
    const { host, auth } = await openWindow();
    await host.lifecycle.start('vault');
    endTokens();
    server.refreshTokens.clear();
    await failure(host.calls.runTool(whoami, { caller: 'user' }));
    const before = server.journal.length;
    await failure(host.calls.runTool(whoami, { caller: 'user' }));
    assert.equal(auth('vault'), 'signInNeeded');
    assert.ok(server.journal.length - before <= 2, `${server.journal.length - before} requests for one call`);
  });

  test('a forgotten registration is made again', async () => {
    const { host } = await openWindow();
    await host.lifecycle.start('vault');
    const [registration] = await host.signIns.registrations('vault');
    assert.ok(registration);
    await host.signIns.forgetRegistration(registration);
    assert.deepEqual(await host.signIns.registrations('vault'), []);
    await host.signIns.signIn('vault');
    assert.equal(server.requests('/register').length, 2);
  });

  test('a client id that was set is used, at its issuer, before any other', async () => {
    const { host } = await openWindow();
    server.clients.set('given', { secret: 'given-secret', redirectUris: [] });
    server.behaviour.isStrictAboutRedirects = false;
    await host.signIns.setClient('vault', await host.signIns.findIssuer('vault'), {
      clientId: 'given',
      clientSecret: 'given-secret',
    });
    await host.lifecycle.start('vault');
    assert.deepEqual(
      [server.requests('/authorize').at(-1)?.query['client_id'], server.requests('/register').length],
      ['given', 0],
    );
  });

  test('several accounts: each is named, the selected one is used', async () => {
    const { host } = await openWindow();
    await host.lifecycle.start('vault');
    await host.signIns.signIn('vault', { account: 'work' });
    const accounts = await host.signIns.accounts('vault');
    assert.deepEqual(
      accounts.map(({ account, isSelected, scopes, canRefresh }) => [
        account,
        isSelected,
        scopes.join(' '),
        canRefresh,
      ]),
      [
        ['default', false, 'files:read', true],
        ['work', true, 'files:read', true],
      ],
    );
    assert.equal(server.requests('/authorize').at(-1)?.query['prompt'], 'select_account');
    const [first] = accounts;
    assert.ok(first);
    await host.signIns.select(first);
    await until(() => host.servers.get('vault')?.auth?.state.kind === 'signedIn');
    await host.calls.runTool(whoami, { caller: 'user' });
    assert.deepEqual(
      (await host.signIns.accounts('vault')).map(({ isSelected }) => isSelected),
      [true, false],
    );
  });

  test('a configured Authorization header takes precedence: no question is shown, and its refusal is reported', async () => {
    const { host, browser, state, surroundingsMade } = await openWindow({
      entry: { headers: { authorization: 'Bearer mine' } },
    });
    const error = await failure(host.lifecycle.start('vault'));
    assert.deepEqual(
      [error.code, error.message],
      ['auth-failed', 'vault refused the configured Authorization header (401).'],
    );
    assert.deepEqual(
      [state('vault'), browser.shown.length, surroundingsMade(), server.journal[0]?.headers.authorization],
      ['failed', 0, 0, 'Bearer mine'],
    );
  });

  test('"oauth": false never asks', async () => {
    const { host, browser } = await openWindow({ entry: { oauth: false } });
    const error = await failure(host.lifecycle.start('vault'));
    assert.deepEqual([error.code, browser.shown.length], ['auth-failed', 0]);
  });

  test('a configured client and scopes are used', async () => {
    server.clients.set('mine', { secret: 'typed', redirectUris: [] });
    Object.assign(server.behaviour, { isStrictAboutRedirects: false, challenge: () => 'Bearer' });
    const { host, browser } = await openWindow({
      servers: {
        vault: {
          type: 'http',
          url: server.url,
          oauth: { clientId: 'mine', clientSecret: 'typed', scopes: ['files:read', 'more'] },
        },
      },
    });
    await host.lifecycle.start('vault');
    assert.deepEqual(
      [
        browser.shown[0]?.scopes,
        server.requests('/authorize')[0]?.query['client_id'],
        server.requests('/register').length,
      ],
      [['files:read', 'more'], 'mine', 0],
    );
  });

  test('a machine grant needs no user', async () => {
    server.clients.set('robot', { secret: 'robot-secret', redirectUris: [] });
    const { host, browser } = await openWindow({
      entry: { oauth: { grant: 'client-credentials', clientId: 'robot', clientSecret: 'robot-secret' } },
    });
    await host.lifecycle.start('vault', { interactive: false });
    await host.calls.runTool(whoami, { caller: 'user' });
    assert.deepEqual(
      [browser.shown.length, server.grants('client_credentials').length, host.servers.get('vault')?.auth?.isPersonal],
      [0, 1, false],
    );
  });

  test('a workload authenticates with the token in its file, which is read each time', async () => {
    const files = { '/home/me/token.jwt': 'first\n' };
    const { host } = await openWindow({
      files,
      entry: { oauth: { grant: 'workload', tokenFile: 'token.jwt', issuer: server.issuer } },
    });
    await host.lifecycle.start('vault', { interactive: false });
    files['/home/me/token.jwt'] = 'second\n';
    endTokens();
    await host.lifecycle.restart('vault', { interactive: false });
    const assertions = server.requests('/token').map(({ form }) => form['assertion']);
    assert.deepEqual([assertions[0], assertions.at(-1)], ['first', 'second']);
  });

  test('[A12] the token of a workload is not read for an issuer other than the configured one', async () => {
    const { host, secrets } = await openWindow({
      files: {},
      entry: { oauth: { grant: 'workload', tokenFile: 'token.jwt', issuer: 'https://login.corp' } },
    });
    const { data } = await failure(host.lifecycle.start('vault', { interactive: false }));
    assert.equal((data as { problem?: string }).problem, 'client-moved');
    assert.equal(server.requests('/token').length, 0);
    assert.ok(![...secrets.values.values()].some((text) => text.includes('bound')));
  });

  test('[S2] no token reaches the log or a trace', async () => {
    const { host, logged } = await openWindow();
    await host.lifecycle.start('vault');
    endTokens();
    await host.calls.runTool(whoami, { caller: 'user' });
    const traces = JSON.stringify(host.signIns.traces('vault').map(({ steps }) => steps));
    for (const text of [logged.join('\n'), traces]) assert.doesNotMatch(text, /access-[0-9a-f]{8}/);
    assert.ok(
      logged.some((line) => line.startsWith('debug sign-in · token')),
      logged.join('\n'),
    );
  });

  test('a server without a sign-in, or a local one, never creates an authorizer', async () => {
    const { host, surroundingsMade } = await openWindow({
      servers: { local: { command: process.execPath, args: [path.resolve('test/fixtures/servers/odd.mjs'), 'ok'] } },
    });
    await host.lifecycle.start('local').catch(() => undefined);
    assert.equal(surroundingsMade(), 0);
  });
});

/** Waits until `condition` holds; the timeout of the test limits the wait. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

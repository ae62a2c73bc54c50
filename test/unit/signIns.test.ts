import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import type { HostError } from '../../src/core/base/hostError.js';
import type { AuthServer } from '../support/authServer.js';
import { startProtectedServer } from '../support/protectedMcp.js';
import type { SignInHostOptions } from '../support/signInHost.js';
import { signInHost } from '../support/signInHost.js';

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

  async function failure(work: Promise<unknown>): Promise<HostError> {
    return work.then(
      () => assert.fail('it should have failed'),
      (error: unknown) => error as HostError,
    );
  }

  const whoami = { server: 'vault', tool: 'whoami' };

  test('[A11] a start that nobody asked for opens nothing and waits for the sign-in', async () => {
    const { host, browser, state, auth, logged } = await openWindow();
    const error = await failure(host.startServer('vault', { interactive: false }));
    assert.deepEqual([error.code, error.message, error.hint], ['auth-required', 'vault wants you to sign in.', 'Choose Sign In on the server.']);
    assert.deepEqual([state('vault'), auth('vault'), browser.shown.length], ['needsSignIn', 'signInNeeded', 0]);
    assert.ok(logged.includes('info The server "vault" wants you to sign in. Choose Sign In on the server.'), logged.join('\n'));
    assert.deepEqual(server.journal.map(({ at }) => at), ['server'], 'nothing is looked up before a person asks');
  });

  test('a start that a person asked for leads to the browser once, and the server runs', async () => {
    const { host, browser, state, auth } = await openWindow();
    await host.startServer('vault');
    assert.deepEqual([state('vault'), auth('vault'), browser.shown.length], ['running', 'signedIn', 1]);
    const result = await host.runTool(whoami);
    assert.deepEqual(result.content, [{ type: 'text', text: 'whoami with files:read' }]);
  });
});

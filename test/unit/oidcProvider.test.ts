import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, describe, test } from 'node:test';
import { FileLock } from '../../src/core/auth/fileLock.js';
import type { HostError } from '../../src/core/base/hostError.js';
import { FormBrowser } from '../support/formBrowser.js';
import type { ListeningProcess } from '../support/interopProcess.js';
import { startPeer } from '../support/interopProcess.js';
import { MemorySecrets } from '../support/memorySecrets.js';
import type { SignInHostOptions } from '../support/signInHost.js';
import { signInHost } from '../support/signInHost.js';

interface JournalEntry {
  grant?: string;
  error?: string;
  revoked?: boolean;
}

/** The whole host against a public authorization server in a separate process, with its pages, cookies and rules. */
describe('sign-in with oidc-provider', () => {
  let server: ListeningProcess | undefined;
  let windows: ReturnType<typeof signInHost>[] = [];

  afterEach(async () => {
    await Promise.all(windows.map(({ host }) => host.close()));
    windows = [];
    await server?.close();
    server = undefined;
  });

  async function start(...args: string[]): Promise<string> {
    server = await startPeer(['test/fixtures/servers/oidc.mjs', ...args]);
    return server.url;
  }

  async function openWindow(url: string, options: Partial<SignInHostOptions> = {}) {
    const browser = new FormBrowser('ada');
    const window = signInHost({ servers: { vault: { type: 'http', url } }, openBrowser: browser.open, ...options });
    windows.push(window);
    await window.host.open();
    return { host: window.host, browser, pass: window.pass };
  }

  async function journal(): Promise<JournalEntry[]> {
    return (await (await fetch(new URL('/journal', server?.url))).json()) as JournalEntry[];
  }

  /** The token requests, and those that were refused. */
  async function grants(): Promise<string[]> {
    return (await journal()).flatMap(({ grant, error }) =>
      grant === undefined ? [] : [error === undefined ? grant : `${grant} refused: ${error}`],
    );
  }

  const tell = (path: string) => fetch(new URL(path, server?.url), { method: 'POST' });

  async function whoami(
    { host }: Pick<Awaited<ReturnType<typeof openWindow>>, 'host'>,
    interactive = false,
  ): Promise<string> {
    const { content } = await host.calls.runTool({ server: 'vault', tool: 'whoami' }, { caller: 'user', interactive });
    const [first] = content;
    return first?.type === 'text' ? first.text : '';
  }

  test('[A2] discovery, registration, the pages of the issuer, the code, and a call', async () => {
    const window = await openWindow(await start());
    assert.equal(await whoami(window, true), 'ada may files:read');
    assert.equal(window.browser.opened, 1);
    assert.deepEqual(await grants(), ['authorization_code']);
  });

  test('an expired token is refreshed, and the rotated refresh token is used the next time', async () => {
    const window = await openWindow(await start());
    await whoami(window, true);
    for (let hour = 0; hour < 3; hour++) {
      await tell('/expire');
      window.pass(3_600_000);
      assert.equal(await whoami(window), 'ada may files:read');
    }
    assert.equal(window.browser.opened, 1);
    assert.deepEqual(await grants(), ['authorization_code', 'refresh_token', 'refresh_token', 'refresh_token']);
  });

  test('a token with a lifetime of seconds is refreshed before each expiry', async () => {
    const window = await openWindow(await start('--ttl=10'));
    await whoami(window, true);
    for (let call = 0; call < 3; call++) {
      window.pass(10_000);
      assert.equal(await whoami(window), 'ada may files:read');
    }
    assert.ok(!(await grants()).some((grant) => grant.includes('refused')), (await grants()).join());
  });

  test('[A13] two windows that refresh at once send each refresh token once', async () => {
    const url = await start();
    const locks = await mkdtemp(path.join(os.tmpdir(), 'deck-locks-'));
    try {
      const secrets = new MemorySecrets();
      const one = await openWindow(url, { secrets, lock: new FileLock(locks) });
      const other = await openWindow(url, { secrets, lock: new FileLock(locks) });
      await whoami(one, true);
      await whoami(other);
      for (let hour = 1; hour <= 5; hour++) {
        await tell('/expire');
        one.pass(3_600_000);
        other.pass(3_600_000);
        assert.deepEqual(
          await Promise.all([whoami(one), whoami(other), whoami(one), whoami(other)]),
          Array(4).fill('ada may files:read'),
        );
        assert.deepEqual((await grants()).slice(1), Array(hour).fill('refresh_token'));
      }
      assert.equal(one.browser.opened + other.browser.opened, 1);
    } finally {
      await rm(locks, { recursive: true });
    }
  });

  test('[S4] signing out revokes at the issuer', async () => {
    const window = await openWindow(await start());
    await whoami(window, true);
    const [account] = await window.host.signIns.accounts('vault');
    assert.ok(account);
    await window.host.signIns.signOut(account);
    assert.ok((await journal()).some(({ revoked }) => revoked));
  });

  test('a grant revoked at the issuer requires one sign-in, and works again afterwards', async () => {
    const window = await openWindow(await start());
    await whoami(window, true);
    await tell('/revoke');
    await assert.rejects(whoami(window), (error: HostError) => error.code === 'auth-required');
    assert.equal(window.browser.opened, 1);
    assert.equal(await whoami(window, true), 'ada may files:read');
    assert.equal(window.browser.opened, 2);
  });

  for (const [name, ahead] of [
    ['ahead', 7_200_000],
    ['behind', -7_200_000],
  ] as const) {
    test(`a clock of the issuer that is two hours ${name} has no effect`, async () => {
      const window = await openWindow(await start(`--ahead=${ahead}`));
      assert.equal(await whoami(window, true), 'ada may files:read');
      assert.equal(await whoami(window), 'ada may files:read');
      await tell('/expire');
      window.pass(3_600_000);
      assert.equal(await whoami(window), 'ada may files:read');
      assert.equal(window.browser.opened, 1);
    });
  }
});

import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import * as vscode from 'vscode';
import type { AuthServer } from '../../support/authServer.js';
import { startProtectedServer } from '../../support/protectedMcp.js';
import { afterAll, afterEach, beforeAll, beforeEach, suite, test } from '../runner.js';
import { answerInputs, answerModals, answerPicks, pressing } from '../support/dialogs.js';
import { command, deckApi, drawn, failureOf, findServer, stateOf, textOf, until, untilState } from '../support/host.js';
import { Browser } from './browser.js';

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const listener = createServer();
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo;
  await new Promise((resolve) => listener.close(resolve));
  return port;
}

suite('sign-in', () => {
  let browser: Browser;
  let server: AuthServer;
  let count = 0;
  /** A separate name for each test, so that stored data does not reach the next one. */
  let vault = '';

  beforeAll(() => {
    browser = new Browser();
  });
  afterAll(() => browser.restore());
  beforeEach(async () => {
    Object.assign(browser, { press: 'Open Browser', answers: true, translates: 'none', asked: [], opened: [] });
    server = await startProtectedServer();
    vault = `vault${++count}`;
    await configure({ [vault]: { type: 'http', url: server.url } });
  });
  afterEach(async () => {
    await configure({});
    await server.stop();
  });

  async function configure(servers: object): Promise<void> {
    await vscode.workspace.getConfiguration().update('mcpDeck.servers', servers, vscode.ConfigurationTarget.Global);
    await until(
      'the configuration is read',
      async () => ((await findServer(vault)) !== undefined) === Object.keys(servers).length > 0,
    );
  }

  test('[A11] a start by a script opens nothing, rejects with auth-required and shows it in the tree', async () => {
    const error = await failureOf(command('mcpDeck.startServer', { server: vault }));
    assert.deepEqual(
      [error.code, error.message],
      ['auth-required', `The server "${vault}" requires you to sign in. Select "Sign In…" for the server.`],
    );
    assert.equal((await findServer(vault))?.reason, error.message);
    assert.match(await drawn(vault), new RegExp(`${vault}  sign in to 127\\.0\\.0\\.1:\\d+`));
    assert.deepEqual([browser.asked.length, browser.opened.length], [0, 0]);
  });

  test('[A2] Sign In shows the address, opens the browser and starts the server', async () => {
    await command('mcpDeck.signIn', { server: vault });
    const host = new URL(server.issuer).host;
    const [question] = browser.asked;
    assert.equal(question?.message, `"${vault}" asks you to sign in. Continue at ${host}?`);
    for (const text of [server.issuer, 'files:read']) assert.ok(question?.detail.includes(text), question?.detail);
    assert.equal(question?.buttons[0], 'Copy Address', 'a hasty Enter opens nothing');
    await untilState(vault, 'running');
    assert.equal(
      textOf(await (await deckApi()).runTool({ server: vault, tool: 'whoami', arguments: {} })),
      'whoami with files:read',
    );
    assert.equal(await stateOf(vault), 'running');
  });

  const asked = (path: string) => server.journal.filter((entry) => entry.path === path);

  /** Runs a command from the palette, and picks these lines in the lists that follow. */
  async function choose(id: string, ...wanted: ((item: vscode.QuickPickItem) => boolean)[]): Promise<void> {
    const picks = answerPicks((items) => items.find(wanted.shift() ?? (() => false)));
    try {
      await vscode.commands.executeCommand(id);
    } finally {
      picks.restore();
    }
  }

  test('Forget Registration makes the next sign-in register again, and a sign-out does not', async () => {
    const signIn = () => command('mcpDeck.signIn', { server: vault });
    await signIn();
    const signOut = () => pressing('Sign Out', () => command('mcpDeck.signOut', { server: vault }));
    await signOut();
    await signIn();
    assert.equal(asked('/register').length, 1);
    await signOut();
    await choose('mcpDeck.forgetRegistration', ({ label }) => label === vault);
    assert.match(
      (await failureOf(command('mcpDeck.forgetRegistration', { server: vault }))).message,
      /^There is no registration to delete\./,
    );
    await signIn();
    assert.equal(asked('/register').length, 2);
  });

  test('[C20] a command with arguments signs out, or forgets a registration, only when the user agrees', async () => {
    if ((await command<unknown[]>('mcpDeck.manageAccounts', { server: vault })).length === 0)
      await command('mcpDeck.signIn', { server: vault });
    const kept = await pressing('Cancel', () => failureOf(command('mcpDeck.signOut', { server: vault })));
    assert.deepEqual([kept.value.name, kept.asked[0]?.buttons], ['Canceled', ['Learn More', 'Sign Out']]);
    assert.equal((await command<unknown[]>('mcpDeck.manageAccounts', { server: vault })).length, 1);
    const still = await pressing('Cancel', () => failureOf(command('mcpDeck.forgetRegistration', { server: vault })));
    assert.deepEqual([still.value.name, still.asked[0]?.buttons], ['Canceled', ['Learn More', 'Forget Registration']]);
    // It still exists: without an account the list would not open.
    await choose('mcpDeck.forgetRegistration', ({ label }) => label === vault);
    await command('mcpDeck.signIn', { server: vault });
  });

  test('Set Client Id hides the typed secret, and the client replaces a registration', async () => {
    server.behaviour.isStrictAboutRedirects = false;
    server.clients.set('given-id', { secret: 'given-secret', redirectUris: [] });
    const inputs = answerInputs(({ password }) => (password === true ? 'given-secret' : ' given-id '));
    try {
      await command('mcpDeck.setClientId', { server: vault });
    } finally {
      inputs.restore();
    }
    assert.deepEqual(
      inputs.asked.map(({ password }) => password === true),
      [false, true],
    );
    await command('mcpDeck.signIn', { server: vault });
    assert.deepEqual(
      [asked('/register').length, asked('/authorize').map(({ query }) => query['client_id'])],
      [0, ['given-id']],
    );
    await untilState(vault, 'running');
  });

  test('Accounts signs out an account: its server stops and its token is revoked at the issuer', async () => {
    await command('mcpDeck.signIn', { server: vault });
    const [account] = await command<Record<string, unknown>[]>('mcpDeck.manageAccounts', { server: vault });
    assert.deepEqual(
      [account?.['issuer'], account?.['isSelected'], JSON.stringify(account).includes('oken')],
      [server.issuer, true, false],
    );
    await choose(
      'mcpDeck.manageAccounts',
      ({ description }) => description?.includes(vault) === true,
      ({ label }) => label === 'Sign Out',
    );
    assert.deepEqual([await command('mcpDeck.manageAccounts', { server: vault }), asked('/revoke').length], [[], 1]);
    await untilState(vault, 'stopped');
  });

  /** A manually registered client with this redirect URI, which the issuer enforces. */
  async function registerByHand(redirectUri: string): Promise<void> {
    server.clients.set('by-hand', { redirectUris: [redirectUri] });
    // Under a unique name, so that it exists only once this text was read.
    vault = `${vault}-by-hand`;
    await configure({ [vault]: { type: 'http', url: server.url, oauth: { clientId: 'by-hand', redirectUri } } });
  }

  test('[A8] a redirect address that this window cannot receive is refused with the reason before a browser opens', async () => {
    browser.translates = 'all';
    const redirectUri = `http://127.0.0.1:${await freePort()}/callback`;
    await registerByHand(redirectUri);
    const { code, message } = await failureOf(command('mcpDeck.signIn', { server: vault }));
    assert.equal(code, 'auth-failed');
    // This window is a web page: its editor serves ports of the machine below its own address.
    assert.match(
      message,
      new RegExp(
        `^MCP Deck cannot receive the sign-in response for ${vault}: "redirectUri" \\(${redirectUri}\\) is on the machine of the browser, .*, which the browser reaches at http://127\\.0\\.0\\.1:\\d+/proxy/\\d+/callback; use http://\\S+/callback instead\\. Change "oauth\\.redirectUri"`,
      ),
    );
    assert.deepEqual([browser.asked.length, browser.opened.length, asked('/authorize').length], [0, 0, 0]);
  });

  test('[A8] a redirect address on a machine shared by browser and window is used exactly as registered', async () => {
    browser.translates = 'own';
    const redirectUri = `http://localhost:${await freePort()}/own/path`;
    await registerByHand(redirectUri);
    await command('mcpDeck.signIn', { server: vault });
    assert.deepEqual(
      [asked('/register').length, asked('/authorize').map(({ query }) => query['redirect_uri'])],
      [0, [redirectUri]],
    );
    await untilState(vault, 'running');
  });

  test('[S4] Remove Server names the sign-in, and on request revokes and forgets it', async () => {
    await command('mcpDeck.signIn', { server: vault });
    const modals = answerModals(() => 'Remove and Forget');
    try {
      await choose('mcpDeck.removeServer', ({ label }) => label === vault);
    } finally {
      modals.restore();
    }
    const [question] = modals.asked;
    assert.deepEqual(
      [question?.message, question?.detail.split('\n')[0]],
      [`Remove "${vault}" from User settings?`, `Sign-in: ${server.url}`],
    );
    await until('it is removed', async () => (await findServer(vault)) === undefined);
    await configure({ [vault]: { type: 'http', url: server.url } });
    assert.deepEqual([await command('mcpDeck.manageAccounts', { server: vault }), asked('/revoke').length], [[], 1]);
    assert.match(
      (await failureOf(command('mcpDeck.forgetRegistration', { server: vault }))).message,
      /^There is no registration to delete\./,
    );
  });
});

import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { AuthServer } from '../../support/authServer.js';
import { startProtectedServer } from '../../support/protectedMcp.js';
import { afterAll, afterEach, beforeAll, beforeEach, suite, test } from '../runner.js';
import { command, drawn, failureOf, findServer, stateOf, textOf, until, untilState } from '../support/host.js';
import { Browser } from './browser.js';

suite('sign-in', () => {
  let browser: Browser;
  let server: AuthServer;
  let count = 0;
  /** A name of its own for each test: what is stored of one does not reach the next. */
  let vault = '';

  beforeAll(() => {
    browser = new Browser();
  });
  afterAll(() => browser.restore());
  beforeEach(async () => {
    Object.assign(browser, { press: 'Open Browser', answers: true, asked: [], opened: [] });
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
    await until('the configuration is read', async () => (await findServer(vault) !== undefined) === (Object.keys(servers).length > 0));
  }

  test('[A11] a start by a script opens nothing, rejects with auth-required and says so in the tree', async () => {
    const error = await failureOf(command('mcpDeck.startServer', { server: vault }));
    assert.deepEqual([error.code, error.message], ['auth-required', `The server "${vault}" wants you to sign in. Choose Sign In on the server.`]);
    assert.equal((await findServer(vault))?.reason, error.message);
    assert.match(await drawn(vault), new RegExp(`${vault}  sign in to 127\\.0\\.0\\.1:\\d+`));
    assert.deepEqual([browser.asked.length, browser.opened.length], [0, 0]);
  });

  test('[A2] Sign In says where it leads, opens the browser and starts the server', async () => {
    await command('mcpDeck.signIn', { server: vault });
    const host = new URL(server.issuer).host;
    const [question] = browser.asked;
    assert.equal(question?.message, `"${vault}" wants you to sign in. Continue at ${host}?`);
    for (const text of [server.issuer, 'files:read']) assert.ok(question?.detail.includes(text), question?.detail);
    assert.equal(question?.buttons[0], 'Copy Address', 'a hasty Enter opens nothing');
    await untilState(vault, 'running');
    assert.equal(textOf(await command('mcpDeck.runTool', { server: vault, tool: 'whoami', arguments: {} })), 'whoami with files:read');
    assert.equal(await stateOf(vault), 'running');
  });
});

// Failures that explain themselves: from a failed server to a running one, with the clicks and keys that it takes.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import path from 'node:path';
import { fixturesRoot } from '../../harness/paths.mjs';
import { axeViolations } from '../axe.mjs';

export const isApart = true;

const odd = path.join(fixturesRoot, 'servers', 'odd.mjs');
const key = 'k-1234567';
/** Says that its variable is missing, as servers do; with the variable it is a server. */
const nodeCrash = [
  'if (!process.env.ACME_KEY) throw new Error("Missing required environment variable ACME_KEY")',
  `process.argv[2] = "ok"; import(${JSON.stringify(`file://${odd}`)})`,
].join('; ');
const pythonCrash = [
  'import os',
  'key = os.environ["ACME_TOKEN"]',
  `os.execv(${JSON.stringify(process.execPath)}, ["node", ${JSON.stringify(odd)}, "ok"])`,
].join('; ');

/** A server over HTTP that wants a key in its own header, and publishes nothing about a sign-in. */
const protectedServer = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => (body += chunk));
  request.on('end', () => {
    const answer = (status, value) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(value && JSON.stringify(value));
    if (request.headers['x-api-key'] !== key) return answer(401, { message: 'Provide a key in the X-Api-Key header' });
    if (request.method !== 'POST') return answer(405);
    const { id, method } = JSON.parse(body);
    if (id === undefined) return answer(202);
    const result = {
      initialize: {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'keyed', version: '1' },
      },
      'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
      ping: {},
    }[method];
    return answer(
      200,
      result ? { jsonrpc: '2.0', id, result } : { jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } },
    );
  });
});
await new Promise((resolve) => protectedServer.listen(0, '127.0.0.1', resolve));
protectedServer.unref();

const local = (command, ...args) => ({ command, args, restartOnCrash: false });
export const window = {
  workspace: 'plain',
  settings: {
    'mcpDeck.servers': {
      node: local(process.execPath, '-e', nodeCrash, '_'),
      python: local('python3', '-c', pythonCrash),
      gone: local(process.execPath, '--no-warnings', '/nowhere/server.js'),
      refused: { type: 'http', url: `http://127.0.0.1:${protectedServer.address().port}/mcp` },
      keyed: { type: 'http', url: `http://127.0.0.1:${protectedServer.address().port}/mcp` },
    },
  },
};

export async function run({ workbench, step }) {
  const { page, quickInput } = workbench;
  const servers = workbench.tree('Servers');
  const view = workbench.webview();
  const card = view.locator('.error-box');
  const button = (name) => card.locator('vscode-button').filter({ hasText: name });
  const effort = { clicks: 0, keys: 0 };
  const click = async (action) => {
    effort.clicks++;
    await action();
  };
  const typeValue = async (title) => {
    await quickInput.waitFor({ title, hasFocus: true });
    await page.keyboard.type(key);
    await page.keyboard.press('Enter');
    effort.keys += key.length + 1;
  };
  const report = (journey) => {
    console.log(`  ${journey}: ${effort.clicks} clicks, ${effort.keys} keys (${key.length} of them the key itself)`);
    Object.assign(effort, { clicks: 0, keys: 0 });
  };
  const start = (name) => click(() => servers.clickAction(name, /Start/));

  await step('a Node.js crash names its cause, and setting the variable that it misses starts the server', async () => {
    await workbench.openSidebar('MCP Deck');
    await start('node');
    await servers.row('node').getByText('Error: Missing required').waitFor();
    const said = await workbench.notificationText('exited with code 1');
    assert.match(said, /exited with code 1: Error: Missing required environment variable ACME_KEY\. Set ACME_KEY/);
    await workbench.screenshot('failure-node');
    await click(() => workbench.clickNotificationButton('exited with code 1', 'Set ACME_KEY…'));
    await typeValue('Set ACME_KEY of "node"');
    await servers.row('node').getByText('tool').waitFor();
    report('Node crash until it runs');
  });

  await step('a click on a server that crashed in Python shows its cause and the same button', async () => {
    await start('python');
    await servers.row('python').getByText("KeyError: 'ACME_TOKEN'").waitFor();
    await workbench.closeNotifications();
    await click(() => servers.click('python'));
    await card.locator('.card-cause').getByText("KeyError: 'ACME_TOKEN'").waitFor();
    await card.getByText('exited with code 1').waitFor();
    await workbench.screenshot('failure-python');
    assert.deepEqual(await axeViolations(view), []);
    await click(() => button('Set ACME_TOKEN…').click());
    await typeValue('Set ACME_TOKEN of "python"');
    await servers.row('python').getByText('tool').waitFor();
    await card.locator('.card-cause').waitFor({ state: 'detached' });
    report('Python crash until it runs');
  });

  await step('a server that answers 401 without metadata is quoted, and its key is sent in its header', async () => {
    await start('keyed');
    await servers.row('keyed').getByText('Provide a key in the X-Api-Key header').waitFor();
    assert.equal(await quickInput.input.isVisible(), false);
    await workbench.closeNotifications();
    await click(() => servers.click('keyed'));
    await card.locator('.card-cause').getByText('Provide a key in the X-Api-Key header').waitFor();
    await workbench.screenshot('failure-401');
    await click(() => button('Set API Key…').click());
    await typeValue('Set API Key of "keyed"');
    await servers.row('keyed').getByText('1 tool').waitFor();
    report('401 with an API key until it runs');
  });

  await step('a failure after a button of the page is on this page, and not also in a notification', async () => {
    const enter = async (text) => {
      await quickInput.waitFor({ title: 'Set API Key of "refused"', hasFocus: true });
      await page.keyboard.type(text);
      await page.keyboard.press('Enter');
    };
    await servers.clickAction('refused', /Start/);
    await servers.row('refused').getByText('Provide a key in the X-Api-Key header').waitFor();
    await workbench.closeNotifications();
    await servers.click('refused');
    await button('Set API Key…').click();
    await enter('k-wrong-one');
    await button('Enter Another Key…').click();
    assert.equal(await workbench.notification('refused').count(), 0);
    await enter(key);
    await servers.row('refused').getByText('1 tool').waitFor();
    assert.equal(await workbench.notification('refused').count(), 0);
  });

  await step('"Edit Server…" on a failed server shows the failure, with the focus in the wrong argument', async () => {
    await servers.clickAction('gone', /Start/);
    await servers.row('gone').getByText('file not found').waitFor();
    await workbench.closeNotifications();
    await workbench.runCommandAndPick('MCP Deck: Edit Server…', 'gone');
    await view.getByRole('alert').getByText('/nowhere/server.js does not exist').waitFor();
    await workbench.screenshot('failure-edit');
    await page.keyboard.press('End');
    await page.keyboard.type('x');
    const argument = view.locator('.field[data-path="/args/1"]').locator('input, textarea').first();
    const until = Date.now() + 10_000;
    while ((await argument.inputValue()) !== '/nowhere/server.jsx')
      assert.ok(Date.now() < until, `the argument is "${await argument.inputValue()}"`);
  });

  await step('the diagnosis is a checklist with a button for each fix', async () => {
    await workbench.runCommandAndPick('MCP Deck: Diagnose Server…', 'node');
    await view.locator('.check-ok .check-title').getByText('Handshake').waitFor();
    await view.locator('.check').getByText('Open Configuration').waitFor();
    await workbench.screenshot('diagnosis');
    assert.deepEqual(await axeViolations(view), []);
  });
}

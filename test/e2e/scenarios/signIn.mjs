// A remote server requires a sign-in: the tree shows it, the question names the address, and the browser returns to
// this window.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fixturesRoot } from '../../harness/paths.mjs';

// A loopback address that VS Code in a browser does not treat as a port to forward.
const host = '127.0.0.2';
const issuer = spawn(process.execPath, [path.join(fixturesRoot, 'servers', 'oidc.mjs'), `--host=${host}`], {
  stdio: ['ignore', 'pipe', 'ignore'],
});
process.once('exit', () => issuer.kill('SIGKILL'));
const [said] = await once(issuer.stdout, 'data');
const url = /^listening (.+)$/m.exec(String(said))[1];
issuer.unref();
issuer.stdout.unref();

export const isApart = true;
export const window = { workspace: 'sample', settings: { 'mcpDeck.servers': { vault: { type: 'http', url } } } };

export async function run({ workbench, step }) {
  const servers = workbench.tree('Servers');
  const { page } = workbench;

  await step('[A2] a start asks with the address of the sign-in, and refusing opens nothing', async () => {
    await workbench.openSidebar('MCP Deck');
    await servers.clickAction('vault', /Start/);
    await workbench.dialog().waitFor();
    const words = await workbench.dialog().innerText();
    for (const text of ['"vault" asks you to sign in', 'files:read', host]) assert.ok(words.includes(text), words);
    await workbench.screenshot('sign-in-question');
    const opened = page.context().pages().length;
    await workbench.answerDialog('Cancel');
    await servers.row('vault').getByText('sign in to 127.0.0.2').waitFor();
    assert.equal(page.context().pages().length, opened);
    await workbench.screenshot('sign-in-wanted');
  });

  await step('one click signs in: the pages of the issuer, back to this window, and the server runs', async () => {
    await servers.clickAction('vault', /Sign In/);
    await workbench.dialog().waitFor();
    await workbench.dialog().getByRole('button', { name: 'Open Browser', exact: true }).click();
    // VS Code asks its own question before it opens an unknown host.
    await workbench.dialog().getByText('Do you want').waitFor();
    const [browser] = await Promise.all([page.context().waitForEvent('page'), workbench.answerDialog('Open')]);
    await browser.getByPlaceholder('Enter any login').fill('ada');
    await browser.getByPlaceholder('and password').fill('any');
    await browser.getByRole('button', { name: 'Sign-in' }).click();
    await browser.getByRole('button', { name: 'Continue' }).click();
    await servers.row('vault').getByText('1 tool').waitFor();
    await browser.close();
    await workbench.screenshot('sign-in-done');
  });

  await step('a tool acts for the account', async () => {
    await workbench.runCommandThatAsks('MCP Deck: Run Tool…');
    await workbench.quickInput.find('whoami');
    await workbench.resultHas('ada may files:read');
  });

  await step('the account shows its issuer, scopes and expiry', async () => {
    await workbench.runCommandThatAsks('MCP Deck: Accounts…', { title: 'Accounts' });
    await workbench.screenshot('sign-in-accounts');
    const words = await workbench.quickInput.widget.innerText();
    for (const text of ['vault', 'files:read', host, 'in use']) assert.ok(words.includes(text), words);
    await workbench.quickInput.cancel();
  });

  await step('the trace has every step and no secret', async () => {
    await workbench.runCommandThatAsks('MCP Deck: View Sign-in Trace');
    await workbench.quickInput.pick('vault');
    await workbench.waitForEditor('vault');
    await page
      .locator('.editor-group-container.active .view-line', { hasText: 'oauth-protected-resource' })
      .first()
      .waitFor();
    await workbench.screenshot('sign-in-trace');
  });

  await step('signing out stops the server and removes the account', async () => {
    await workbench.runCommandThatAsks('MCP Deck: Sign Out…', { title: 'Sign Out' });
    await workbench.quickInput.accept();
    await servers
      .row('vault')
      .getByText(/stopped|sign in to/)
      .waitFor();
    await workbench.screenshot('sign-in-out');
  });
}

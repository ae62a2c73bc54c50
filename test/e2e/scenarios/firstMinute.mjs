// The quick start of the README: see the servers, run a tool by mouse, trust a server, run its tool by keyboard.
import assert from 'node:assert/strict';

export const isApart = true;
export const window = { workspace: 'sample' };

export async function run({ workbench, step }) {
  const { quickInput, page } = workbench;
  const servers = workbench.tree('Servers');

  await step('the sidebar lists the running built-in server and the stopped server of the file', async () => {
    await workbench.openSidebar('MCP Deck');
    await servers.row('workspace').getByText('built-in').waitFor();
    await servers.row('everything').getByText('stopped').waitFor();
  });

  await step('a tool of the built-in server runs by one click and one line of typing', async () => {
    await servers.expand('workspace', 'Tools');
    await workbench.screenshot('tree-tools');
    await servers.clickAction('Find Files', /Run/);
    await quickInput.waitFor({ title: 'Find Files' });
    await quickInput.type('**/*.md');
    await workbench.screenshot('argument-step');
    await quickInput.accept();
    await workbench.webview().getByRole('link', { name: 'README.md', exact: true }).waitFor();
    await page.locator('.statusbar-item', { hasText: '"Find Files" took' }).waitFor();
    await workbench.screenshot('result-find-files');
  });

  await step('a server of the workspace asks for trust with its exact command before it starts', async () => {
    await servers.clickAction('everything', /Start/);
    await workbench.dialog().getByText('server-everything').first().waitFor();
    const asked = await workbench.dialog().innerText();
    assert.match(asked, /node/);
    assert.match(asked, /\.vscode\/mcp\.json/);
    await workbench.screenshot('trust-question');
    await workbench.answerDialog('Start Server');
    await servers.row('everything').getByText(/tools/).waitFor();
  });

  await step('a tool runs from the command palette by typing', async () => {
    await workbench.runCommandThatAsks('MCP Deck: Run Tool…');
    await quickInput.type('echo');
    await workbench.screenshot('run-tool-pick');
    await quickInput.accept();
    await quickInput.waitFor({ title: 'Echo Tool' });
    await quickInput.type('hello deck');
    await quickInput.accept();
    await workbench.resultHas('Echo: hello deck');
    await workbench.screenshot('result-echo');
  });

  await step('an image between texts is drawn with them', async () => {
    await workbench.runCommandThatAsks('MCP Deck: Run Tool…');
    await quickInput.type('get-tiny-image');
    await quickInput.accept();
    await workbench.webview().locator('.result-side img').waitFor();
    await workbench.screenshot('result-image');
  });

  await step('an error in a step appears under the field while typing', async () => {
    await workbench.runCommandThatAsks('MCP Deck: Run Tool…');
    await quickInput.type('get-sum');
    await quickInput.accept();
    await quickInput.waitFor({ title: 'Sum Tool' });
    await quickInput.type('two');
    await quickInput.waitFor({ message: 'must be a number' });
    await workbench.screenshot('argument-error');
    await quickInput.cancel();
  });

  await step('the server "everything" expands to its tools, resources and prompts', async () => {
    await servers.expand('everything');
    await servers.row('Prompts').waitFor();
    await workbench.screenshot('tree-everything');
  });

  await step('a stopped server is shown as stopped', async () => {
    await servers.clickAction('everything', /Stop/);
    await servers.row('everything').getByText('stopped').waitFor();
  });
}

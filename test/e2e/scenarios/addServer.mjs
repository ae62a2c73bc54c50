// A newcomer adds a server of their own: from a snippet in the clipboard, a command line and a URL, each to a first result.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { axeViolations } from '../axe.mjs';

const everything = path.resolve('node_modules/@modelcontextprotocol/server-everything/dist/index.js');

export const window = { workspace: 'plain' };

export async function run({ workbench, step, workspace: files, window: { dirs } }) {
  const { quickInput, page } = workbench;
  const servers = workbench.tree('Servers');
  const form = workbench.webview();
  const button = (name) => form.getByRole('button', { name, exact: true });
  let effort;
  const begin = () => (effort = { clicks: 0, keys: 0, since: Date.now() });
  const click = async (target) => {
    effort.clicks++;
    await target.click();
  };
  /** The key goes to the box, even while a new box of a sequence does not have the focus yet. */
  const pressEnter = async () => {
    effort.keys++;
    await quickInput.accept();
  };
  const report = (journey) => {
    const seconds = (Date.now() - effort.since) / 1_000;
    console.log(
      `  ${journey}: ${effort.clicks} clicks, ${effort.keys} keys, ${seconds.toFixed(1)} s to the first result (machine time)`,
    );
  };
  const setClipboard = async (text) => {
    // The window needs the focus, which may be in a frame.
    await page.locator('.part.sidebar .composite.title').first().click();
    await page.evaluate((one) => navigator.clipboard.writeText(one), text);
  };
  const openBox = async () => {
    effort.clicks++;
    await servers.clickTitle('Add Server…');
    await quickInput.waitFor({ title: 'Add Server' }, { hasFocus: true });
  };
  const fieldWith = async (text) => {
    await form.locator('input').first().waitFor();
    // Long values have fields with wrapped lines.
    for (const field of await form.locator('input, textarea').all())
      if ((await field.inputValue()).includes(text)) return field;
    throw new Error(`No field has the text ${text}.`);
  };
  /** Runs a tool of the new server from the tree, as a newcomer does. */
  const firstResult = async (server, tool, text, result) => {
    await servers.row(server).getByText(/tools/).waitFor();
    // The tools of the new server are in view. Other servers have tools with the same title.
    await click(await servers.rowBelow(server, tool));
    await form.getByText(`${server}`).first().waitFor();
    await form.getByRole('button', { name: 'Run', exact: true }).waitFor();
    if (text !== undefined) {
      await form.locator('input:focus, textarea:focus').waitFor();
      effort.keys += text.length;
      await page.keyboard.type(text);
    }
    await page.keyboard.press('Control+Enter');
    effort.keys++;
    await form.getByText(result).first().waitFor();
  };

  await workbench.openSidebar('MCP Deck');
  await servers.waitForRows();

  await step(
    '[approval.shown] a definition of the workspace that is only opened and saved asks before its start',
    async () => {
      mkdirSync(path.join(files.workspace, '.vscode'), { recursive: true });
      writeFileSync(
        path.join(files.workspace, '.vscode', 'mcp.json'),
        JSON.stringify({ servers: { brought: { command: 'node', args: [everything] } } }),
      );
      await servers.row('brought').waitFor();
      await servers.chooseFromMenu('brought', 'Edit Server…');
      await form.getByText('Otherwise, MCP Deck asks for your approval before the server starts.').waitFor();
      await button('Save and Start').click();
      await workbench.dialog().getByText(everything).first().waitFor();
      await workbench.dialog().getByRole('button', { name: "Don't Start", exact: true }).click();
      await workbench.dialog().waitFor({ state: 'detached' });
    },
  );

  await step('a snippet in the clipboard becomes a running server with its first result', async () => {
    await setClipboard(
      `Add this to your config:\n\n\`\`\`json\n{\n  "mcpServers": {\n    // the demo\n    "everything": {\n      "command": "node",\n      "args": [${JSON.stringify(everything)}],\n      "env": { "DEMO_TOKEN": "tok_0123456789abcdef0123" },\n    },\n  }\n}\n\`\`\`\n`,
    );
    begin();
    await openBox();
    await quickInput.waitFor({ message: '1 server: everything (node)' });
    await workbench.screenshot('add-server-1-box');
    await pressEnter();
    await button('Save and Start').waitFor();
    await workbench.screenshot('add-server-2-form');
    assert.deepEqual(await axeViolations(form), []);
    await click(button('Save and Start'));
    await firstResult('everything', 'Echo Tool', 'hello', 'Echo: hello');
    report('from a snippet');
    await workbench.screenshot('add-server-3-result');
  });

  await step('[paste.secrets] the secret of the snippet is in no file', async () => {
    const text = readFileSync(path.join(dirs.userData, 'User', 'settings.json'), 'utf8');
    assert.match(text, /\$\{input:everything-demo-token\}/);
    assert.doesNotMatch(text, /tok_0123456789/);
  });

  await step('a command line is added, and an error of its first start is corrected on the same page', async () => {
    await setClipboard('nothing of interest');
    begin();
    await openBox();
    await quickInput.type(`node ${everything}x`);
    effort.keys += 30;
    await quickInput.waitFor({ message: '1 server: everything (node)' });
    await pressEnter();
    await button('Save and Start').waitFor();
    const name = await fieldWith('everything');
    assert.equal(await name.inputValue(), 'everything-2', 'the name is free');
    await name.fill('everything');
    await form.getByText('Name: A server "everything" already exists in this location').waitFor();
    await name.fill('typed');
    effort.keys += 'typed'.length;
    await click(button('Save and Start'));
    await form
      .getByRole('alert')
      .getByText(/"typed" exited with code 1: .* does not exist\./)
      .waitFor();
    await workbench.screenshot('add-server-4-failure');
    assert.deepEqual(await axeViolations(form), []);
    const wrong = await fieldWith('index.jsx');
    assert.ok(
      await wrong.evaluate((one) => one.getRootNode().activeElement === one),
      'the wrong argument has the focus',
    );
    await wrong.fill(everything);
    effort.keys++;
    await click(button('Save and Start'));
    await firstResult('typed', 'Echo Tool', 'corrected', 'Echo: corrected');
    report('from a command line, with one correction');
  });

  await step('the failure of a first start offers its remedy on the same page, which then closes', async () => {
    const source = `if (!process.env.ACME_KEY) throw new Error("Missing required environment variable ACME_KEY")`;
    const script = path.join(files.workspace, 'acme.mjs');
    writeFileSync(script, `${source};\nprocess.argv[2] = 'stdio';\nawait import(${JSON.stringify(everything)});\n`);
    await openBox();
    await quickInput.type(`node ${script}`);
    await quickInput.waitFor({ message: '1 server: acme (node)' });
    await pressEnter();
    await button('Save and Start').waitFor();
    await click(button('Save and Start'));
    await button('Set ACME_KEY…').waitFor();
    await workbench.screenshot('add-server-5-remedy');
    assert.deepEqual(await axeViolations(form), []);
    await click(button('Set ACME_KEY…'));
    await quickInput.waitFor({ title: 'Set ACME_KEY of "acme"', hasFocus: true });
    await page.keyboard.type('k-1234567');
    await page.keyboard.press('Enter');
    await button('Set ACME_KEY…').waitFor({ state: 'detached' });
    await servers.row('acme').getByText('tools').waitFor();
    // The tools are unfolded, as after "Save and Start".
    await page.waitForFunction(() => {
      const rows = [...document.querySelectorAll('.monaco-list-row')].map((row) => row.textContent);
      const at = rows.findIndex((text) => text.startsWith('acme'));
      return at >= 0 && rows[at + 1]?.startsWith('Tools') && /Tool/.test(rows[at + 2] ?? '');
    });
  });

  await step('a URL is added', async () => {
    const port = await freePort();
    const http = spawn(process.execPath, [everything, 'streamableHttp'], {
      env: { ...process.env, PORT: String(port) },
    });
    try {
      await new Promise((resolve, reject) => {
        http.stderr.on('data', (data) => String(data).includes('listening') && resolve());
        http.stdout.on('data', (data) => String(data).includes('listening') && resolve());
        http.once('exit', reject);
      });
      await setClipboard(`http://127.0.0.1:${port}/mcp`);
      begin();
      await openBox();
      await quickInput.waitFor({ message: '1 server: local (http)' });
      await pressEnter();
      await click(button('Save and Start'));
      await firstResult('local', 'Echo Tool', 'over HTTP', 'Echo: over HTTP');
      report('from a URL');
    } finally {
      http.kill();
    }
  });

  await step('[approval.shown] a scratch server runs in this window only, until it is kept', async () => {
    const settings = () => readFileSync(path.join(dirs.userData, 'User', 'settings.json'), 'utf8');
    const before = settings();
    await workbench.runCommandThatAsks('MCP Deck: Run Command…', { title: 'Run Command' });
    begin();
    await quickInput.type(`DEBUG=tried node ${everything}`);
    await quickInput.waitFor({ message: 'Press Enter to run node' });
    await workbench.screenshot('add-server-5-scratch');
    await pressEnter();
    await workbench.answerDialog('Start Server');
    const row = servers.row('everything-2');
    await row.getByText(/scratch · .*tools/).waitFor();
    assert.equal(settings(), before);
    await servers.chooseFromMenu('everything-2', 'Keep It…');
    await button('Save and Start').waitFor();
    await (await fieldWith('everything-2')).fill('kept');
    await click(button('Save'));
    await servers.row('kept').waitFor();
    assert.match(settings(), /"kept"[^]*"DEBUG": "tried"/);
    await row.waitFor({ state: 'detached' });
  });

  await step('a page that is not saved survives a reload of the window, without its secret', async () => {
    begin();
    await openBox();
    await quickInput.type(`DEMO_TOKEN=tok_fedcba9876543210fedc node ${everything}`);
    await quickInput.waitFor({ message: '1 server: everything' });
    await pressEnter();
    await (await fieldWith('everything')).fill('unsaved');
    await workbench.reload();
    await button('Save and Start').waitFor({ timeout: 60_000 });
    await fieldWith('unsaved');
    await form.getByText('MCP Deck asks for these values when the server starts: DEMO_TOKEN').waitFor();
    await workbench.screenshot('add-server-6-restored');
    await click(button('Save'));
    await servers.row('unsaved').waitFor();
  });

  await step('several servers of one text are added together, and the user selects which', async () => {
    const servers2 = { first: { command: 'node', args: [everything] }, second: { url: 'http://127.0.0.1:9/mcp' } };
    begin();
    await openBox();
    await quickInput.type(JSON.stringify({ mcpServers: { ...servers2, third: { command: 'node' } } }));
    await quickInput.waitFor({ message: '3 servers: first (node), second (http), third (node)' });
    await pressEnter();
    await quickInput.waitFor({ placeholder: 'Which servers do you want to add?' });
    await workbench.screenshot('add-server-7-several');
    await quickInput.check('third');
    // The checkbox has the focus after the click, so the key goes to the box.
    await quickInput.accept();
    await quickInput.waitFor({ placeholder: 'Where should the servers be saved?' });
    await pressEnter();
    await workbench.dialog().getByText('http://127.0.0.1:9/mcp').first().waitFor();
    await workbench.answerDialog('Add to User Settings');
    await servers.row('first').waitFor();
    await servers.row('second').waitFor();
    const settings = readFileSync(path.join(dirs.userData, 'User', 'settings.json'), 'utf8');
    assert.match(settings, /"first"[^]*"second"/);
    assert.doesNotMatch(settings, /"third"/);
  });

  await step('[approval.shown] a URL is tried without saving it, and a command is refused there', async () => {
    const settings = () => readFileSync(path.join(dirs.userData, 'User', 'settings.json'), 'utf8');
    const before = settings();
    const port = await freePort();
    const http = spawn(process.execPath, [everything, 'streamableHttp'], {
      env: { ...process.env, PORT: String(port) },
    });
    try {
      await new Promise((resolve, reject) => {
        http.stderr.on('data', (data) => String(data).includes('listening') && resolve());
        http.stdout.on('data', (data) => String(data).includes('listening') && resolve());
        http.once('exit', reject);
      });
      await workbench.runCommandThatAsks('MCP Deck: Connect to URL…', { title: 'Connect to URL' });
      await quickInput.type('node server.js');
      await quickInput.waitFor({ message: 'This is a command. Use "MCP Deck: Run Command…".' });
      await quickInput.type(`http://127.0.0.1:${port}/mcp`);
      await quickInput.waitFor({ message: 'Press Enter to connect to' });
      await page.keyboard.press('Enter');
      await workbench.answerDialog('Start Server');
      await servers.rowElements
        .filter({ hasText: /scratch · .*tools/ })
        .first()
        .waitFor();
      assert.equal(settings(), before);
    } finally {
      http.kill();
    }
  });

  await step(
    '[approval.shown] servers of one text are added to the user settings only after a question that shows all',
    async () => {
      await setClipboard(
        JSON.stringify({
          mcpServers: {
            plain: { command: 'node', args: [everything] },
            led: { command: 'node', args: [everything], env: { NODE_OPTIONS: '--require=/tmp/loaded.cjs' } },
          },
        }),
      );
      begin();
      await openBox();
      await quickInput.waitFor({ message: '2 servers' });
      await pressEnter();
      await quickInput.waitFor({ placeholder: 'Which servers' });
      await pressEnter();
      await quickInput.waitFor({ placeholder: 'Where should the servers be saved' });
      await pressEnter();
      await workbench.dialog().getByText('NODE_OPTIONS=--require=/tmp/loaded.cjs').first().waitFor();
      await workbench.screenshot('add-server-6-several');
      await workbench.answerDialog('Cancel');
      assert.doesNotMatch(readFileSync(path.join(dirs.userData, 'User', 'settings.json'), 'utf8'), /loaded\.cjs/);
    },
  );

  await step('[approval.shown] Save and Start asks if the page does not show a value as it is', async () => {
    const hidden = `docs${' '.repeat(300)}--hidden-flag`;
    await setClipboard(
      JSON.stringify({ mcpServers: { cut: { command: 'node', args: [everything, 'stdio', hidden] } } }),
    );
    begin();
    await openBox();
    await quickInput.waitFor({ message: '1 server: cut (node)' });
    await pressEnter();
    await button('Save and Start').waitFor();
    const field = await fieldWith('--hidden-flag');
    const [inner, outer] = await field.evaluate((one) => [one.scrollWidth, one.clientWidth]);
    assert.ok(inner <= outer, 'the whole value is inside of its field');
    await workbench.screenshot('add-server-7-long');
    await click(button('Save and Start'));
    await workbench.dialog().getByText('--hidden-flag').first().waitFor();
    await workbench.answerDialog('Cancel');
    // The page stays, with everything that was typed.
    await fieldWith('--hidden-flag');
    assert.equal(await servers.row('cut').count(), 0);
  });

  await step('[paste.refused] what is not a server is refused with a reason', async () => {
    begin();
    await openBox();
    await quickInput.type('{"name": "x", "version": "1.0.0"}');
    await quickInput.waitFor({ message: 'This JSON has no server' });
    await page.keyboard.press('Enter');
    await quickInput.waitFor({ message: 'This JSON has no server' });
    await quickInput.cancel();
  });
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

// A server of a registry without a mouse: found, configured, installed, run, updated, and removed with keys only.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { axeViolations } from '../axe.mjs';
import { Keyboard } from '../keyboard.mjs';
import { startRegistry } from '../registry.mjs';

export const isApart = true;
export const window = {
  workspace: 'plain',
  settings: { 'mcpDeck.builtInServer.enabled': false, 'mcpDeck.registries': [] },
  // `npx` starts a server of this repository instead of a package.
  env: { PATH: `${path.resolve('test/fixtures/bin')}${path.delimiter}${process.env.PATH}` },
};

const secretText = 'tok_0123456789abcdef';

export async function run({ workbench, step, window: { dirs }, workspace }) {
  const { page } = workbench;
  const servers = workbench.tree('Servers');
  const view = workbench.webview();
  const button = (name) => view.getByRole('button', { name, exact: true });
  const keyboard = new Keyboard(workbench);
  const registry = await startRegistry();
  const settingsFile = path.join(dirs.userData, 'User', 'settings.json');
  const workspaceFile = workspace.file('.vscode', 'mcp.json');
  const args = () => JSON.parse(readFileSync(workspaceFile, 'utf8')).servers.weather?.args;
  const settings = JSON.parse(readFileSync(settingsFile, 'utf8'));
  writeFileSync(settingsFile, JSON.stringify({ ...settings, 'mcpDeck.registries': [registry.url] }));
  const goToServer = async (label) => {
    await keyboard.runCommand('MCP Deck: Focus on Servers View');
    await keyboard.goToRow(servers, label);
  };

  try {
    await step('the palette opens the page, and typing finds the server', async () => {
      await keyboard.runCommand('View: Show MCP Deck');
      await keyboard.runCommand('MCP Deck: Find a Server…');
      await view.locator('input[type="search"]:focus').waitFor();
      await keyboard.type('weather');
      const options = view.getByRole('option');
      await options.filter({ hasText: 'Old Weather' }).waitFor();
      await keyboard.press('ArrowDown');
      await view.locator('[role="listbox"]:focus').waitFor();
      const wanted = view.locator('[role="option"][aria-selected="true"]').filter({ hasText: 'io.example/weather' });
      for (let presses = 0; !(await wanted.isVisible()); presses++) {
        assert.ok(presses < 5, 'the arrow keys never reach the server');
        await keyboard.press('ArrowDown');
      }
      await view.getByRole('heading', { name: 'Weather', exact: true }).waitFor();
      await workbench.screenshot('gallery-keys-1-found');
      await keyboard.press('Enter');
      await view.locator('[role="radio"]:focus').waitFor();
    });

    await step(
      '[paste.secrets] the form is filled in, and the server is saved and started without its secret',
      async () => {
        await keyboard.press('Control+Enter');
        await view.getByText('WEATHER_KEY is required').waitFor();
        await keyboard.tabTo(view.locator('input[type="password"]'));
        await keyboard.type(secretText);
        await view.getByText('WEATHER_KEY=${input:weather-weather-key}').waitFor();
        const place = view.locator('vscode-single-select[label="Save To"]');
        await keyboard.tabTo(place, 'Shift+Tab');
        await keyboard.press('Enter');
        await workbench.screenshot('gallery-keys-2-places');
        await keyboard.press('ArrowDown', 'Enter');
        await place.getByText('.vscode/mcp.json').first().waitFor();
        await keyboard.tabTo(button('Save and Start'));
        await workbench.screenshot('gallery-keys-3-form');
        assert.deepEqual(await axeViolations(view), []);
        await keyboard.press('Enter');
        await view
          .getByText(/"weather" is running with \d+ tools/)
          .first()
          .waitFor();
        await button('Save and Start').and(view.locator(':focus')).waitFor();
        await workbench.screenshot('gallery-keys-4-running');
        assert.equal(args()[1], '@example/weather@1.4.0');
        for (const file of [settingsFile, workspaceFile])
          assert.ok(!readFileSync(file, 'utf8').includes(secretText), `${file} contains the secret`);
      },
    );

    await step('a tool of the new server runs', async () => {
      await goToServer('weather');
      await keyboard.expand(servers, 'weather', 'Tools');
      await keyboard.goToRow(servers, 'Echo Tool');
      await keyboard.press('Enter');
      await view.getByRole('heading', { name: 'Echo Tool' }).waitFor();
      await view.locator('input:focus, textarea:focus').waitFor();
      await keyboard.type('hello');
      await keyboard.press('Control+Enter');
      await view.getByText('Echo: hello').first().waitFor();
      await workbench.screenshot('gallery-keys-5-result');
    });

    await step('in a narrow sidebar, the line of the server shows the new version', async () => {
      registry.publish('io.example/weather', '1.5.0');
      await keyboard.runCommand('MCP Deck: Find a Server…');
      await view.locator('input[type="search"]:focus').waitFor();
      await keyboard.tabTo(button('Update Lists'));
      await keyboard.press('Enter');
      await servers.row('weather').getByText('1.4.0 → 1.5.0').waitFor();
      await goToServer('weather');
      await keyboard.runCommand('Decrease Current View Size');
      await page.waitForFunction(() => document.querySelector('.part.sidebar').clientWidth <= 250);
      // The line with the focus also shows its buttons.
      await goToServer('Tools');
      await workbench.screenshot('gallery-keys-6-newer');
      assert.ok(await servers.row('weather').evaluate(showsWhole, '1.4.0 → 1.5.0'), 'the new version is cut off');
      await keyboard.runCommand('Decrease Current View Size');
      await page.waitForFunction(() => document.querySelector('.part.sidebar').clientWidth <= 200);
      await goToServer('weather');
      const line = servers.rowElements.and(page.locator('[aria-label^="Update: 1.4.0 → 1.5.0"]'));
      await line.waitFor();
      await workbench.screenshot('gallery-keys-6-narrow');
      assert.ok(await line.evaluate(showsWhole, '1.4.0 → 1.5.0'), 'the line below the server is cut off');
    });

    await step('the open page offers the new version, and shows it when the user asks for it', async () => {
      await keyboard.runCommand('MCP Deck: Find a Server…');
      await view.getByText('The registry now lists version 1.5.0 of this server.').first().waitFor();
      await view.locator('input[type="search"]:focus').waitFor();
      assert.equal(await view.getByText('npx -y @example/weather@1.4.0').count(), 1);
      await keyboard.tabTo(button('Show 1.5.0'));
      await workbench.screenshot('gallery-keys-6-stale');
      assert.deepEqual(await axeViolations(view), []);
      await keyboard.press('Enter');
      await view.getByText('npx -y @example/weather@1.5.0').waitFor();
      await view.locator('h1:focus').waitFor();
      await workbench.screenshot('gallery-keys-6-shown');
    });

    await step('the server is updated, and runs again', async () => {
      await goToServer('weather');
      await keyboard.chooseFromMenu('Update Server…');
      await workbench.quickInput.waitFor({ title: 'Update Server' }, { hasFocus: true });
      await workbench.screenshot('gallery-keys-7-choice');
      await keyboard.press('Enter');
      await workbench.dialog().getByText('Update "weather" from 1.4.0 to 1.5.0?').waitFor();
      await workbench.screenshot('gallery-keys-8-question');
      await keyboard.tabTo(workbench.dialog().getByRole('button', { name: 'Update', exact: true }));
      await keyboard.press('Enter');
      // A server of a workspace runs after the user has read its new definition.
      await workbench.dialog().getByText('Start the server "weather" of this workspace?').waitFor();
      await keyboard.answerDialog('Start Server');
      // The secret was entered for another program.
      await workbench.quickInput.waitFor({ title: '"weather" needs a value' }, { hasFocus: true });
      await keyboard.type(secretText);
      await keyboard.press('Enter');
      await workbench.notification('"weather" was updated to 1.5.0.').first().waitFor();
      assert.equal(args()[1], '@example/weather@1.5.0');
      await servers.row('weather').getByText('tools').waitFor();
    });

    await step('the server is removed', async () => {
      await goToServer('weather');
      await keyboard.chooseFromMenu('Remove Server…');
      await workbench.dialog().getByText('Remove "weather"').waitFor();
      await workbench.screenshot('gallery-keys-9-remove');
      await keyboard.answerDialog('Remove');
      await servers.row('weather').waitFor({ state: 'detached' });
      assert.equal(args(), undefined);
    });
  } finally {
    await registry.close();
  }
}

/** Whether a text of an element is drawn whole: no box around it cuts it off. */
function showsWhole(element, text) {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { currentNode } = texts;
    const start = currentNode.textContent.indexOf(text);
    if (start < 0) continue;
    const range = document.createRange();
    range.setStart(currentNode, start);
    range.setEnd(currentNode, start + text.length);
    const { right } = range.getBoundingClientRect();
    for (let box = currentNode.parentElement; box !== element; box = box.parentElement)
      if (getComputedStyle(box).overflowX !== 'visible' && right > box.getBoundingClientRect().right + 1) return false;
    return true;
  }
  return false;
}

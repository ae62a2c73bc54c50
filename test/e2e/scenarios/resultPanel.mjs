// One place for results: previews of tools, runs from the palette and the history, find in a result, keys only. Prints
// the number of clicks and keys of each journey.
import assert from 'node:assert/strict';
import path from 'node:path';
import { fixturesRoot } from '../../harness/paths.mjs';
import { axeViolations } from '../axe.mjs';
import { Keyboard } from '../keyboard.mjs';

export const themes = ['light2026', 'dark2026', 'hc'];

const results = { command: process.execPath, args: [path.join(fixturesRoot, 'servers', 'results.mjs')] };
export const window = { workspace: 'sample', settings: { 'mcpDeck.servers': { results } } };

export async function run({ workbench, step }) {
  const { page, quickInput } = workbench;
  const servers = workbench.tree('Servers');
  const runs = workbench.tree('Runs');
  const panel = workbench.webview();
  const side = panel.locator('.result-side');
  const tabs = page.locator('.editor-group-container .tab');
  const titles = async () => (await tabs.allInnerTexts()).map((text) => text.trim());
  const focused = panel.locator(':focus');

  /** Counts what the user does in a journey, and prints it. */
  const journey = (name) => {
    let keys = 0;
    let clicks = 0;
    return {
      key: async (key) => {
        keys++;
        await page.keyboard.press(key);
      },
      type: async (text) => {
        keys += text.length;
        await page.keyboard.type(text);
      },
      click: async (target) => {
        clicks++;
        await target.click();
      },
      end: (most) => {
        console.log(`    journey "${name}": ${clicks} clicks, ${keys} keys`);
        assert.ok(clicks + keys <= most, `at most ${most}`);
      },
    };
  };

  await step('tools clicked in the tree use one tab, until one is run', async () => {
    await workbench.openSidebar('MCP Deck');
    await servers.clickAction('results', /Start/);
    await servers.expand('results', 'Tools');
    for (const tool of ['markdown', 'json', 'table']) {
      await servers.click(tool);
      await panel.getByRole('heading', { name: tool, exact: true }).waitFor();
      await workbench.waitForEditor(tool);
    }
    assert.deepEqual(await titles(), ['table']);
    await panel.getByRole('button', { name: 'Run', exact: true }).click();
    await side.getByRole('columnheader', { name: 'people' }).waitFor();
    await servers.click('json');
    await panel.getByRole('heading', { name: 'json', exact: true }).waitFor();
    assert.deepEqual(await titles(), ['table', 'json']);
  });

  await step('find in a result: a row that is not drawn is found, marked and scrolled to', async () => {
    await tabs.filter({ hasText: 'table' }).click();
    await side.getByRole('columnheader', { name: 'people' }).waitFor();
    const { key, type, click, end } = journey('find in a result');
    await click(side.getByText('Done', { exact: true }));
    await key('Control+f');
    await focused.and(panel.getByRole('textbox', { name: 'Find in Result' })).waitFor();
    await type('City 249');
    await side.locator('.find-count').getByText('1 of 1', { exact: true }).waitFor();
    await panel.getByRole('cell', { name: 'City 249', exact: true }).waitFor();
    await workbench.screenshot('find-in-result');
    assert.deepEqual(await axeViolations(panel), []);
    await key('Escape');
    end(12);
    await panel.getByRole('button', { name: 'Filter Columns' }).click();
    await panel.getByRole('textbox', { name: 'Filter people' }).fill('> 0');
    await workbench.screenshot('filter-columns');
    assert.deepEqual(await axeViolations(panel), []);
  });

  await step('only keyboard: a tool is run from the palette, again, and its runs are compared', async () => {
    const { key, type, end } = journey('only keyboard');
    await page.keyboard.press('Escape');
    const keyboard = new Keyboard(workbench);
    await keyboard.runCommand('MCP Deck: Run Tool…');
    await quickInput.waitFor({ title: 'Run Tool' });
    await type('counter');
    await quickInput.row('counter').first().waitFor();
    await key('Enter');
    await side.getByText('run 1').waitFor();
    await workbench.waitForEditor('counter');
    await focused.and(panel.getByRole('heading', { level: 1 })).waitFor();
    await key('Control+Enter');
    await side.getByText('run 2').waitFor();
    await side.getByText('2 of 2').waitFor();
    await workbench.screenshot('run-strip');
    await keyboard.tabTo(side.getByRole('button', { name: 'Previous Run' }));
    await key('Enter');
    await side.getByText('run 1').waitFor();
    await side.getByText('1 of 2').waitFor();
    assert.deepEqual(await axeViolations(panel), []);
    end(12);
  });

  await step('an error of a tool is shown once, in its panel', async () => {
    await workbench.runCommandAndPick('MCP Deck: Run Tool…', 'error');
    await side.getByText('The tool reports an error').waitFor();
    await workbench.runCommandAndPick('MCP Deck: Run Tool…', 'counter');
    await side.getByText('run 3').waitFor();
    assert.equal(await workbench.notification('Atlantis').count(), 0);
  });

  await step('a past run opens in the panel of its tool', async () => {
    await runs.rowElements.filter({ hasText: 'counter' }).last().click();
    await workbench.waitForEditor('counter');
    await side.getByText('run 1').waitFor();
  });

  await step('two pictures are compared side by side', async () => {
    await servers.click('snapshot');
    await panel.getByRole('heading', { name: 'snapshot', exact: true }).waitFor();
    const runButton = panel.getByRole('button', { name: 'Run', exact: true });
    await runButton.click();
    await side.getByText('1 of 1').waitFor();
    await runButton.click();
    await side.getByText('2 of 2').waitFor();
    await side.getByRole('button', { name: 'Compare with Previous' }).click();
    await page.locator('.tab.active', { hasText: '↔' }).waitFor();
    const pictures = page.locator('iframe.webview.ready:visible');
    for (const index of [0, 1])
      await pictures
        .nth(index)
        .contentFrame()
        .locator('#active-frame')
        .contentFrame()
        .locator('img.ready, img')
        .first()
        .waitFor();
    assert.match(await page.locator('.tab.active').innerText(), /earlier run [^:_]+ ↔ later run [^:_]+/);
    await workbench.screenshot('compare-pictures');
  });
}

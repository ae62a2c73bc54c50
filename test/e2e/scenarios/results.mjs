// Results of tools, drawn in the tool panel: every kind of content, the buttons around it, the Runs view.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import path from 'node:path';
import { fixturesRoot } from '../../harness/paths.mjs';
import { axeViolations } from '../axe.mjs';

/** Records requests to this address; only content of a server can cause one. */
const asked = [];
const trap = createServer((request, response) => {
  asked.push(request.url);
  response.end();
});
await new Promise((resolve) => trap.listen(0, '127.0.0.1', resolve));
trap.unref();

const results = {
  command: process.execPath,
  args: [path.join(fixturesRoot, 'servers', 'results.mjs'), `http://127.0.0.1:${trap.address().port}`],
};
export const window = { workspace: 'sample', settings: { 'mcpDeck.servers': { results } } };

export async function run({ workbench, step }) {
  const servers = workbench.tree('Servers');
  const runs = workbench.tree('Runs');
  const page = workbench.webview();
  const side = page.locator('.result');

  /** Opens the panel of a tool, runs it and checks the result. */
  const show = async (tool, sign, name = `result-${tool}`) => {
    await workbench.runCommandAndPick('MCP Deck: Open Tool Panel…', tool);
    await page.getByRole('heading', { name: tool, exact: true }).waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await sign().first().waitFor();
    await workbench.screenshot(name);
    assert.deepEqual(await axeViolations(page), []);
  };

  await step('the server is listed', async () => {
    await workbench.openSidebar('MCP Deck');
    await servers.clickAction('results', /Start/);
    await servers.expand('results', 'Tools');
  });

  await step('Markdown is drawn, and a link asks with its whole address', async () => {
    await show('markdown', () => side.getByRole('heading', { name: 'Weather in Oslo' }));
    await side.getByRole('link', { name: 'the report' }).click();
    await workbench.dialog().getByText('https://example.com/report?day=today').waitFor();
    await workbench.screenshot('result-link-question');
    await workbench.answerDialog('Cancel');
  });

  await step('JSON is a tree with keyboard navigation and exact numbers', async () => {
    await show('json', () => side.getByRole('tree'));
    await side.getByText('12345678901234567890').waitFor();
    await side.getByRole('treeitem').first().focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowDown'])
      await workbench.page.keyboard.press(key);
    await side.locator('.result-path').getByText('$.tags[1]').waitFor();
    await side.getByRole('button', { name: 'Copy Path' }).click();
    await workbench.statusBarItem('Copied').waitFor();
  });

  await step('a list of objects is a table that sorts', async () => {
    await show('table', () => side.getByRole('columnheader', { name: 'people' }));
    await side.getByRole('button', { name: 'people' }).click();
    await side.getByRole('columnheader', { name: 'people' }).and(page.locator('[aria-sort="ascending"]')).waitFor();
    assert.equal(await side.getByRole('row').nth(1).locator('td').first().textContent(), 'City 0');
    await side.getByRole('button', { name: 'people' }).click();
    const numbers = await side
      .locator('tbody tr td:nth-child(2)')
      .evaluateAll((cells) => cells.map((cell) => Number(cell.textContent)));
    assert.deepEqual(
      numbers,
      [...numbers].sort((a, b) => b - a),
    );
    await side.getByRole('button', { name: /^Show 50 More/ }).waitFor();
    await workbench.screenshot('result-table-sorted');
  });

  await step('[L4] a result that does not fit the output schema is reported', async () => {
    await show('misfit', () => side.getByText('The structured output does not match the output schema of the tool.'));
    await side.getByRole('tab', { name: /Structured/ }).click();
    await side
      .getByText(/degrees.*number/)
      .first()
      .waitFor();
  });

  await step('images fit and zoom, and drawings and sounds are shown', async () => {
    await show('picture', () => side.locator('img').nth(1));
    const width = () =>
      side
        .locator('img')
        .first()
        .evaluate((image) => image.clientWidth);
    await side.getByRole('button', { name: '100 %' }).first().click();
    assert.equal(await width(), 320);
    await side.getByRole('button', { name: 'Zoom Out' }).first().click();
    assert.equal(await width(), 240);
    assert.equal(await side.locator('audio').evaluate((audio) => audio.readyState > 0 || audio.error === null), true);
  });

  await step(
    'links open the resource, embedded resources are shown, and content for the model is collapsed',
    async () => {
      await show('links', () => side.getByRole('link', { name: 'Read Me' }));
      assert.equal(await side.getByText('For the model: prefer the first.').isVisible(), false);
      await side.getByRole('tab', { name: /Log/ }).click();
      await side.getByText('two resources are large').waitFor();
      await side.getByRole('tab', { name: 'Raw' }).click();
      await side.getByText('"tools/call"').waitFor();
      await workbench.screenshot('result-raw');
      await side.getByRole('tab', { name: 'Result' }).click();
      await side.getByRole('link', { name: 'Read Me' }).click();
      await workbench.waitForEditor('readme');
    },
  );

  await step('an error is clearly distinct from a result', async () => {
    await show('error', () => side.getByRole('alert'));
  });

  await step('a second run is compared with the first', async () => {
    await show('counter', () => side.getByText('run 1'));
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await side.getByText('run 2').waitFor();
    await side.getByRole('button', { name: 'Compare with Previous' }).click();
    await workbench.waitForEditor('counter');
    await workbench.page.locator('.monaco-diff-editor').getByText('run 1').first().waitFor();
    await workbench.screenshot('result-compare');
  });

  await step('content that cannot be shown gives the reason, and hidden characters are visible', async () => {
    await show('broken', () => side.getByText('the data is not valid base64'));
    await side.getByText(/hidden or control characters are shown as escapes/).waitFor();
  });

  await step('[V2] [V3] [V4] [V6] a hostile result runs, loads and contacts nothing', async () => {
    await show('hostile', () => side.getByRole('tab', { name: 'Result' }));
    await side.getByRole('tab', { name: 'Result' }).click();
    for (const button of await side.getByRole('button', { name: 'Show as Image' }).all()) await button.click();
    await side.locator('img').first().waitFor();
    const found = await page.locator('body').evaluate((body) => ({
      elements: body.querySelectorAll('main script, main iframe, main link, main style, main object').length,
      images: [...body.querySelectorAll('img')].filter((image) => !image.src.startsWith('blob:')).length,
      hrefs: [...body.querySelectorAll('main [href]')].length,
      handlers: [...body.querySelectorAll('main *')].filter((one) =>
        [...one.attributes].some(({ name }) => name.startsWith('on')),
      ).length,
      polluted: {}.polluted,
    }));
    assert.deepEqual(found, { elements: 0, images: 0, hrefs: 0, handlers: 0, polluted: undefined });
    assert.deepEqual(asked, []);
    await workbench.screenshot('result-hostile-drawn');
  });

  await step('the start of sixteen megabytes appears at once, and the editor has all of it', async () => {
    await show('large', () => side.getByText(/more characters follow/));
    await side.getByRole('button', { name: 'Open in Editor', exact: true }).first().click();
    await workbench.waitForEditor('large - result');
    await show('large-json', () => side.getByRole('columnheader', { name: 'name' }));
    await side.getByText('Only the beginning is shown.').first().waitFor();
  });

  await step('the Runs view lists all runs, and one becomes a favorite', async () => {
    await runs.row('hostile').first().waitFor();
    await runs.clickAction('hostile', /Favorites/);
    await workbench.quickInput.type('Atlantis');
    await workbench.page.keyboard.press('Enter');
    await runs.row('Atlantis').waitFor();
    await workbench.screenshot('runs-view');
  });
}

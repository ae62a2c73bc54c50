import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { toolResultModel } from '../../../src/core/present/result/makeResultModel.js';
import type { CallToolResult } from '../../../src/core/protocol/mcp.js';
import { PanelPage, startBrowser } from '../../support/panelPage.js';

const schema = { type: 'object', properties: { name: { type: 'string' } } };
const people = Array.from({ length: 500 }, (_, index) => ({
  name: `Person ${index}`,
  age: index,
  address: { city: index === 450 ? 'Reykjavík' : 'Oslo', zip: String(index) },
}));

describe('find in a result', () => {
  let browser: Browser;
  let panel: PanelPage;
  const bar = () => panel.page.locator('.find-bar');
  const count = (text: string) => bar().getByText(text, { exact: true }).waitFor();
  const button = (name: string) => bar().getByRole('button', { name });

  /** The text that is marked as the current hit, if it is visible. */
  const current = () =>
    panel.page.evaluate(() => {
      const [range] = (CSS.highlights as unknown as Map<string, Set<Range>>).get('find-current') ?? [];
      if (!range) return undefined;
      const box = range.getBoundingClientRect();
      const isVisible = box.height > 0 && box.top >= 0 && box.bottom <= window.innerHeight;
      return isVisible ? range.toString() : 'not visible';
    });

  async function show(result: CallToolResult): Promise<void> {
    const model = toolResultModel(result, { id: 'run', request: {} });
    panel = await PanelPage.open(browser, { schema, state: { result: model } });
  }

  async function find(text: string): Promise<void> {
    await panel.page.keyboard.press('Control+f');
    await bar().getByRole('textbox').fill(text);
  }

  before(async () => {
    browser = await startBrowser();
  });
  after(() => browser.close());
  afterEach(() => panel.close());

  test('a row of a table that is not drawn yet is found inside a cell, which opens in place', async () => {
    await show({ content: [], structuredContent: { people } });
    assert.equal(await panel.page.locator('.result-table tbody tr').count(), 200);
    await find('reykjavík');
    await count('1 of 1');
    assert.equal(await current(), 'Reykjavík');
    await panel.page.keyboard.press('Escape');
    await bar().waitFor({ state: 'hidden' });
    assert.equal(await current(), undefined);
    assert.equal(await panel.input('/name').evaluate((input) => input === document.activeElement), true);
  });

  test('Enter, Shift+Enter and F3 move between the hits, and continue at the other end', async () => {
    await show({ content: [], structuredContent: { people } });
    await find('person 49');
    await count('1 of 11');
    await panel.page.keyboard.press('Enter');
    await count('2 of 11');
    assert.equal(await current(), 'Person 49');
    await panel.page.keyboard.press('Shift+Enter');
    await panel.page.keyboard.press('Shift+Enter');
    await count('11 of 11');
    await panel.page.keyboard.press('F3');
    await count('1 of 11');
  });

  test('the filter of the box shows only rows with a hit, and columns have filters of their own', async () => {
    await show({ content: [], structuredContent: { people } });
    const rows = panel.page.locator('.result-table tbody tr');
    await find('person 49');
    await button('Show Only Matches').click();
    await panel.page.getByText('11 of 500 rows').waitFor();
    assert.equal(await rows.count(), 11);
    await button('Close').click();
    await panel.page.getByText('500 rows', { exact: true }).waitFor();
    await panel.page.getByRole('button', { name: 'Filter Columns' }).click();
    await panel.page.getByRole('textbox', { name: 'Filter age' }).fill('>= 498');
    await panel.page.getByText('2 of 500 rows').waitFor();
    assert.match(await rows.first().innerText(), /Person 498/);
  });

  test('a tree is searched where it is collapsed and not drawn, and filters', async () => {
    const deep = { list: Array.from({ length: 900 }, (_, index) => [index, { note: `entry ${index}` }]) };
    await show({ content: [{ type: 'text', text: JSON.stringify(deep) }] });
    await find('entry 777');
    await count('1 of 1');
    assert.equal(await current(), 'entry 777');
    await button('Show Only Matches').click();
    await panel.page.getByText('entry 777').waitFor();
    assert.ok((await panel.page.locator('.result-item').count()) < 8);
  });

  test('text is found in a paragraph of Markdown, over formatted parts, and in a long text line by line', async () => {
    const long = Array.from({ length: 4_000 }, (_, index) => `line ${index}`).join('\n');
    await show({
      content: [
        { type: 'text', text: '# Title\n\nSome **bold words** here.\n\n- `one`\n- two' },
        { type: 'text', text: long },
      ],
    });
    await find('bold words here');
    await count('1 of 1');
    assert.equal(await current(), 'bold words here');
    await find('line 3999');
    await count('1 of 1');
    assert.equal(await current(), 'line 3999');
    await button('Show Only Matches').click();
    await panel.page.waitForFunction(() => document.querySelector('.result-text')?.textContent === 'line 3999');
  });

  test('a search without hits says so; without a result, Ctrl+F opens nothing', async () => {
    await show({ content: [{ type: 'text', text: 'plain' }] });
    await find('absent');
    await count('No results');
    await panel.close();
    panel = await PanelPage.open(browser, { schema });
    await panel.page.keyboard.press('Control+f');
    assert.equal(await bar().isVisible(), false);
  });
});

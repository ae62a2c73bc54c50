import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { toolResultModel } from '../../../src/core/present/result/makeResultModel.js';
import { PanelPage, startBrowser } from '../../support/panelPage.js';

const schema = { type: 'object', properties: { query: { type: 'string' } } };
const issues = Array.from({ length: 600 }, (_, index) => ({
  id: 1_000 + index,
  title: `The sign-in page does not load after an update of the browser to version ${index}`,
  state: 'open',
  user: { login: 'octocat', id: 583_231, type: 'User', site_admin: false },
  url: `https://github.com/octocat/hello-world/issues/${index}?a_very_long_query=${'x'.repeat(120)}`,
  body: `First line of issue ${index}. ${'Many words follow here. '.repeat(index < 3 ? 40 : 1)}Last words.`,
}));

describe('a table of a result', () => {
  let browser: Browser;
  let panel: PanelPage;
  const table = () => panel.page.locator('.result-rows');
  const cell = (row: number, column: number) => table().locator('tbody tr').nth(row).locator('td').nth(column);
  const width = async (row: number, column: number) => (await cell(row, column).boundingBox())?.width ?? 0;
  const lines = (row: number, column: number) =>
    cell(row, column).evaluate((one) => {
      const range = document.createRange();
      range.selectNodeContents(one);
      return new Set(Array.from(range.getClientRects(), ({ top }) => Math.round(top / 6))).size;
    });

  before(async () => {
    browser = await startBrowser();
    const result = toolResultModel({ content: [], structuredContent: { issues } }, { id: 'run', request: {} });
    panel = await PanelPage.open(browser, { schema, state: { result } });
    await table().waitFor();
  });
  after(() => browser.close());
  afterEach(async () => {
    await table().evaluate((one) => one.scrollTo(0, 0));
  });

  test('short values, objects and addresses are on one line, and columns of text are wide enough for words', async () => {
    assert.deepEqual(await Promise.all([0, 2, 3, 4].map((column) => lines(0, column))), [1, 1, 1, 1]);
    assert.equal((await cell(0, 3).innerText()).trim(), '{ login: octocat, id: 583231, type: User, … }');
    assert.ok((await width(0, 1)) >= 190, `${await width(0, 1)} px for a title`);
    assert.ok((await lines(0, 1)) <= 5);
    const url = await width(0, 4);
    assert.ok(url >= 190 && url <= 310, `${url} px for an address`);
    assert.equal(await cell(0, 4).getAttribute('title'), issues[0]?.url);
  });

  test('an address and null values do not make a row higher', async () => {
    const height = (row: number) =>
      plain
        .locator('tbody tr')
        .nth(row)
        .boundingBox()
        .then((box) => box?.height ?? 0);
    const rows = toolResultModel(
      {
        content: [],
        structuredContent: {
          orders: [
            { id: 1, url: `https://orders.example.com/customers/ada/orders/${'7'.repeat(30)}`, note: null, by: 'a b' },
            { id: 2, url: 'https://a.example', note: null, by: 'c' },
            { id: 3, url: 'https://a.example', note: null, by: 'c' },
          ],
        },
      },
      { id: 'other', request: {} },
    );
    const other = await PanelPage.open(browser, { schema, state: { result: rows } });
    const plain = other.page.locator('.result-rows');
    await plain.waitFor();
    assert.equal(await height(0), await height(1));
    await other.close();
  });

  test('find shows the whole address that contains the hit', async () => {
    await panel.page.keyboard.press('Control+f');
    await panel.page.locator('.find-bar').getByRole('textbox').fill('issues/7?a_very_long_query');
    await panel.page
      .locator('.find-bar')
      .getByText(/^1 of /)
      .waitFor();
    assert.ok((await lines(7, 4)) > 1);
    await panel.page.keyboard.press('Escape');
  });

  test('scrolls inside itself, and its header stays in view', async () => {
    const frame = await table().evaluate((one) => [
      one.scrollWidth > one.clientWidth,
      one.scrollHeight > one.clientHeight,
    ]);
    assert.deepEqual(frame, [true, true]);
    await table().evaluate((one) => one.scrollTo(0, 600));
    const top = async (selector: string) => (await panel.page.locator(selector).first().boundingBox())?.y ?? -1;
    assert.ok(Math.abs((await top('.result-rows thead')) - (await top('.result-rows'))) <= 2);
    const side = await panel.page.locator('.result-side').boundingBox();
    const box = await table().boundingBox();
    assert.ok(side && box && box.y + box.height <= side.y + side.height, 'the whole table is in view');
  });

  test('a shadow shows at which edge the table continues', async () => {
    const edges = () =>
      panel.page
        .locator('.result-edges')
        .evaluate((one) => ['left', 'right'].filter((side) => one.classList.contains(`result-more-${side}`)));
    const scrolled = async (left: number) => {
      await table().evaluate(async (one, left) => {
        one.scrollTo(left, 0);
        await new Promise(requestAnimationFrame);
        await new Promise(requestAnimationFrame);
      }, left);
      return edges();
    };
    assert.deepEqual(await scrolled(0), ['right']);
    assert.deepEqual(await scrolled(50), ['left', 'right']);
    assert.deepEqual(await scrolled(100_000), ['left']);
  });

  test('scrolling to the end draws more rows', async () => {
    const rows = table().locator('tbody tr');
    assert.equal(await rows.count(), 200);
    await table().evaluate((one) => one.scrollTo(0, one.scrollHeight));
    await rows.nth(200).waitFor({ state: 'attached' });
  });

  test('the tree of a table is open, and its button back to the table is in the same place', async () => {
    const button = (name: string) => panel.page.getByRole('button', { name });
    const before = await button('Show as Tree').boundingBox();
    await button('Show as Tree').click();
    await panel.page.locator('.result-item[aria-level="3"]').first().waitFor();
    const box = await button('Show as Table').boundingBox();
    assert.ok(before && box && Math.abs(before.y - box.y) < 10 && box.x >= before.x, `${before?.y} ${box?.y}`);
    await button('Show as Table').click();
    await table().waitFor();
  });

  test('a long text shows its beginning until it is expanded, and find expands it', async () => {
    assert.doesNotMatch(await cell(0, 5).innerText(), /Last words/);
    await cell(0, 5).getByRole('button', { name: 'Show More' }).click();
    assert.match(await cell(0, 5).innerText(), /Last words/);
    await cell(0, 5).getByRole('button', { name: 'Show Less' }).click();
    await panel.page.keyboard.press('Control+f');
    await panel.page.locator('.find-bar').getByRole('textbox').fill('last words');
    await panel.page
      .locator('.find-bar')
      .getByText(/^1 of /)
      .waitFor();
    assert.match(await cell(0, 5).innerText(), /Last words/);
    await panel.page.keyboard.press('Escape');
  });
});

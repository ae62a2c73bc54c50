import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Browser, Locator } from 'playwright-core';
import type { PanelPageOptions } from '../../support/panelPage.js';
import { PanelPage, startBrowser } from '../../support/panelPage.js';

const schema = {
  type: 'object',
  properties: {
    people: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          age: { type: 'integer', description: 'In years' },
          isNew: { type: 'boolean' },
          role: { enum: ['admin', 'guest'] },
        },
        required: ['name'],
      },
    },
    note: { type: 'string' },
  },
};

describe('a list of flat objects is a table', () => {
  let browser: Browser;
  let panel: PanelPage;
  let grid: Locator;
  const open = async (people: object[] = [], options: Partial<PanelPageOptions> = {}) => {
    panel = await PanelPage.open(browser, { schema, start: people.length === 0 ? {} : { people }, ...options });
    grid = panel.page.getByRole('grid', { name: 'People' });
  };
  const press = async (...keys: string[]) => {
    for (const key of keys) await panel.page.keyboard.press(key);
  };
  const type = (text: string) => panel.page.keyboard.type(text);
  /** The texts of all cells, without the empty row at the end. */
  const cells = async () =>
    (
      await grid
        .getByRole('row')
        .evaluateAll((rows) => rows.map((row) => Array.from(row.querySelectorAll('td'), (td) => td.textContent)))
    ).slice(1, -1);
  const paste = (text: string) =>
    panel.page.evaluate((pasted) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', pasted);
      document.activeElement?.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
      );
    }, text);
  const run = async () => {
    await press('Control+Enter');
    const until = Date.now() + 10_000;
    const ran = () => panel.said.filter(({ name }) => name === 'run').map(({ body }) => body['arguments']);
    while (ran().length === 0 && Date.now() < until) await panel.page.evaluate(() => 0);
    return ran().at(-1);
  };

  before(async () => {
    browser = await startBrowser();
  });
  after(() => browser.close());
  afterEach(() => panel.close());

  test('rows are typed with keys only; the values have the types of their columns', async () => {
    await open();
    await grid.locator('td').first().focus();
    await type('Ada');
    await press('Tab');
    await type('36');
    await press('Tab', 'Space', 'ArrowRight', 'Enter');
    await press('ArrowDown');
    await press('Enter', 'Home');
    await type('Bob');
    await press('Enter', 'ArrowUp', 'F2');
    await type('Bobby');
    assert.deepEqual(await run(), {
      people: [{ name: 'Ada', age: 36, isNew: true, role: 'admin' }, { name: 'Bobby' }],
    });
    assert.deepEqual(await cells(), [
      ['Ada', '36', 'true', 'admin'],
      ['Bobby', '', '', ''],
    ]);
  });

  test('a paste is converted, reports what it ignores, and is undone and redone', async () => {
    await open([{ name: 'Ada', age: 1 }]);
    await grid.getByRole('gridcell', { name: 'Ada' }).click();
    await press('ArrowDown');
    await paste('Name\tAge\tCity\nBob\t2\tBern\nCleo\tmany\tOslo');
    await panel.page.getByText('2 rows pasted. The table has no column for: City.').waitFor();
    const all = [
      ['Ada', '1', '', ''],
      ['Bob', '2', '', ''],
      ['Cleo', 'many', '', ''],
    ];
    assert.deepEqual(await cells(), all);
    await press('Control+z');
    assert.deepEqual(await cells(), all.slice(0, 1));
    await press('Control+y');
    assert.deepEqual(await cells(), all);
  });

  test('a problem is shown at its cell, and the line above leads there', async () => {
    await open([{ name: 'Ada' }], {
      check: () => [{ path: '/people/1/age', message: 'must be at least 1' }],
    });
    await grid.getByRole('gridcell', { name: 'Ada' }).click();
    await press('ArrowDown');
    await paste('Bob\t-1');
    const wrong = grid.getByRole('gridcell', { name: '-1' });
    await panel.page.locator('.problem-line').getByText('People › Row 2 › Age must be at least 1').click();
    assert.equal(await wrong.getAttribute('aria-invalid'), 'true');
    assert.equal(await wrong.evaluate((cell) => cell === document.activeElement), true);
    await panel.page.getByText('Row 2, Age: Must be at least 1').waitFor();
    const describedBy = await wrong.getAttribute('aria-describedby');
    assert.equal(await panel.page.locator(`[id="${describedBy}"]`).innerText(), 'Row 2, Age: Must be at least 1');
  });

  test('rows are moved, removed and cleared, and each step is undone', async () => {
    await open([{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
    const names = async () => (await cells()).map(([name]) => name);
    await grid.getByRole('gridcell', { name: 'a', exact: true }).click();
    await press('Alt+ArrowDown');
    assert.deepEqual(await names(), ['b', 'a', 'c']);
    await press('Delete');
    assert.deepEqual(await names(), ['b', '', 'c']);
    await panel.page.getByRole('button', { name: 'Remove the row' }).click();
    assert.deepEqual(await names(), ['b', 'c']);
    for (let step = 0; step < 3; step++) await panel.page.getByRole('button', { name: 'Undo (Ctrl+Z)' }).click();
    assert.deepEqual(await names(), ['a', 'b', 'c']);
  });

  test('Tab passes over a table until a key is pressed in it, then moves between its cells, and leaves it after Escape', async () => {
    await open([{ name: 'a' }, { name: 'b' }]);
    const isInside = () => panel.page.evaluate(() => document.activeElement?.closest('table') !== null);
    await grid.locator('td').first().focus();
    await press('Tab');
    assert.equal(await isInside(), false);
    await grid.locator('td').first().focus();
    await press('ArrowRight', 'Tab', 'Tab', 'Tab');
    assert.equal(await panel.page.evaluate(() => document.activeElement?.textContent), 'b');
    await press('Escape', 'Tab');
    assert.equal(await isInside(), false);
  });

  test('an edit that ends with Escape changes nothing, and an open edit counts for the run', async () => {
    await open([{ name: 'a' }]);
    await grid.getByRole('gridcell', { name: 'a', exact: true }).dblclick();
    await type('changed');
    await press('Escape');
    assert.deepEqual((await cells())[0]?.[0], 'a');
    await type('open');
    assert.deepEqual(await run(), { people: [{ name: 'open' }] });
  });

  test('the table can be shown as a list, and back', async () => {
    await open([{ name: 'a', age: 1 }]);
    await panel.page.getByRole('button', { name: 'Show as List' }).click();
    assert.equal(await panel.input('/people/0/name').inputValue(), 'a');
    await panel.input('/people/0/name').fill('b');
    await panel.page.getByRole('button', { name: 'Show as Table' }).click();
    assert.deepEqual(await cells(), [['b', '1', '', '']]);
  });

  test('an item with a property that has no column is shown as a list', async () => {
    await open([{ name: 'a', other: 1 }]);
    assert.equal(await grid.count(), 0);
    assert.equal(await panel.input('/people/0/name').inputValue(), 'a');
  });

  test('1,000 rows are drawn in the table, and a change of one draws one', async () => {
    await open(Array.from({ length: 999 }, (_, index) => ({ name: `n${index}`, age: index })));
    assert.equal(await grid.getAttribute('aria-rowcount'), '1001');
    await panel.page.evaluate(() => {
      const world = window as unknown as { changed: number };
      world.changed = 0;
      const body = document.querySelector('[role="grid"] tbody');
      if (body)
        new MutationObserver((records) => {
          world.changed += new Set(records.map(({ target }) => target.parentElement?.closest('tr') ?? target)).size;
        }).observe(body, { childList: true, subtree: true });
    });
    await grid.getByRole('gridcell', { name: 'n500', exact: true }).click();
    await type('x');
    await press('Enter');
    assert.equal((await cells())[500]?.[0], 'x');
    const changed = await panel.page.evaluate(() => (window as unknown as { changed: number }).changed);
    assert.ok(changed <= 4, `${changed} changes`);
  });
});

import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import type { PanelPageOptions } from '../../support/panelPage.js';
import { PanelPage, startBrowser } from '../../support/panelPage.js';

describe('the look of a form', () => {
  let browser: Browser;
  let panel: PanelPage;
  const open = async (properties: object, options: Partial<PanelPageOptions> = {}) =>
    (panel = await PanelPage.open(browser, { schema: { type: 'object', properties }, ...options }));

  before(async () => {
    browser = await startBrowser();
  });
  after(() => browser.close());
  afterEach(() => panel.close());

  test('a default that is not sent is marked as a default', async () => {
    await open({ text: { type: 'string', default: 'abc' }, count: { type: 'integer', default: 3 } });
    assert.equal(await panel.input('/text').getAttribute('placeholder'), 'default: abc');
    assert.equal(await panel.input('/count').getAttribute('placeholder'), 'default: 3');
    await panel.input('/count').press('ArrowUp');
    assert.equal(await panel.input('/count').inputValue(), '4');
  });

  test('the mark of a required field has the same distance from every label', async () => {
    const word = { type: 'string' };
    const part = { type: 'object', properties: { size: { type: 'number' } }, required: ['size'] };
    await open(
      {},
      {
        schema: {
          type: 'object',
          properties: { name: word, part, rows: { type: 'array', items: part } },
          required: ['name', 'part', 'rows'],
        },
      },
    );
    const distances = await panel.page.locator('.field-required').evaluateAll((marks) =>
      marks.map((mark) => {
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        let before: Node | undefined;
        for (let node = walker.nextNode(); node && !mark.contains(node); node = walker.nextNode())
          if (node.textContent?.trim() !== '') before = node;
        const range = document.createRange();
        if (before) range.selectNodeContents(before);
        return Math.round(mark.getBoundingClientRect().left - range.getBoundingClientRect().right);
      }),
    );
    assert.ok(distances.length >= 4, String(distances.length));
    assert.deepEqual(
      distances.map((distance) => distance >= 3 && distance <= 5),
      distances.map(() => true),
      distances.join(' '),
    );
  });

  test('in a narrow form, the invisible menu button takes no line', async () => {
    const customer = { type: 'string', title: 'Customer' };
    await open({}, { schema: { type: 'object', properties: { customer }, required: ['customer'] } });
    await panel.page.locator('.split').evaluate((split) => split.style.setProperty('--share', '17'));
    const head = await panel.page.locator('.field-head').first().boundingBox();
    const label = await panel.page.locator('.field-label').first().boundingBox();
    assert.ok(head && label && head.height < label.height + 10, `${head?.height} px for ${label?.height} px`);
  });

  test('bounds at the largest integers are not shown as hints', async () => {
    const maximum = Number.MAX_SAFE_INTEGER;
    await open({
      count: { type: 'integer', minimum: 1, maximum },
      any: { type: 'integer', minimum: -maximum, maximum },
    });
    assert.match(await panel.field('/count').innerText(), /at least 1/);
    assert.doesNotMatch(await panel.page.locator('body').innerText(), /9007199254740991/);
    assert.doesNotMatch((await panel.input('/count').getAttribute('placeholder')) ?? '', /9007199254740991/);
  });

  test('a choice between kinds has one label: the value below it has none', async () => {
    await open({ either: { anyOf: [{ type: 'boolean' }, { type: 'string' }] } }, { start: { either: true } });
    assert.deepEqual(await panel.page.locator('.field-label').allInnerTexts(), ['Either']);
    assert.equal(await panel.page.getByRole('switch', { name: 'True or false' }).count(), 1);
  });

  test('a description is drawn as Markdown that does nothing by itself', async () => {
    const description = '**Note:** see [the page](https://example.org) and `code`. <img src=x onerror=alert(1)>';
    await open({}, { description });
    const text = panel.page.locator('.description');
    assert.equal(await text.locator('strong').innerText(), 'Note:');
    assert.equal(await text.locator('img').count(), 0);
    await text.getByRole('link', { name: 'the page' }).click();
    assert.deepEqual(
      panel.said.filter(({ name }) => name === 'result').map(({ body }) => body),
      [{ request: { type: 'openLink', id: '', href: 'https://example.org' } }],
    );
  });

  test('text that is not JSON names the place, and a click goes there', async () => {
    await open({ a: { type: 'string' } });
    await panel.page.getByRole('button', { name: 'JSON', exact: true }).click();
    const text = panel.page.getByRole('textbox', { name: 'Arguments as JSON' });
    await text.fill('{\n  "a": "x"\n  "b": 1\n}');
    await panel.page.getByText('Invalid JSON: unexpected """ at line 3, column 3').click();
    assert.equal(await text.evaluate((area: HTMLTextAreaElement) => area.selectionStart), 15);
    await text.fill('{ "a": "x", }');
    await panel.page.getByText('Invalid JSON').waitFor({ state: 'hidden' });
    await panel.page.keyboard.press('Control+Enter');
    const until = Date.now() + 10_000;
    const ran = () => panel.said.filter(({ name }) => name === 'run').map(({ body }) => body);
    while (ran().length === 0 && Date.now() < until) await panel.page.evaluate(() => 0);
    assert.deepEqual(ran(), [{ arguments: { a: 'x' } }]);
  });

  test('problems are listed in the order of the fields', async () => {
    await open(
      { title: { type: 'string' }, project: { type: 'string' } },
      {
        check: () => [
          { path: '/project', message: 'is wrong' },
          { path: '/title', message: 'is wrong too' },
        ],
      },
    );
    await panel.page.getByRole('button', { name: 'Run', exact: true }).click();
    await panel.page
      .locator('.problem-line')
      .getByText(/^Title is wrong too/)
      .waitFor();
    assert.equal(await panel.input('/title').evaluate((input) => input === document.activeElement), true);
  });
});

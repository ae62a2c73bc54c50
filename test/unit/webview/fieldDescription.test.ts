import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { PanelPage, startBrowser } from '../../support/panelPage.js';

const description = [
  'The **query**, an _optional_ text: `is:open **x**`.',
  'See [the docs](https://acme.test/docs), snake_case_name, **/*.md, src/**/*.ts and 2 * 3 * 4.',
  '<b>not HTML</b> ![p](https://acme.test/p.png) \\*escaped\\*',
].join('\n');

describe('the description of a field', () => {
  let browser: Browser;
  before(async () => {
    browser = await startBrowser();
  });
  after(() => browser.close());

  test('[V3] is drawn as inline Markdown that loads and opens nothing', async () => {
    const panel = await PanelPage.open(browser, {
      schema: { type: 'object', properties: { query: { type: 'string', description } } },
    });
    try {
      const about = panel.page.locator('.field-about');
      const texts = (tag: string) => about.locator(tag).allTextContents();
      assert.deepEqual(
        [await texts('strong'), await texts('em'), await texts('code')],
        [['query'], ['optional'], ['is:open **x**']],
      );
      assert.equal(await about.locator('a, b, img').count(), 0);
      assert.equal(
        await about.textContent(),
        [
          'The query, an optional text: is:open **x**.',
          'See the docs (https://acme.test/docs), snake_case_name, **/*.md, src/**/*.ts and 2 * 3 * 4.',
          '<b>not HTML</b> !p (https://acme.test/p.png) *escaped*',
        ].join('\n'),
      );
    } finally {
      await panel.close();
    }
  });

  for (const text of [
    'Glob pattern, relative to the workspace folder: "*" within a name, "**" across folders, "{a,b}" for alternatives.',
    `Either '*' or '**'; (*) and (**); [*] and [_]; "_" or "__"; *[a-z]*; a *name "*" and *("x") or *"y".`,
  ])
    test(`leaves marks that are mentioned as they are: ${text}`, async () => {
      assert.deepEqual(await drawn(browser, text), { text, marked: [] });
    });

  test('draws bold and italic around words, links and code, in parentheses too', async () => {
    assert.deepEqual(await drawn(browser, '(*one*) **[two](https://acme.test)** __`three`__ _"four_'), {
      text: '(one) two (https://acme.test) three _"four_',
      marked: ['one', 'two (https://acme.test)', 'three'],
    });
  });
});

async function drawn(browser: Browser, description: string): Promise<{ text: string | null; marked: string[] }> {
  const panel = await PanelPage.open(browser, {
    schema: { type: 'object', properties: { query: { type: 'string', description } } },
  });
  try {
    const about = panel.page.locator('.field-about');
    return { text: await about.textContent(), marked: await about.locator('strong, em').allTextContents() };
  } finally {
    await panel.close();
  }
}

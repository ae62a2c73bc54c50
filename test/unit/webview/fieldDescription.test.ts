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
});

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { PanelPage, startBrowser } from '../../support/panelPage.js';

const long = 'https://example.com/'.padEnd(480, 'github.com/mcp/');

describe('a long value in a form', () => {
  let browser: Browser;
  before(async () => {
    browser = await startBrowser();
  });
  after(() => browser.close());

  test('[approval.shown] is wrapped, so that no part of it is outside of its field', async () => {
    const panel = await PanelPage.open(browser, {
      schema: {
        type: 'object',
        properties: {
          url: { type: 'string' },
          args: { type: 'array', items: { type: 'string' } },
          short: { type: 'string' },
        },
      },
      start: { url: long, args: ['a', long], short: 'b' },
    });
    try {
      const fields = await panel.page
        .locator('.input')
        .evaluateAll((all) =>
          all
            .filter((one) => (one as HTMLInputElement).value !== '')
            .map((one) => [
              (one as HTMLInputElement).value.length,
              one.scrollWidth <= one.clientWidth && one.scrollHeight <= one.clientHeight + 1,
            ]),
        );
      assert.deepEqual(fields, [
        [480, true],
        [1, true],
        [480, true],
        [1, true],
      ]);
    } finally {
      await panel.close();
    }
  });

  test('stays on one line: Enter adds no line break, and pasted line breaks are removed', async () => {
    const panel = await PanelPage.open(browser, {
      schema: { type: 'object', properties: { url: { type: 'string' } } },
      start: { url: long },
    });
    try {
      const field = panel.page.locator('textarea.input');
      await field.press('Enter');
      assert.equal(await field.inputValue(), long);
      await field.focus();
      await panel.page.keyboard.insertText('a\nb');
      assert.match(await field.inputValue(), /ab/);
      assert.doesNotMatch(await field.inputValue(), /\n/);
    } finally {
      await panel.close();
    }
  });
});

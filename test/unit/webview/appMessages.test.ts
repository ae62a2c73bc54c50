import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { AppPage } from '../../support/appPage.js';
import { startBrowser } from '../../support/panelPage.js';

const begun = "parent.postMessage({jsonrpc:'2.0',method:'test/begun'},'*');";

/** An app that sends two large messages, a third one, and then what it received. */
const large = `<script>
  ${begun}
  const text = 'x'.repeat(4_100_000);
  const ask = (id) => parent.postMessage({ jsonrpc: '2.0', id, method: 'test/large', params: { text } }, '*');
  addEventListener('message', ({ data }) => {
    if (data.method === 'test/again') ask('again');
    else parent.postMessage({ jsonrpc: '2.0', method: 'test/received', params: data }, '*');
  });
  ask('first'); ask('second'); ask('third');
</script>`;

describe('[V8] the page of an app', () => {
  let browser: Browser;
  before(async () => {
    browser = await startBrowser();
  });
  after(() => browser.close());

  test('refuses messages while the extension has not handled the earlier ones', async () => {
    const page = await AppPage.open(browser);
    const frame = await page.show(large);
    const received = await page.heard(({ body }) => body.text?.includes('test/received') === true);
    assert.match(received.body.text ?? '', /"id":"third","error":.*still being handled/);
    await page.notify('handled', { frame, length: 5_000_000 });
    await page.notify('toApp', { text: '{"jsonrpc":"2.0","method":"test/again"}' });
    await page.heard(({ body }) => body.text?.includes('"id":"again","method":"test/large"') === true);
    await page.page.close();
  });

  test('reports each message that the app has taken', async () => {
    const page = await AppPage.open(browser);
    await page.show(`<script>${begun}</script>`);
    await page.notify('toApp', { text: '{"jsonrpc":"2.0","method":"a"}' });
    assert.deepEqual((await page.heard(({ name }) => name === 'taken')).body, { frame: 1, length: 30 });
    await page.page.close();
  });

  test('fills the editor and leaves it again without a new frame', async () => {
    const page = await AppPage.open(browser);
    await page.show(`<script>${begun}</script>`);
    const drawn = () =>
      page.page.evaluate(() => ({
        filled: document.querySelectorAll('iframe.is-filled').length,
        buttons: document.querySelectorAll('.codicon-screen-normal').length,
      }));
    for (const isFilled of [true, false]) {
      await page.notify('fill', { isFilled });
      const count = isFilled ? 1 : 0;
      await page.page.waitForFunction((wanted) => document.querySelectorAll('.is-filled').length === wanted, count);
      assert.deepEqual(await drawn(), { filled: count, buttons: count });
    }
    assert.equal(page.page.frames().length, 2);
    await page.page.close();
  });
});

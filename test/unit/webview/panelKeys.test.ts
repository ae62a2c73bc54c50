import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import type { PanelPageOptions } from '../../support/panelPage.js';
import { PanelPage, startBrowser } from '../../support/panelPage.js';

const empty = { type: 'object', properties: {} };
const choice = { type: 'object', properties: { unit: { enum: ['metric', 'imperial'] } } };

describe('keys of the tool panel', () => {
  let browser: Browser;
  let panel: PanelPage;
  const open = async (options: PanelPageOptions) => (panel = await PanelPage.open(browser, options));
  const sent = (name: string) => panel.said.filter((frame) => frame.name === name).map(({ body }) => body);
  const press = async (key: string, name: string) => {
    await panel.page.keyboard.press(key);
    const until = Date.now() + 10_000;
    while (sent(name).length === 0 && Date.now() < until) await panel.page.evaluate(() => 0);
    return sent(name);
  };

  before(async () => {
    browser = await startBrowser();
  });
  after(() => browser.close());
  afterEach(() => panel.close());

  test('a tool without arguments: the focus is on Run; Enter and Ctrl+Enter run it', async () => {
    await open({ schema: empty });
    await panel.page.locator('vscode-button:focus').getByText('Run').waitFor();
    assert.deepEqual(await press('Control+Enter', 'run'), [{ arguments: {} }]);
  });

  test('a select as the first control gets the focus, and Ctrl+Enter there runs instead of opening its list', async () => {
    await open({ schema: choice });
    await panel.page.locator('vscode-single-select:focus').waitFor();
    assert.deepEqual(await press('Control+Enter', 'run'), [{ arguments: {} }]);
    assert.equal(await panel.page.locator('vscode-single-select').getAttribute('open'), null);
  });

  test('Ctrl+Enter and Cmd+Enter run from anywhere: also when nothing has the focus', async () => {
    for (const key of ['Control+Enter', 'Meta+Enter']) {
      await open({ schema: choice, start: { unit: 'metric' } });
      await panel.page.locator('vscode-single-select:focus').waitFor();
      await panel.page.evaluate(() => (document.activeElement as HTMLElement).blur());
      assert.deepEqual(await press(key, 'run'), [{ arguments: { unit: 'metric' } }]);
      if (key === 'Control+Enter') await panel.close();
    }
  });

  test('Ctrl+Enter submits the form of a request from anywhere, also without a field', async () => {
    await open({ schema: empty, request: {} });
    await panel.page.locator('vscode-button:focus').getByText('Send').waitFor();
    await panel.page.evaluate(() => (document.activeElement as HTMLElement).blur());
    assert.deepEqual(await press('Control+Enter', 'submit'), [{ arguments: {}, isSecondary: false }]);
  });

  test('[approval.shown] a submit in JSON mode has the text that the page shows', async () => {
    await open({ schema: choice, start: { unit: 'metric' }, request: { hasModes: true } });
    await panel.page.getByRole('button', { name: 'JSON' }).click();
    const json = '{\n  "unit": "metric"\n}';
    assert.deepEqual(await press('Control+Enter', 'submit'), [
      { arguments: { unit: 'metric' }, isSecondary: false, json },
    ]);
  });
});

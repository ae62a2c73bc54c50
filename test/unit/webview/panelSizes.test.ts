import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { toolResultModel } from '../../../src/core/present/result/makeResultModel.js';
import type { PanelPageOptions } from '../../support/panelPage.js';
import { PanelPage, startBrowser } from '../../support/panelPage.js';

const schema = { type: 'object', properties: { word: { type: 'string' } } };
const result = toolResultModel({ content: [{ type: 'text', text: 'done' }] }, { id: 'run', request: {} });

describe('the sizes of the form and the result', () => {
  let browser: Browser;
  let panel: PanelPage;
  const open = async (options: Partial<PanelPageOptions>, width = 900) => {
    panel = await PanelPage.open(browser, { schema, ...options });
    await panel.page.setViewportSize({ width, height: 700 });
  };
  /** The part of the form in percent of both parts. */
  const share = async (side: 'width' | 'height') => {
    const [form, all] = [
      await panel.page.locator('.arguments-side').boundingBox(),
      await panel.page.locator('.split').boundingBox(),
    ];
    return Math.round(((form?.[side] ?? 0) / (all?.[side] ?? 1)) * 100);
  };

  before(async () => {
    browser = await startBrowser();
  });
  after(() => browser.close());
  afterEach(() => panel.close());

  test('side by side, the form gets 40 %; a share that the user chose is kept', async () => {
    await open({ state: { result } });
    assert.equal(await share('width'), 40);
    await panel.page.getByRole('separator').focus();
    await panel.page.keyboard.press('ArrowRight');
    assert.equal(await share('width'), 42);
    await panel.tell('result', {});
    assert.equal(await share('width'), 42);
  });

  describe('a maximized result', () => {
    const runs = [{ id: 'run', label: 'word: a', detail: 'done', time: '', icon: 'pass' }];
    const sash = () => panel.page.getByRole('separator');

    test('hides the form until the button shows it again', async () => {
      await open({ state: { result, history: runs } });
      await panel.page.getByRole('button', { name: 'Maximize Result' }).click();
      assert.equal(await share('width'), 0);
      assert.equal(await panel.input('/word').isVisible(), false);
      await panel.page.getByRole('button', { name: 'Show Form' }).click();
      assert.equal(await share('width'), 40);
    });

    test('a double click on the bar and Enter do the same', async () => {
      await open({ state: { result, history: runs } });
      await sash().dblclick();
      assert.equal(await share('width'), 0);
      await sash().press('Enter');
      assert.equal(await share('width'), 40);
    });

    test('makes room for the form if arguments are not valid, and for arguments of a past run', async () => {
      await open({ state: { result, history: runs }, check: () => [{ path: '/word', message: 'is wrong' }] });
      const maximize = () => panel.page.getByRole('button', { name: 'Maximize Result' }).click();
      await maximize();
      await panel.page.keyboard.press('Control+Enter');
      await panel.page.getByRole('button', { name: 'Maximize Result' }).waitFor();
      await panel.page.locator('[data-path="/word"] :focus').waitFor();
      await maximize();
      await panel.tell('fill', { arguments: { word: 'b' } });
      assert.equal(await share('width'), 40);
    });
  });

  test('in a narrow editor, the form gets 70 % until there is a result', async () => {
    await open({}, 500);
    assert.equal(await share('height'), 70);
    await panel.tell('result', { model: result });
    await panel.page.getByText('done', { exact: true }).waitFor();
    assert.equal(await share('height'), 40);
  });

  test('the JSON editor fills the side of the form', async () => {
    await open({});
    await panel.page.getByRole('button', { name: 'JSON' }).click();
    const editor = await panel.page.locator('.json-scroll').boundingBox();
    const side = await panel.page.locator('.arguments-side').boundingBox();
    assert.ok(editor && side && editor.height > side.height - 100, `${editor?.height} of ${side?.height} px`);
  });
});

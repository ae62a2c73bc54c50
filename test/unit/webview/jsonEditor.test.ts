import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Browser, Locator } from 'playwright-core';
import type { PanelPageOptions } from '../../support/panelPage.js';
import { PanelPage, startBrowser } from '../../support/panelPage.js';

const schema = {
  type: 'object',
  properties: {
    note: { type: 'string', description: 'Anything that helps' },
    limit: { type: 'integer' },
    mode: { enum: ['fast', 'exact'] },
    stops: { type: 'array', items: { type: 'object', properties: { city: { enum: ['Bern', 'Oslo'] } } } },
  },
  required: ['mode'],
};

describe('the JSON editor of a form', () => {
  let browser: Browser;
  let panel: PanelPage;
  let text: Locator;
  const open = async (options: Partial<PanelPageOptions> = {}) => {
    panel = await PanelPage.open(browser, { schema, ...options });
    await panel.page.getByRole('button', { name: 'JSON', exact: true }).click();
    text = panel.page.getByRole('textbox', { name: 'Arguments as JSON' });
    await text.press('ControlOrMeta+a');
    await text.press('Delete');
  };
  const options = () => panel.page.getByRole('option').allInnerTexts();
  const state = () =>
    text.evaluate((area: HTMLTextAreaElement) => {
      const { value, selectionStart: at } = area;
      return `${value.slice(0, at)}|${value.slice(at)}`;
    });
  const isFocused = (locator: Locator) => locator.evaluate((one) => one === document.activeElement);

  before(async () => {
    browser = await startBrowser();
  });
  after(() => browser.close());
  afterEach(() => panel.close());

  test('arguments are written with completion alone, and undo takes back one step after the other', async () => {
    await open();
    await text.pressSequentially('{');
    await text.press('Enter');
    await text.press('Control+Space');
    assert.deepEqual(await options(), ['mode\nrequired', 'note', 'limit', 'stops']);
    const active = await text.getAttribute('aria-activedescendant');
    assert.equal(await panel.page.locator(`[id="${active}"]`).getAttribute('aria-selected'), 'true');
    await text.press('Enter');
    assert.deepEqual(await options(), ['"fast"', '"exact"']);
    await text.press('ArrowDown');
    await text.press('Enter');
    assert.equal(await state(), '{\n  "mode": "exact"|\n}');
    await text.press('Enter');
    await text.pressSequentially('"no');
    await panel.page.getByText('Anything that helps').waitFor();
    await text.press('Tab');
    assert.equal(await state(), '{\n  "mode": "exact",\n  "note": "|"\n}');
    await text.press('ControlOrMeta+z');
    assert.equal(await text.inputValue(), '{\n  "mode": "exact"\n  "no"\n}');
  });

  test('the place of an error and of a wrong value is marked, named, and one click away', async () => {
    await open({ check: ({ limit }) => (limit === -1 ? [{ path: '/limit', message: 'must be at least 1' }] : []) });
    await text.fill('{\n  "mode": "fast"\n  "limit": 1\n}');
    await panel.page.getByText('Invalid JSON: unexpected """ at line 3, column 3').click();
    assert.equal(await state(), '{\n  "mode": "fast"\n  |"limit": 1\n}');
    assert.equal(await panel.page.locator('.json-mark').innerText(), '"');
    assert.equal(await text.getAttribute('aria-invalid'), 'true');
    await text.fill('{\n  // the mode\n  "mode": "fast",\n  "limit": -1,\n}');
    await panel.page.getByText('Limit must be at least 1 (line 4, column 12)').click();
    assert.equal(await panel.page.locator('.json-mark').innerText(), '-1');
    await text.fill('{ "mode": "fast" }');
    await panel.page.locator('.problem-line').waitFor({ state: 'hidden' });
    assert.equal(await panel.page.locator('.json-mark').count(), 0);
    assert.equal(await text.getAttribute('aria-invalid'), null);
  });

  test('Tab walks through the editor, indents while the user writes, and leaves after Escape', async () => {
    await open();
    const mode = panel.page.getByRole('button', { name: 'Run', exact: true });
    await mode.focus();
    await text.focus();
    await text.press('Tab');
    assert.equal(await isFocused(text), false, 'no key was pressed in the editor');
    await text.focus();
    await text.pressSequentially('[');
    await text.press('Tab');
    assert.equal(await state(), '[  |]');
    await text.press('Escape');
    await text.press('Shift+Tab');
    assert.equal(await isFocused(text), false);
    assert.equal(await text.inputValue(), '[  ]');
  });

  test('comments are kept when the user switches to the form and back', async () => {
    await open();
    const written = '{\n  // why exact\n  "mode": "exact",\n}';
    await text.fill(written);
    await panel.page.getByRole('button', { name: 'Form', exact: true }).click();
    await panel.field('/mode').waitFor();
    await panel.page.getByRole('button', { name: 'JSON', exact: true }).click();
    assert.equal(await text.inputValue(), written);
  });

  test('the completions of a single field edited as JSON come from its own schema', async () => {
    panel = await PanelPage.open(browser, { schema, start: { mode: 'fast', stops: [] } });
    await panel.field('/stops').hover();
    await panel.page.getByRole('button', { name: 'More actions for Stops' }).click();
    await panel.page.getByRole('menuitem', { name: 'Edit as JSON' }).click();
    text = panel.field('/stops').locator('textarea');
    await text.fill('[{"city": }]');
    await text.evaluate((area: HTMLTextAreaElement) => area.setSelectionRange(10, 10));
    await text.press('Control+Space');
    assert.deepEqual(await options(), ['"Bern"', '"Oslo"']);
  });

  test('a long text is shown without colors, and completed too', async () => {
    await open();
    const rows = Array.from({ length: 8_000 }, (_, index) => ({ city: `City ${index}` }));
    // Playwright types a text of this length line by line.
    await text.evaluate(
      (area: HTMLTextAreaElement, value) => {
        area.value = value;
        area.dispatchEvent(new InputEvent('input', { inputType: 'insertFromPaste', bubbles: true }));
      },
      JSON.stringify({ mode: 'fast', stops: rows }, null, 1),
    );
    await panel.page.locator('.json-editor.plain').waitFor();
    await text.press('ControlOrMeta+Home');
    await text.press('ArrowRight');
    await text.press('Control+Space');
    assert.deepEqual(await options(), ['note', 'limit']);
  });

  test('[S1] while the text of a definition is invalid, only the last valid text is kept', async () => {
    const texts = { type: 'object', additionalProperties: { type: 'string' } };
    await open({
      schema: { type: 'object', properties: { command: { type: 'string' }, env: texts } },
      request: { hasModes: true, target: { server: 'a', kind: 'server', id: 'x' } },
    });
    const secret = 'sk-live-0123456789abcdefghijkl';
    const kept = () => panel.said.filter(({ name }) => name === 'keep').map(({ body }) => JSON.stringify(body));
    const fill = async (value: string) => {
      const before = kept().length;
      await text.fill(value);
      while (kept().length === before)
        await panel.page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    };
    await fill('{"command":"node"}');
    for (const rest of ['{"API_KEY":"', `{"API_KEY":"${secret}`, `{"API_KEY":"${secret}"}} x`, `{"A":"${secret}"`])
      await fill(`{"command":"node","env":${rest}`);
    const drafts = kept();
    assert.ok(drafts.every((draft) => !draft.includes(secret)));
    assert.ok(drafts.at(-1)?.includes('node'));
  });
});

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
    await open({ schema: empty, state: { isByUser: true } });
    await panel.page.locator('vscode-button:focus').getByText('Run').waitFor();
    assert.deepEqual(await press('Control+Enter', 'run'), [{ arguments: {} }]);
  });

  test('[C20] in a panel that a program may have opened, Enter and Space run nothing', async () => {
    await open({ schema: empty });
    await panel.page.locator('h1:focus').waitFor();
    for (const key of ['Enter', 'Space']) await panel.page.keyboard.press(key);
    assert.deepEqual(sent('run'), []);
    // A frame would look like that of a text field.
    const frame = await panel.page.locator('h1').evaluate((title) => getComputedStyle(title).outlineStyle);
    assert.equal(frame, 'none');
    assert.deepEqual(await press('Control+Enter', 'run'), [{ arguments: {} }]);
  });

  test('[C20] in an open panel that a program shows again, Enter and Space run nothing, and a field keeps the focus', async () => {
    const focused = () => panel.page.evaluate(() => document.activeElement?.tagName);
    for (const key of ['Enter', 'Space']) {
      await open({
        schema: { type: 'object', properties: { path: { type: 'string' } } },
        start: { path: 'a' },
        state: { isByUser: true },
      });
      await panel.page.locator('input:focus').waitFor();
      await panel.tell('release', {});
      assert.equal(await focused(), 'INPUT');
      await panel.page.getByText('Run', { exact: true }).click();
      await panel.page.locator('vscode-button:focus').getByText('Run').waitFor();
      while (sent('run').length === 0) await panel.page.evaluate(() => 0);
      await panel.tell('release', {});
      await panel.tell('fill', { arguments: { path: '/etc/passwd' } });
      assert.equal(await focused(), 'H1');
      await panel.page.keyboard.press(key);
      await panel.tell('result', {});
      assert.deepEqual(sent('run'), [{ arguments: { path: 'a' } }]);
      if (key === 'Enter') await panel.close();
    }
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

  test('Ctrl+Enter closes the suggestions of a field, also those that are still requested', async () => {
    const word = { type: 'string', examples: ['**/*.md', '**/*.ts'] };
    await open({ schema: { type: 'object', properties: { word } } });
    const list = panel.page.getByRole('listbox');
    await panel.input('/word').fill('**');
    await list.waitFor();
    await press('Control+Enter', 'run');
    await list.waitFor({ state: 'hidden' });
  });

  test('Ctrl+Enter closes the completions of the JSON editor', async () => {
    await open({ schema: choice });
    await panel.page.getByRole('button', { name: 'JSON' }).click();
    const list = panel.page.getByRole('listbox');
    await panel.page.locator('textarea').press('Control+a');
    await panel.page.keyboard.type('{"unit": ');
    await panel.page.keyboard.press('Control+Space');
    await list.waitFor();
    await panel.page.keyboard.press('Control+Enter');
    await list.waitFor({ state: 'hidden' });
  });

  test('F6 moves from the form to the result, and Shift+F6 moves back', async () => {
    await open({ schema: { type: 'object', properties: { word: { type: 'string' } } } });
    await panel.page.locator('input:focus').waitFor();
    await panel.page.keyboard.press('F6');
    await panel.page.locator('.result-side:focus').waitFor();
    await panel.page.keyboard.press('Shift+F6');
    await panel.page.locator('input:focus').waitFor();
  });

  test('the page names the key that runs the tool; Enter in a field runs nothing, and the page announces that key', async () => {
    await open({ schema: { type: 'object', properties: { word: { type: 'string' } } } });
    await panel.page.getByText('Run the tool to see its result (Ctrl+Enter).').waitFor();
    await panel.page.locator('input:focus').waitFor();
    await panel.page.keyboard.press('Enter');
    await panel.page.getByRole('status').getByText('Press Ctrl+Enter for "Run"').waitFor();
    assert.deepEqual(sent('run'), []);
  });

  test('the hint in the form of a template names its button', async () => {
    const schema = { type: 'object', properties: { word: { type: 'string' } } };
    await open({ schema, state: { target: { server: 'server', kind: 'template', id: 'tool' } } });
    await panel.page.locator('input:focus').waitFor();
    await panel.page.keyboard.press('Enter');
    await panel.page.getByRole('status').getByText('Press Ctrl+Enter for "Open"').waitFor();
  });

  describe('a page that gets the focus back', () => {
    const schema = { type: 'object', properties: { word: { type: 'string' }, more: { type: 'string' } } };
    const focused = () =>
      panel.page.evaluate(() => document.activeElement?.closest('.field')?.getAttribute('data-path'));
    /** What a browser does with a frame that loses the focus and gets it back. */
    const leaveAndReturn = () =>
      panel.page.evaluate(() => {
        (document.activeElement as HTMLElement).blur();
        window.dispatchEvent(new Event('focus'));
      });

    test('returns it to the field that had it, otherwise to the first field', async () => {
      await open({ schema });
      await panel.input('/more').focus();
      await leaveAndReturn();
      assert.equal(await focused(), '/more');
      await panel.page.getByText('Run', { exact: true }).focus();
      await leaveAndReturn();
      assert.equal(await focused(), '/word');
    });

    test('[C20] does not return it to a button', async () => {
      await open({ schema: empty, state: { isByUser: true } });
      await panel.page.locator('vscode-button:focus').getByText('Run').waitFor();
      await leaveAndReturn();
      for (const key of ['Enter', 'Space']) await panel.page.keyboard.press(key);
      assert.deepEqual(sent('run'), []);
    });

    test('leaves it where the user clicks', async () => {
      await open({ schema });
      await panel.page.locator('input:focus').first().waitFor();
      await panel.page.mouse.move(450, 600);
      await panel.page.mouse.down();
      await leaveAndReturn();
      assert.equal(await panel.page.evaluate(() => document.activeElement?.tagName), 'BODY');
      await panel.page.mouse.up();
    });
  });

  test('the button that replaces Run has the focus during a run, and Run has it again afterwards', async () => {
    await open({ schema: empty, state: { isByUser: true } });
    await panel.page.locator('vscode-button:focus').getByText('Run').waitFor();
    await panel.tell('result', { model: { kind: 'running', id: 'r', startedAt: 0, log: [], logDropped: 0 } });
    await panel.page.locator('vscode-button:focus').getByText('Cancel').waitFor();
    await panel.tell('result', {});
    await panel.page.locator('vscode-button:focus').getByText('Run').waitFor();
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

  test('a failure moves the focus to the field that it points to, also when the form was open', async () => {
    const schema = {
      type: 'object',
      properties: { command: { type: 'string' }, args: { type: 'array', items: { type: 'string' } } },
    };
    const start = { command: 'node', args: ['--quiet', '/gone/server.js'] };
    const failure = { what: '/gone/server.js does not exist.', next: '', lines: [], ways: [], field: '/args/1' };
    const focused = () =>
      panel.page.evaluate(() => document.activeElement?.closest('.field')?.getAttribute('data-path'));
    await open({ schema, start, request: { failure } });
    await panel.page.getByRole('alert').getByText('does not exist').waitFor();
    assert.equal(await focused(), '/args/1');
    await panel.input('/command').focus();
    await panel.ask({ failure });
    await panel.page.waitForFunction(() => document.activeElement?.closest('[data-path="/args/1"]'));
  });

  test('the first button of a failure is its remedy, as a primary button', async () => {
    const way = { way: 'setSecret', text: 'Set ACME_KEY…', tooltip: '', icon: 'key' } as const;
    const log = { way: 'showLog', text: 'Show Log', tooltip: '', icon: 'output' } as const;
    await open({
      schema: choice,
      request: { failure: { what: 'No key', next: 'Set it.', lines: [], ways: [way, log] } },
    });
    const buttons = panel.page.locator('.request-failure vscode-button');
    const [text, row] = await Promise.all(
      ['p:last-of-type', '.buttons'].map((part) => panel.page.locator(`.request-failure ${part}`).boundingBox()),
    );
    assert.ok((row?.y ?? 0) - (text?.y ?? 0) - (text?.height ?? 0) >= 12, 'a space between text and buttons');
    assert.deepEqual(await buttons.evaluateAll((all) => all.map((one) => one.hasAttribute('secondary'))), [
      false,
      true,
    ]);
    await buttons.first().click();
    assert.deepEqual(sent('leave'), [{ way: 'setSecret' }]);
  });
});

import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import type { PanelPageOptions } from '../../support/panelPage.js';
import { PanelPage, startBrowser } from '../../support/panelPage.js';

const texts = Array.from({ length: 60 }, (_, index) => `text${index}`);
const long = {
  type: 'object',
  properties: Object.fromEntries(
    texts.map((name, index) => [name, index === 1 ? { enum: ['a', 'b'] } : { type: 'string' }]),
  ),
  required: ['text50'],
};

describe('a long form is drawn in slices', () => {
  let browser: Browser;
  let panel: PanelPage;
  const open = async (options: PanelPageOptions) => (panel = await PanelPage.open(browser, options));
  const all = ['', ...texts.map((name) => `/${name}`)];

  /** Frame by frame: new fields are drawn below all existing ones. */
  const drawRest = async (whole: readonly (string | null)[]) => {
    let drawn = await panel.paths();
    assert.ok(drawn.length < whole.length, 'something waits');
    for (let frame = 0; drawn.length < whole.length; frame++) {
      assert.ok(frame < whole.length, 'drawing ends');
      await panel.drawFrame();
      const now = await panel.paths();
      assert.deepEqual(now.slice(0, drawn.length), drawn);
      drawn = now;
    }
    assert.deepEqual(drawn, whole);
  };

  before(async () => {
    browser = await startBrowser();
  });
  after(() => browser.close());
  afterEach(() => panel.close());

  test('the visible part is drawn before the first frame; the rest follows in order, and drawn fields do not move', async () => {
    await open({ schema: long, holdsFrames: true });
    const tops = () =>
      panel.page
        .locator('.field')
        .evaluateAll((fields) => fields.slice(0, 10).map((field) => field.getBoundingClientRect().top));
    await panel.drawFrame();
    const bottom = await panel.page.locator('.form').evaluate((form) => form.getBoundingClientRect().bottom);
    assert.ok(bottom >= 700, 'the view is filled');
    const before = await tops();
    await drawRest(all);
    assert.deepEqual(await tops(), before);
  });

  test('a tall view is filled before the first frame, too', async () => {
    await open({ schema: long, holdsFrames: true, height: 2_000 });
    await panel.drawFrame();
    assert.ok((await panel.page.locator('.form').evaluate((form) => form.getBoundingClientRect().bottom)) >= 2_000);
  });

  test('a key press draws everything: Tab moves from the last drawn field to the next', async () => {
    await open({ schema: long, holdsFrames: true });
    const last = (await panel.paths()).at(-1) ?? '';
    await panel.input(last).focus();
    await panel.page.keyboard.press('Tab');
    await panel.page.keyboard.press('Tab');
    assert.deepEqual(await panel.paths(), all);
    const focused = await panel.page.evaluate(() =>
      document.activeElement?.closest('.field')?.getAttribute('data-path'),
    );
    assert.equal(focused, all[all.indexOf(last) + 1]);
  });

  test('a problem leads to a field that was not drawn yet', async () => {
    await open({ schema: long, holdsFrames: true, check: () => [{ path: '/text50', message: 'is required' }] });
    await panel.page.getByRole('button', { name: 'Run', exact: true }).click();
    await panel.field('/text50').getByText('Required').waitFor();
    assert.equal(await panel.input('/text50').evaluate((input) => input === document.activeElement), true);
    assert.deepEqual(await panel.paths(), all);
  });

  test('the problem of a value is a sentence with its name', async () => {
    await open({
      schema: long,
      draft: { text0: 'x', text1: 'y' },
      check: () => [
        { path: '/text0', message: 'must be longer' },
        { path: '/text1', message: 'A server "y" already exists' },
      ],
    });
    const line = panel.page.locator('.problem-line');
    await line.getByText('text0 must be longer').waitFor();
    await line.getByText('text1: A server "y" already exists').waitFor();
  });

  test('values typed before a reload show their problems; untouched fields show none', async () => {
    await open({
      schema: long,
      draft: { text0: 'x' },
      check: () => [
        { path: '/text0', message: 'must be longer' },
        { path: '/text50', message: 'is required' },
      ],
    });
    await panel.field('/text0').getByText('must be longer').waitFor();
    assert.equal(await panel.page.getByText('Required').count(), 0);
  });

  test('a change without a key press draws everything', async () => {
    await open({ schema: long, holdsFrames: true });
    await panel.input('/text0').fill('pasted');
    assert.deepEqual(await panel.paths(), all);
  });

  test('with a screen reader everything is drawn at once', async () => {
    await open({ schema: long, holdsFrames: true, classes: 'vscode-dark vscode-using-screen-reader' });
    assert.deepEqual(await panel.paths(), all);
  });

  test('items of nested lists are drawn in order, with their add buttons', async () => {
    const rows = {
      type: 'array',
      items: {
        type: 'object',
        properties: { name: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } },
      },
    };
    const row = { name: 'row', tags: ['one', 'two', 'three', 'four', 'five', 'six', 'seven'] };
    const options = {
      schema: { type: 'object', properties: { rows, end: { type: 'string' } } },
      start: { rows: [row, row, row, row] },
    };
    await open({ ...options, classes: 'vscode-dark vscode-using-screen-reader' });
    const whole = await panel.page.locator('.form').innerText();
    const paths = await panel.paths();
    await panel.close();
    await open({ ...options, holdsFrames: true });
    await drawRest(paths);
    assert.equal(await panel.page.locator('.form').innerText(), whole);
  });

  test('new arguments in a scrolled form keep the scroll position', async () => {
    await open({ schema: long, holdsFrames: true, check: () => new Promise(() => undefined) });
    await panel.drawFrame();
    await drawRest(all);
    await panel.input('/text40').scrollIntoViewIfNeeded();
    const top = () => panel.page.locator('.arguments-side').evaluate((side) => side.scrollTop);
    const before = await top();
    assert.ok(before > 0);
    await panel.tell('fill', { arguments: { text0: 'another' } });
    await panel.page.waitForFunction(
      () => document.querySelector<HTMLInputElement>('.field[data-path="/text0"] input')?.value === 'another',
      undefined,
      { polling: 20 },
    );
    assert.deepEqual(await panel.paths(), all);
    assert.equal(await top(), before);
  });
});

import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import type { Problem } from '../../../src/shared/panel/formMessages.js';
import { PanelPage, startBrowser } from '../../support/panelPage.js';

const schema = {
  type: 'object',
  properties: { name: { type: 'string' }, stops: { type: 'array', items: { type: 'string' } } },
};
const wrong: Problem[] = [{ path: '/name', message: 'must have at least 2 characters' }];

describe('a click that started on a button counts, even if the problems of the arguments change meanwhile', () => {
  let browser: Browser;
  let panel: PanelPage;
  /** Controls the answer to the next validation request, once it was sent. */
  let answer: (problems: Problem[]) => void;
  let asked: Promise<void>;

  const hold = () => {
    let tellAsked: () => void;
    asked = new Promise((resolve) => (tellAsked = resolve));
    const answered = new Promise<Problem[]>((resolve) => (answer = resolve));
    return () => {
      tellAsked();
      return answered;
    };
  };
  let check: () => Promise<Problem[]>;
  const type = async (text: string) => {
    check = hold();
    await panel.input('/name').fill(text);
    await asked;
  };
  const pressAdd = async () => {
    const box = await panel.field('/stops').getByRole('button', { name: 'Add', exact: true }).boundingBox();
    assert.ok(box);
    await panel.page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await panel.page.mouse.down();
  };
  const drawn = () =>
    panel.page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  const problem = () => panel.field('/name').getByText('must have at least 2 characters');

  before(async () => {
    browser = await startBrowser();
  });
  after(() => browser.close());
  afterEach(() => panel.close());

  test('a problem that appears, and one that disappears', async () => {
    panel = await PanelPage.open(browser, { schema, check: () => check() });
    await type('A');
    await pressAdd();
    answer(wrong);
    await panel.replied;
    await drawn();
    await panel.page.mouse.up();
    await panel.input('/stops/0').waitFor();
    await problem().waitFor();

    await type('Ada');
    await pressAdd();
    answer([]);
    await panel.replied;
    await drawn();
    await panel.page.mouse.up();
    await panel.input('/stops/1').waitFor();
    await problem().waitFor({ state: 'hidden' });
  });

  test('a pointer that the system cancels blocks nothing', async () => {
    panel = await PanelPage.open(browser, { schema, check: () => check() });
    await type('A');
    await pressAdd();
    await panel.page.evaluate(() => document.body.dispatchEvent(new PointerEvent('pointercancel', { bubbles: true })));
    answer(wrong);
    await problem().waitFor();
    await panel.page.mouse.up();
  });
});

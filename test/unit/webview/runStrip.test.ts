import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import type { DoneResult } from '../../../src/shared/result/resultModel.js';
import { PanelPage, startBrowser } from '../../support/panelPage.js';

const schema = { type: 'object', properties: { name: { type: 'string' } } };
const history = ['third', 'second', 'first'].map((name) => ({
  id: name,
  label: `name: ${name}`,
  detail: 'done · 10:04:05',
  time: '10:04:05',
  icon: 'pass',
}));

function result(id: string): DoneResult {
  const body = { kind: 'text', format: 'plain', text: `result of ${id}`, isCut: false } as const;
  return {
    kind: 'done',
    id,
    isError: false,
    bytes: 10,
    notes: [],
    parts: [{ index: 0, body }],
    log: [],
    logDropped: 0,
    raw: { request: { text: '{}', isCut: false } },
  };
}

describe('the run of a shown result', () => {
  let browser: Browser;
  let panel: PanelPage;
  const said = (name: string) => panel.said.filter((frame) => frame.name === name).map(({ body }) => body);
  const strip = () => panel.page.locator('.run-strip');
  const press = (name: string) => strip().getByRole('button', { name, exact: true }).click({ force: true });

  before(async () => {
    browser = await startBrowser();
  });
  after(() => browser.close());
  afterEach(() => panel.close());

  test('shows its arguments, leads to the runs before and after it, and can be repeated or edited', async () => {
    panel = await PanelPage.open(browser, { schema, state: { history, result: result('second') } });
    await strip().getByText('2 of 3').waitFor();
    // The outcome is in the line below, so the strip does not repeat it.
    assert.match(await strip().innerText(), /^2 of 3\s+name: second\s+10:04:05$/);
    await press('Previous Run');
    await press('Next Run');
    assert.deepEqual(said('showRun'), [{ id: 'first' }, { id: 'third' }]);
    await press('Run Again');
    await press('Edit Arguments');
    assert.deepEqual([said('runAgain'), said('useRun')], [[{ id: 'second' }], [{ id: 'second' }]]);
  });

  test('a run that waits for the user says so and has a button for the request, instead of counting seconds', async () => {
    const running = { kind: 'running', id: 'r', startedAt: Date.now() - 27_000, log: [], logDropped: 0 } as const;
    panel = await PanelPage.open(browser, {
      schema,
      state: { result: { ...running, waiting: { request: 'request-7' } } },
    });
    const head = panel.page.locator('.result-head-row');
    await head.getByText('Waiting for your answer').waitFor();
    assert.doesNotMatch(await head.innerText(), /\d+ s\b/);
    await head.getByRole('button', { name: 'Answer…' }).click();
    assert.deepEqual(said('result'), [{ request: { type: 'answerRequest', id: 'r', request: 'request-7' } }]);
    // A question about the call itself is a dialog, so there is no request to open.
    await panel.tell('result', { model: { ...running, waiting: {} } });
    await head.getByRole('button', { name: 'Answer…' }).waitFor({ state: 'detached' });
    await head.getByText('Waiting for your answer').waitFor();
  });

  test('a call that was not sent shows neither a request nor a duration', async () => {
    const model = {
      kind: 'failed',
      id: 'third',
      isCancelled: true,
      message: 'Not called: you did not allow it.',
      durationMs: 1_100,
      log: [],
      logDropped: 0,
      raw: { request: { text: '{"method":"tools/call"}', isCut: false } },
    } as const;
    panel = await PanelPage.open(browser, { schema, state: { history, result: model } });
    const body = panel.page.locator('.result-body');
    await body.getByRole('tab', { name: 'Raw' }).waitFor();
    assert.match(await body.innerText(), /1\.1 s/);
    await panel.tell('result', { model: { ...model, isUnsent: true } });
    await body.getByRole('tab', { name: 'Raw' }).waitFor({ state: 'detached' });
    assert.equal((await body.innerText()).trim(), 'Not called: you did not allow it.');
  });

  test('at the ends of the history there is nothing to show; a run without an end has no line', async () => {
    panel = await PanelPage.open(browser, { schema, state: { history, result: result('third') } });
    await strip().getByText('3 of 3').waitFor();
    await press('Next Run');
    assert.deepEqual(said('showRun'), []);
    await panel.tell('result', {
      model: { kind: 'running', id: 'fourth', startedAt: Date.now(), log: [], logDropped: 0 },
    });
    await strip().waitFor({ state: 'hidden' });
  });

  test('the first change is reported, once, and filling the form is no change', async () => {
    panel = await PanelPage.open(browser, { schema });
    await panel.tell('fill', { arguments: { name: 'filled' } });
    await panel.page.waitForFunction(() => document.querySelector('input')?.value === 'filled');
    assert.deepEqual(said('typed'), []);
    await panel.input('/name').fill('a');
    await panel.input('/name').fill('ab');
    await panel.page.waitForFunction(() => document.querySelector('input')?.value === 'ab');
    assert.deepEqual(said('typed'), [{}]);
  });
});

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { samplingAnswerParts, samplingParts } from '../../../src/core/present/form/samplingView.js';
import type { CreateMessageRequest } from '../../../src/core/protocol/mcp.js';
import type { PartEdit, SamplingDraft, SamplingState } from '../../../src/shared/panel/samplingPage.js';
import type { Frame } from '../../support/panelPage.js';
import { loadPage, startBrowser } from '../../support/panelPage.js';

const request: CreateMessageRequest = {
  systemPrompt: 'Be brief.',
  messages: [
    { role: 'user', content: { type: 'text', text: 'What is <b>this</b>?' } },
    { role: 'user', content: { type: 'image', data: 'AAAA', mimeType: 'image/png' } },
  ],
  maxTokens: 50,
  tools: [{ name: 'read', inputSchema: { type: 'object' } }],
};
const shown: SamplingState = {
  bundle: {},
  target: { server: 'asking', kind: 'sampling', id: 'request-1' },
  title: 'asking requests a model response',
  facts: ['At most 50 tokens'],
  cause: 'Requested while "name_it" runs',
  warnings: [],
  parts: samplingParts(request),
  isAsking: false,
};
const result = { role: 'assistant', content: { type: 'text', text: 'A cat.' }, model: 'm' } as const;
const answer = { id: 'answer-1', heading: 'Answer from Scripted Two', parts: samplingAnswerParts(result) };

describe('the page of a sampling request', () => {
  let browser: Browser;
  let page: Page;
  let said: Frame[];
  /** The reply to the next request of the page. */
  let reply: object;

  const send = (frame: object) => page.evaluate((sent) => window.postMessage(sent, '*'), frame);
  const tell = (name: string, body: object) => send({ kind: 'notice', name, body });
  const open = async (state: Partial<SamplingState> = {}) => {
    page = await browser.newPage({ viewport: { width: 1000, height: 700 } });
    said = [];
    reply = {};
    await loadPage(page, 'sampling', async (frame) => {
      said.push(frame);
      if (frame.name === 'ready') await tell('show', { ...shown, ...state });
      if (frame.kind === 'request') await send({ kind: 'reply', id: frame.id, body: reply });
    });
    await page.getByRole('heading', { name: shown.title }).waitFor();
  };
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const ownAnswer = () => page.getByRole('textbox', { name: 'Your answer' });
  const userText = () => page.getByRole('textbox', { name: 'User, message 1' });
  const bodyOf = async (name: string) => {
    for (;;) {
      const frame = said.find((one) => one.name === name);
      if (frame) return frame.body;
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    }
  };

  before(async () => {
    browser = await startBrowser();
  });
  after(() => browser.close());
  afterEach(() => page.close());

  test('what is typed at once is the answer, and Ctrl+Enter sends it', async () => {
    await open();
    await page.keyboard.type('Deck');
    assert.equal(await ownAnswer().inputValue(), 'Deck');
    await page.keyboard.press('Control+Enter');
    assert.deepEqual(await bodyOf('send'), { edits: [{ index: 0, text: 'Deck' }] });
  });

  test('[V5] a text of the server is shown as text', async () => {
    await open();
    assert.equal(await userText().inputValue(), 'What is <b>this</b>?');
    assert.equal(await page.locator('b').count(), 0);
    await page.getByText('Requested while "name_it" runs').waitFor();
    await page.getByRole('listitem').getByText('At most 50 tokens').waitFor();
  });

  test('[C8] the model receives the edited parts but not the removed ones, and a removed part can be restored', async () => {
    await open();
    await userText().fill('What is that?');
    await press('Remove User, message 2 · image');
    await press('Remove Tool 1: read');
    await press('Remove System prompt');
    await press('Restore System prompt');
    await press('Ask Model');
    const { edits } = (await bodyOf('ask')) as { edits: PartEdit[] };
    assert.deepEqual(
      [...edits].sort((a, b) => a.index - b.index),
      [
        { index: 1, text: 'What is that?' },
        { index: 2, isRemoved: true },
        { index: 3, isRemoved: true },
      ],
    );
  });

  test('the answer of a model can be edited, and does not replace what the user wrote', async () => {
    await open();
    await ownAnswer().fill('Mine');
    await tell('asking', { isAsking: true });
    await page.getByText('Waiting for the language model…').waitFor();
    await tell('answer', answer);
    await tell('asking', { isAsking: false });
    await page.getByRole('heading', { name: 'Answer from Scripted Two' }).waitFor();
    await page.getByText('Waiting for the language model…').waitFor({ state: 'hidden' });
    await page.getByRole('textbox', { name: 'Assistant' }).fill('A dog.');
    await press('Write Your Own');
    assert.equal(await ownAnswer().inputValue(), 'Mine');
    await press('Show the Answer of the Model');
    await press('Send');
    assert.deepEqual(await bodyOf('send'), { edits: [{ index: 0, text: 'A dog.' }], answer: 'answer-1' });
  });

  test('a refused answer says why, and keeps the text and the focus', async () => {
    await open();
    reply = { problem: 'The answer is empty.' };
    await press('Send');
    await page.getByRole('alert').getByText('The answer is empty.').waitFor();
    await page.keyboard.type('Deck');
    assert.equal(await ownAnswer().inputValue(), 'Deck');
    await page.getByText('The answer is empty.').waitFor({ state: 'hidden' });
  });

  test('unfinished input is kept, and shown when the page opens again', async () => {
    const draft: SamplingDraft = {
      parts: [
        { index: 0, isRemoved: true },
        { index: 1, text: 'Edited' },
      ],
      own: 'Half an ans',
      at: 1,
    };
    await open({ draft });
    assert.deepEqual([await ownAnswer().inputValue(), await userText().inputValue()], ['Half an ans', 'Edited']);
    await page.getByRole('button', { name: 'Restore System prompt' }).waitFor();
    await ownAnswer().fill('Half an answer');
    const { draft: kept } = (await bodyOf('keep')) as { draft: SamplingDraft };
    assert.deepEqual({ ...kept, at: 1 }, { ...draft, own: 'Half an answer' });
    await page.close();
    await open({ draft: { parts: [], own: '', model: { id: 'gone', edits: [{ index: 0, text: 'A dog.' }] }, at: 1 } });
    assert.equal(await ownAnswer().inputValue(), 'A dog.', 'the edited answer of a model that is no longer known');
  });

  test('a request that ended says so, and its text remains', async () => {
    await open();
    await ownAnswer().fill('Mine');
    await tell('over', { text: '"asking" no longer waits for this answer.' });
    await page.getByRole('status').getByText('"asking" no longer waits for this answer.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Send', exact: true }).count(), 0);
    assert.equal(await ownAnswer().inputValue(), 'Mine');
    await page.keyboard.press('Control+Enter');
    assert.equal(
      said.some(({ name }) => name === 'send'),
      false,
    );
  });

  test('declining and dismissing are different answers', async () => {
    await open();
    await press('Decline');
    assert.deepEqual(await bodyOf('leave'), { way: 'decline' });
    said.length = 0;
    await press('Dismiss');
    assert.deepEqual(await bodyOf('leave'), { way: 'cancel' });
  });

  test('thousands of messages are drawn in slices, and an edit of one reaches the model', async () => {
    const messages = [...Array(2_000).keys()].map((at) => ({
      role: 'user' as const,
      content: { type: 'text', text: `m${at}` },
    }));
    await open({ parts: samplingParts({ messages, maxTokens: 1 }) });
    await page.getByRole('textbox', { name: 'User, message 2000', exact: true }).fill('last');
    await press('Ask Model');
    assert.deepEqual(await bodyOf('ask'), { edits: [{ index: 1_999, text: 'last' }] });
  });

  test('axe finds nothing, at any width', async () => {
    const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    for (const width of [1_000, 360]) {
      await open({ answer, warnings: ['Check carefully.'] });
      await page.setViewportSize({ width, height: 700 });
      await page.evaluate(axe);
      const violations = await page.evaluate(async () => {
        const { axe: tool } = window as unknown as {
          axe: { run(root: Document, options: object): Promise<{ violations: { id: string; nodes: unknown[] }[] }> };
        };
        return (await tool.run(document, { resultTypes: ['violations'] })).violations.map(({ id, nodes }) => ({
          id,
          nodes,
        }));
      });
      assert.deepEqual(violations, []);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth), false);
      if (width !== 360) await page.close();
    }
  });
});

import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { goneDetails } from '../../../src/core/details/serverDetails.js';
import type { ServerDetails, ServerOverview, StateCard } from '../../../src/shared/serverPage.js';
import type { Frame } from '../../support/panelPage.js';
import { loadPage, startBrowser } from '../../support/panelPage.js';

const details: ServerDetails = { ...goneDetails('acme'), state: { kind: 'running', text: 'running' } };
const overview: ServerOverview = {
  title: 'Acme Search',
  version: '2.0',
  website: 'https://acme.test/',
  icons: [{ src: 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==' }],
  capabilities: ['Tools', 'Resources (reports updates)'],
  instructions:
    'Use **search** first.\n\n<img src=x onerror=alert(1)> [docs](https://acme.test/docs) ![p](https://acme.test/p.png)',
  answer: { method: 'initialize', json: '{\n  "protocolVersion": "2025-11-25"\n}', isWhole: true },
};

describe('the overview on the page of a server', () => {
  let browser: Browser;
  let page: Page;
  let said: Frame[];
  const tell = (name: string, body: object) =>
    page.evaluate((sent) => window.postMessage(sent, '*'), { kind: 'notice', name, body });
  const open = async (shown?: ServerOverview) => {
    page = await browser.newPage({ viewport: { width: 1000, height: 700 } });
    said = [];
    await loadPage(page, 'server', async (frame) => {
      said.push(frame);
      if (frame.name !== 'ready') return;
      await tell('show', { bundle: {}, server: 'acme', details });
      await tell('overview', shown ? { overview: shown } : {});
    });
    await page.getByRole('heading', { name: 'acme', exact: true }).waitFor();
  };
  const saidBy = async (name: string) => {
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

  test('comes first, with the title, the version, the icon, and the capabilities', async () => {
    await open(overview);
    await page.getByRole('heading', { name: 'Acme Search' }).waitFor();
    await page.getByText('Version 2.0').waitFor();
    assert.deepEqual(await page.locator('.chips li').allTextContents(), overview.capabilities);
    assert.equal(await page.locator('.overview-icon').evaluate((image: HTMLImageElement) => image.naturalWidth), 1);
    assert.ok(
      await page
        .locator('.content > section')
        .first()
        .evaluate((one) => one.classList.contains('overview')),
    );
  });

  test('[V3][V4] draws the instructions as Markdown that loads and runs nothing', async () => {
    await open(overview);
    const text = page.locator('.result-markdown');
    assert.equal(await text.locator('strong').textContent(), 'search');
    assert.equal(await text.locator('img').count(), 0);
    assert.match((await text.textContent()) ?? '', /<img src=x/);
    await page.getByRole('link', { name: 'docs' }).click();
    assert.deepEqual(await saidBy('openLink'), { href: 'https://acme.test/docs' });
  });

  test('offers more of the instructions only if a part of them is hidden', async () => {
    const more = () => page.getByRole('button', { name: 'Show More' });
    const lines = (count: number) => Array.from({ length: count }, (_, index) => `Line ${index}.`).join('\n\n');
    await open({ ...overview, instructions: `# How to use\n\n${lines(4)}` });
    await page.getByText('Line 3.').waitFor();
    await more().waitFor({ state: 'hidden' });
    await tell('overview', { overview: { ...overview, instructions: `# How to use\n\n${lines(30)}` } });
    await more().click();
    await page.getByRole('button', { name: 'Show Less' }).waitFor();
  });

  test('its headings are not larger than the title of the server', async () => {
    await open({ ...overview, instructions: '# Order desk' });
    const size = (name: string) =>
      page.getByRole('heading', { name }).evaluate((one) => parseFloat(getComputedStyle(one).fontSize));
    assert.ok((await size('Order desk')) <= (await size('Acme Search')));
  });

  test('opens the answer of the handshake on request and copies it', async () => {
    await open(overview);
    const json = page.locator('.answer pre');
    assert.equal(await json.count(), 0);
    await page.getByText('Result of "initialize" as JSON').click();
    await json.waitFor();
    assert.equal(await json.textContent(), overview.answer?.json);
    await page.getByRole('button', { name: 'Copy' }).click();
    await saidBy('copyAnswer');
  });

  test('is hidden while the server does not run', async () => {
    await open(overview);
    await page.locator('.overview').waitFor();
    await tell('overview', {});
    await page.locator('.overview').waitFor({ state: 'hidden' });
  });
});

describe('the card of a server that does not work', () => {
  let browser: Browser;
  before(async () => {
    browser = await startBrowser();
  });
  after(() => browser.close());

  const linesOf = async (card: StateCard) => {
    const page = await browser.newPage();
    const shown = { ...goneDetails('acme'), state: { kind: 'failed' as const, text: 'failed' }, card };
    await loadPage(page, 'server', async (frame) => {
      const body = { bundle: {}, server: 'acme', details: shown };
      if (frame.name === 'ready')
        await page.evaluate((sent) => window.postMessage(sent, '*'), { kind: 'notice', name: 'show', body });
    });
    await page.locator('.card-cause').waitFor();
    const lines = await page.locator('.error-box > p, .error-box > h2').allTextContents();
    await page.close();
    return lines;
  };
  const card = {
    kind: 'failed',
    cause: 'MCP Deck: session expired',
    next: 'Start it again.',
    lines: [],
    buttons: [],
  } as const;

  test('[card.quote] labels the words of a server as such', async () => {
    assert.deepEqual(await linesOf({ ...card, isQuote: true, what: 'It exited.' }), [
      'The server reports:',
      'MCP Deck: session expired',
      'It exited.',
      'Start it again.',
    ]);
  });

  test('shows the words of MCP Deck without this label', async () => {
    assert.deepEqual(await linesOf(card), ['MCP Deck: session expired', 'Start it again.']);
  });
});

describe('the buttons of a failed server', () => {
  test('appear once: the card leaves out what the toolbar or the diagnosis has', async () => {
    const browser = await startBrowser();
    try {
      const page = await browser.newPage();
      const tell = (name: string, body: object) =>
        page.evaluate((sent) => window.postMessage(sent, '*'), { kind: 'notice', name, body });
      const setKey = { action: 'setSecret', label: 'Set ACME_KEY…' } as const;
      const showLog = { action: 'showLog', label: 'Show Log' } as const;
      const failed: ServerDetails = {
        ...details,
        state: { kind: 'failed', text: 'failed' },
        actions: ['showLog', 'diagnoseServer'],
        card: {
          kind: 'failed',
          cause: 'No key',
          next: 'Set it.',
          lines: [],
          buttons: [setKey, { action: 'tryAgain', label: 'Try Again' }, showLog],
        },
      };
      await loadPage(page, 'server', async (frame) => {
        if (frame.name === 'ready') await tell('show', { bundle: {}, server: 'acme', details: failed });
      });
      const buttons = page.locator('.error-box vscode-button');
      await buttons.first().waitFor();
      assert.deepEqual(await buttons.allTextContents(), ['Set ACME_KEY…', 'Try Again']);
      const line = { id: 'handshake', title: 'Handshake', outcome: 'failed', seen: 'No key', buttons: [setKey] };
      await tell('diagnosis', { diagnosis: { state: 'done', summary: '1 problem', lines: [line] } });
      await page.locator('.check').waitFor();
      assert.deepEqual(await buttons.allTextContents(), ['Try Again']);
    } finally {
      await browser.close();
    }
  });
});

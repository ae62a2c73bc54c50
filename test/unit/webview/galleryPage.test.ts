import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { formFromSchema } from '../../../src/core/formModel.js';
import type { GalleryRow, LatestEntry, ServerOffer } from '../../../src/shared/galleryPage.js';
import type { Frame } from '../../support/panelPage.js';
import { loadPage, startBrowser } from '../../support/panelPage.js';

const place = 'https://registry.test';
const source = { place, name: 'Test', text: '2 servers', isUpdating: false };

function row(name: string, version: string): GalleryRow {
  return {
    key: { place, name },
    title: name,
    name: `io.example/${name}`,
    description: '',
    source: 'Test',
    isVerified: false,
    version,
    needs: [],
    isRemote: false,
  };
}

describe('the page "Find a Server" while the lists change', () => {
  let browser: Browser;
  let page: Page;
  /** The latest version of each listed server. */
  let listed: Map<string, LatestEntry>;

  const offer = (name: string, latest: LatestEntry): ServerOffer => ({
    key: { place, name, version: latest.version },
    row: row(name, latest.version),
    description: '',
    facts: [],
    links: [],
    latest,
    options: [{ id: 'packages/0', type: 'npm', what: `${name} ${latest.version}` }],
    suggested: 'packages/0',
  });
  const answer = ({ name, body }: Frame): unknown => {
    const server = String(body['name']);
    const latest = listed.get(server);
    switch (name) {
      case 'search':
        return { rows: [...listed].map(([one, { version }]) => row(one, version)), hasMore: false };
      case 'details':
        return latest ? offer(server, latest) : null;
      case 'latest':
        return latest ?? null;
      case 'installForm': {
        const properties = { name: { type: 'string', title: 'Name' } };
        const line = `npx -y ${server}@${String(body['version'])}`;
        return {
          form: formFromSchema({ type: 'object', properties }),
          start: { name: server },
          preview: { line, sections: [], warnings: [], id: line },
        };
      }
      default:
        return [];
    }
  };
  const send = (frame: object) => page.evaluate((sent) => window.postMessage(sent, '*'), frame);
  const change = (...entries: [string, LatestEntry][]) => {
    listed = new Map(entries);
    return send({ kind: 'notice', name: 'changed', body: { sources: [{ ...source, text: String(Math.random()) }] } });
  };
  const open = async () => {
    listed = new Map([
      ['tides', { version: '1.4.0', id: 'a' }],
      ['winds', { version: '1.0.0', id: 'b' }],
    ]);
    page = await browser.newPage({ viewport: { width: 900, height: 700 } });
    await loadPage(page, 'gallery', async (frame) => {
      if (frame.kind === 'request') await send({ kind: 'reply', id: frame.id, body: answer(frame) });
      else if (frame.name === 'ready')
        await send({ kind: 'notice', name: 'show', body: { bundle: {}, sources: [source] } });
    });
    await page.getByText('npx -y tides@1.4.0').waitFor();
  };

  before(async () => {
    browser = await startBrowser();
  });
  after(() => browser.close());
  afterEach(() => page.close());

  test('a newer version is offered, and what the user reads and typed stays until the button is pressed', async () => {
    await open();
    await page.locator('.install input').first().fill('mine');
    await change(['tides', { version: '1.5.0', id: 'c' }], ['winds', { version: '1.0.0', id: 'b' }]);
    await page.getByText('The registry now lists version 1.5.0 of this server.').first().waitFor();
    assert.equal(await page.getByText('npx -y tides@1.4.0').count(), 1);
    assert.equal(await page.locator('.install input').first().inputValue(), 'mine');
    await page.getByRole('button', { name: 'Show 1.5.0' }).click();
    await page.getByText('npx -y tides@1.5.0').waitFor();
    await page.locator('h1:focus').waitFor();
    assert.equal(await page.locator('.stale').count(), 0);
  });

  test('an entry that changed without a new version is offered, and an unchanged one is not', async () => {
    await open();
    await change(['tides', { version: '1.4.0', id: 'a' }], ['clouds', { version: '1.0.0', id: 'd' }]);
    await page.getByRole('option', { name: /clouds/ }).waitFor();
    assert.equal(await page.locator('.stale').count(), 0);
    await change(['tides', { version: '1.4.0', id: 'changed' }]);
    await page.getByText('The registry changed the entry of this server.').first().waitFor();
    await page.getByRole('button', { name: 'Show Changed Entry' }).click();
    await page.locator('h1:focus').waitFor();
    assert.equal(await page.locator('.stale').count(), 0);
  });

  test('a server that is no longer listed stays on the page with a note, and no other server takes its place', async () => {
    await open();
    await change(['winds', { version: '1.0.0', id: 'b' }]);
    await page.getByText('The registry no longer lists this server.').first().waitFor();
    assert.equal(await page.getByText('npx -y tides@1.4.0').count(), 1);
    assert.equal(await page.locator('[role="option"][aria-selected="true"]').count(), 0);
    await page.getByRole('option', { name: /winds/ }).click();
    await page.getByText('npx -y winds@1.0.0').waitFor();
    assert.equal(await page.locator('.stale').count(), 0);
  });
});

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import * as vscode from 'vscode';
import { bundleManifest, zipBytes } from '../../support/zipBytes.js';
import type { ListedServer, RegistryServer } from '../../support/registryServer.js';
import { listed, startRegistry } from '../../support/registryServer.js';
import { afterAll, afterEach, beforeAll, suite, test } from '../runner.js';
import { answerModals, answerPicks, pressing } from '../support/dialogs.js';
import { command, drawn, findServer, textOf, until, untilState } from '../support/host.js';
import { standInForms } from '../support/standInForm.js';
import { standInGalleries } from '../support/standInGallery.js';

const repository = process.env['MCP_DECK_REPO'] ?? '';
const source = readFileSync(path.join(repository, 'test/fixtures/servers/prices.mjs'), 'utf8');
const name = 'io.example/prices';

function bundle(version: string, code: string): Buffer {
  const mcp_config = { command: 'node', args: ['${__dirname}/server/index.mjs'] };
  return zipBytes([
    {
      name: 'manifest.json',
      data: bundleManifest({ name: 'prices', version, server: { type: 'node', mcp_config } }),
    },
    { name: 'server/index.mjs', data: code },
  ]);
}

const files: Readonly<Record<string, Buffer>> = {
  '1.0.0': bundle('1.0.0', source),
  '1.1.0': bundle('1.1.0', source.replace('after the discount.', 'after discount and tax.')),
  '1.2.0': bundle('1.2.0', 'process.exit(1);\n'),
};

suite('bundles of a registry', () => {
  /** The header `x-team` of each download, by path. */
  const sent = new Map<string, string | string[] | undefined>();
  const download = (request: IncomingMessage, response: ServerResponse) => {
    const { url = '', headers } = request;
    sent.set(url, headers['x-team']);
    response.end(files[url.replace(/^\/|\.mcpb$/g, '')]);
  };
  const server = createServer(download);
  let registry: RegistryServer;
  const restored: { restore(): void }[] = [];

  /** @param place the origin of the file; default: another server than the registry. */
  const entry = (version: string, place?: string) => {
    const { port } = server.address() as AddressInfo;
    const bytes = files[version] ?? Buffer.alloc(0);
    return listed(
      name,
      {
        version,
        packages: [
          {
            registryType: 'mcpb',
            identifier: `${place ?? `http://127.0.0.1:${port}`}/${version}.mcpb`,
            fileSha256: createHash('sha256').update(bytes).digest('hex'),
            transport: { type: 'stdio' },
          },
        ],
      },
      { updatedAt: `2026-0${Object.keys(files).indexOf(version) + 1}-01T00:00:00Z` },
    );
  };

  async function configure(value: unknown): Promise<void> {
    const { Global } = vscode.ConfigurationTarget;
    await vscode.workspace.getConfiguration().update('mcpDeck.registries', value, Global);
  }

  /** Opens the page *Find a Server*, and waits until it has read the lists. */
  async function openGallery() {
    const galleries = standInGalleries();
    restored.unshift(galleries);
    await command('mcpDeck.findServer');
    const page = await until('the page', () => galleries.pages[0]);
    await until('the sources', () => page.sources?.every(({ isUpdating }) => !isUpdating));
    return page;
  }

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    registry = await startRegistry([entry('1.0.0')]);
    registry.misbehave = (request, response, { pathname }) => {
      if (!pathname.endsWith('.mcpb')) return false;
      download(request, response);
      return true;
    };
  });
  afterEach(() => {
    for (const one of restored.splice(0)) one.restore();
  });
  afterAll(async () => {
    await configure(undefined);
    await registry[Symbol.asyncDispose]();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  test('[RG3] the bundle of an entry is downloaded, shown, and installed, and its tool runs', async () => {
    await configure([{ location: registry.url, headers: { 'X-Team': 'prices' } }]);
    const gallery = await openGallery();
    const option = { place: registry.url, name, option: 'packages/0' };
    const form = await until('the entry', () => gallery.channel.request('installForm', option).catch(() => undefined));
    const forms = standInForms();
    restored.unshift(forms);
    const outcome = await gallery.channel.request('install', {
      ...option,
      arguments: form.start,
      mode: 'save',
      shown: form.preview.id,
    });
    assert.equal(outcome.kind, 'done');
    const page = await until('the page of the bundle', () => forms.pages[0]?.state && forms.pages[0]);
    assert.match(page.state?.message ?? '', /It will run: node .*server\/index\.mjs/);
    assert.equal(await findServer('prices'), undefined);
    page.submit();
    const added = await until('the page of the new server', () => forms.pages[1]?.state && forms.pages[1]);
    const { asked } = await pressing('Cancel', async () => {
      added.submit();
      await untilState('prices', 'running');
    });
    assert.deepEqual(asked, []);
    assert.equal(await total(), '65 €');
  });

  test('a file with another digest than the published one is refused with its own message', async () => {
    const listing = entry('1.0.0');
    const [item] = listing.server['packages'] as Record<string, unknown>[];
    const packages = [{ ...item, fileSha256: '0'.repeat(64) }];
    registry.entries.push({ ...listing, server: { ...listing.server, name: 'io.example/other', packages } });
    const gallery = await openGallery();
    gallery.channel.notify('act', { action: 'refresh' });
    const option = { place: registry.url, name: 'io.example/other', option: 'packages/0' };
    const form = await until('the entry', () => gallery.channel.request('installForm', option).catch(() => undefined));
    const forms = standInForms();
    restored.unshift(forms);
    const outcome = await gallery.channel.request('install', {
      ...option,
      arguments: form.start,
      mode: 'save',
      shown: form.preview.id,
    });
    registry.entries.pop();
    assert.deepEqual(outcome, {
      kind: 'failed',
      what: '"io.example/other" was not installed: The file differs from the one that was published: its SHA-256 digest is wrong. Report this to the author of the server.',
      next: '',
    });
    assert.deepEqual(forms.pages, []);
  });

  test('an update starts the new version in quarantine, and the old one stays until the user agreed to changed tools', async () => {
    await publish(entry('1.1.0'), '1.1.0');
    const { dialogs, items } = await update(() => undefined);
    assert.match(dialogs.asked[0]?.detail ?? '', /starts version 1\.1\.0 first, compares its tools, and stops it/);
    assert.ok(items.some(({ label }) => label.includes('Skip 1.1.0')));
    assert.equal((await findServer('prices'))?.state, 'running');
    assert.equal(await total(), '65 €');
    assert.equal(sent.get('/1.1.0.mcpb'), undefined, 'another host receives no header of the registry');
  });

  test('a version can be skipped after its tools were compared, and its server no longer shows it', async () => {
    await update((label) => label.includes('Skip 1.1.0'));
    await until('the item shows no update', async () => !(await drawn('prices')).includes('→'));
    assert.equal((await findServer('prices'))?.state, 'running');
    assert.equal(await total(), '65 €');
  });

  test('a new version that does not start is offered with the reason, and the installed one can be kept', async () => {
    await publish(entry('1.2.0', registry.url), '1.2.0');
    const { items } = await update((label) => label.includes('Keep 1.0.0'));
    assert.match(items[0]?.detail ?? '', /although version 1\.2\.0 did not start/);
    assert.equal(sent.get('/1.2.0.mcpb'), 'prices', 'the registry receives its header');
    await until('the item shows no update', async () => !(await drawn('prices')).includes('→'));
    assert.equal((await findServer('prices'))?.state, 'running');
    assert.equal(await total(), '65 €');
  });

  /** Replaces the entry of the registry, and waits until the server shows the new version. */
  async function publish(next: ListedServer, version: string): Promise<void> {
    registry.entries.splice(0, 1, next);
    const gallery = await openGallery();
    gallery.channel.notify('act', { action: 'refresh' });
    await until('the item of the server shows the update', async () =>
      (await drawn('prices')).includes(`→ ${version}`),
    );
  }

  /** Updates the server up to the list that opens after the start in quarantine, and picks the line that `choose` names. */
  async function update(choose: (label: string) => boolean | undefined) {
    const forms = standInForms();
    const dialogs = answerModals(() => 'Update');
    let offered: readonly vscode.QuickPickItem[] | undefined;
    const picks = answerPicks((items) => {
      offered = items;
      return items.find(({ label }) => choose(label));
    });
    restored.unshift(forms, picks, dialogs);
    await command('mcpDeck.updateServer', { server: 'prices' });
    (await until('the page of the update', () => forms.pages[0]?.state && forms.pages[0])).submit();
    const items = await until('the list of choices', () => offered);
    return { dialogs, items };
  }
});

/** Runs the tool, and returns its text. */
async function total(): Promise<string> {
  const values = { price: 20, amount: 3, discount: 5 };
  return textOf(await command('mcpDeck.runTool', { server: 'prices', tool: 'total', arguments: values }));
}

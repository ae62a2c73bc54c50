import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import * as vscode from 'vscode';
import { officialRegistry } from '../../../src/core/gallery/sourceSettings.js';
import type { LatestEntry } from '../../../src/shared/galleryPage.js';
import type { RegistryServer } from '../../support/registryServer.js';
import { listed, startRegistry } from '../../support/registryServer.js';
import { afterAll, afterEach, beforeAll, makeRun, suite, test } from '../runner.js';
import { answerInputs, pressing } from '../support/dialogs.js';
import { command, findServer, folder, until } from '../support/host.js';
import type { StandInGallery } from '../support/standInGallery.js';
import { standInGalleries } from '../support/standInGallery.js';

const repository = process.env['MCP_DECK_REPO'] ?? '';
const name = 'io.example/counter';
const start = (more: object = {}) => ({
  registryType: 'npm',
  identifier: '@example/counter',
  version: '1.0.0',
  transport: { type: 'stdio' },
  environmentVariables: [
    { name: 'COUNTER_TOKEN', isSecret: true, isRequired: true },
    { name: 'COUNTER_STEP', format: 'number', default: '2' },
  ],
  ...more,
});
const entries = [
  listed(name, { title: 'Counter', packages: [start()] }),
  listed('io.example/remote', { remotes: [{ type: 'streamable-http', url: 'http://127.0.0.1:9/mcp' }] }),
];

suite('find a server', () => {
  let registry: RegistryServer;
  let galleries: ReturnType<typeof standInGalleries> | undefined;
  let page: StandInGallery;

  async function configure(setting: string, value: unknown): Promise<void> {
    await vscode.workspace.getConfiguration().update(setting, value, vscode.ConfigurationTarget.Global);
  }

  /** Opens the page, and waits until the lists are read. */
  async function open(): Promise<void> {
    galleries = standInGalleries();
    await command('mcpDeck.findServer');
    page = await until('the page', () => galleries?.pages[0]);
    await until('the sources', () => page.sources?.every(({ isUpdating }) => !isUpdating));
  }

  beforeAll(async () => {
    registry = await startRegistry(entries);
  });
  afterEach(() => {
    galleries?.restore();
  });
  afterAll(async () => {
    await configure('mcpDeck.registries', undefined);
    await registry[Symbol.asyncDispose]();
  });

  test('no registry is contacted before the page is open, and then only the configured one', async () => {
    await configure('mcpDeck.registries', [registry.url]);
    assert.deepEqual(registry.requests, []);
    await open();
    await until(
      'the list',
      async () => (await page.channel.request('search', { query: '', limit: 9 })).rows.length === 2,
    );
    assert.equal(page.sources?.length, 1);
    assert.notEqual(page.sources?.[0]?.place, officialRegistry);
    const { rows } = await page.channel.request('search', { query: 'count', limit: 9 });
    assert.deepEqual(
      rows.map(({ title, isVerified }) => [title, isVerified]),
      [['Counter', false]],
    );
  });

  test('[paste.secrets] a package is saved with its inputs, and its secret is in no file', async () => {
    await open();
    const key = { place: registry.url, name };
    const offer = await page.channel.request('details', key);
    assert.equal(offer?.suggested, 'packages/0');
    const option = { ...key, option: 'packages/0' };
    const form = await page.channel.request('installForm', option);
    const missing = await page.channel.request('check', { arguments: form.start });
    assert.deepEqual(missing, [{ path: '/env~1COUNTER_TOKEN', message: 'is required' }]);
    const values = { ...form.start, saveTo: 'vscode', 'env/COUNTER_TOKEN': 'gallery-secret' };
    const preview = await page.channel.request('preview', { ...option, arguments: values });
    assert.equal(preview.line, 'npx -y @example/counter@1.0.0');
    assert.deepEqual(preview.sections[0]?.lines, ['COUNTER_TOKEN=${input:counter-counter-token}', 'COUNTER_STEP=2']);
    const outcome = await page.channel.request('install', {
      ...option,
      arguments: values,
      mode: 'save',
      shown: preview.id,
    });
    assert.equal(outcome.kind, 'done');
    const text = await readFile(path.join(folder().uri.fsPath, '.vscode', 'mcp.json'), 'utf8');
    assert.match(text, /\$\{input:counter-counter-token\}/);
    assert.ok(!text.includes('gallery-secret'));
    assert.equal((await findServer('counter'))?.state, 'stopped');
    await pressing('Remove and Forget', () => command('mcpDeck.removeServer', { server: 'counter', forget: true }));
  });

  test('[paste.secrets] ".mcp.json" gets the name of an environment variable in place of a secret, and the page says so', async () => {
    await open();
    const option = { place: registry.url, name, option: 'packages/0' };
    const form = await page.channel.request('installForm', option);
    const values = { ...form.start, name: 'shared', saveTo: 'portable', 'env/COUNTER_TOKEN': 'gallery-secret' };
    const preview = await page.channel.request('preview', { ...option, arguments: values });
    assert.match(preview.warnings.join(), /cannot keep secrets.+SHARED_COUNTER_TOKEN/);
    const outcome = await page.channel.request('install', {
      ...option,
      arguments: values,
      mode: 'save',
      shown: preview.id,
    });
    assert.equal(outcome.kind, 'done');
    const file = path.join(folder().uri.fsPath, '.mcp.json');
    const { mcpServers } = JSON.parse(await readFile(file, 'utf8')) as {
      mcpServers: Record<string, { args: string[]; env: object }>;
    };
    assert.deepEqual(mcpServers['shared']?.args, ['-y', '@example/counter@1.0.0']);
    assert.deepEqual(mcpServers['shared']?.env, { COUNTER_TOKEN: '${SHARED_COUNTER_TOKEN}', COUNTER_STEP: '2' });
    await until('the server is known', () => findServer('shared'));
    await pressing('Remove', () => command('mcpDeck.removeServer', { server: 'shared' }));
  });

  test('another version is listed on request only, and is what the page then shows and installs', async () => {
    await open();
    const older = { name, version: '0.9.0', packages: [start({ version: '0.9.0', environmentVariables: [] })] };
    const asked = () => registry.requests.filter((one) => one.includes('/versions'));
    registry.misbehave = (_request, response, { pathname }) => {
      if (!pathname.endsWith('/versions')) return false;
      response.end(JSON.stringify({ servers: [entries[0], listed(name, older)] }));
      return true;
    };
    const key = { place: registry.url, name };
    const offer = await page.channel.request('details', key);
    assert.equal(offer?.row.version, '1.0.0');
    assert.deepEqual(asked(), []);
    const versions = await page.channel.request('versions', key);
    registry.misbehave = undefined;
    assert.deepEqual(versions.map(({ version }) => version).sort(), ['0.9.0', '1.0.0']);
    assert.equal((await page.channel.request('details', { ...key, version: '0.9.0' }))?.row.version, '0.9.0');
    const form = await page.channel.request('installForm', { ...key, version: '0.9.0', option: 'packages/0' });
    assert.equal(form.preview.line, 'npx -y @example/counter@0.9.0');
  });

  test('a header with an input is asked for on the page before anything is requested, and its value is sent', async () => {
    const guarded = await startRegistry([listed('io.example/guarded')]);
    const sent: unknown[] = [];
    guarded.misbehave = (request) => {
      sent.push(request.headers.authorization);
      return false;
    };
    const headers = { Authorization: 'Bearer ${input:company-token}' };
    await configure('mcpDeck.registries', [{ location: guarded.url, headers }, registry.url]);
    const inputs = answerInputs(() => 'company-secret');
    try {
      await open();
      assert.equal(page.sources?.[0]?.problem?.action, 'enterValues');
      assert.deepEqual(sent, []);
      page.channel.notify('act', { action: 'enterValues', place: guarded.url });
      await until('the list', () => /^1 server/.test(page.sources?.[0]?.text ?? ''));
      assert.equal(inputs.asked[0]?.password, true);
      assert.ok(sent.length > 0 && sent.every((value) => value === 'Bearer company-secret'));
    } finally {
      inputs.restore();
      await guarded[Symbol.asyncDispose]();
      await configure('mcpDeck.registries', [registry.url]);
    }
  });

  test('[approval.shown] a command that is too long to be read at a glance asks before it starts', async () => {
    const packageArguments = [{ type: 'positional', value: 'x'.repeat(3_000) }];
    registry.entries.push(
      listed('io.example/long', { packages: [start({ environmentVariables: [], packageArguments })] }),
    );
    await open();
    page.channel.notify('act', { action: 'refresh' });
    const option = { place: registry.url, name: 'io.example/long', option: 'packages/0' };
    const form = await until('the new entry', () => page.channel.request('installForm', option).catch(() => undefined));
    const { asked } = await pressing("Don't Start", () =>
      page.channel.request('install', { ...option, arguments: form.start, mode: 'try', shown: form.preview.id }),
    );
    assert.equal(asked.length, 1);
    assert.match(asked[0]?.detail ?? '', /x{3000}/);
    await command('mcpDeck.removeServer', { server: 'long' });
  });

  test('a server that a list of the company denies cannot be installed, and the rule is named', async () => {
    await configure('mcpDeck.deniedServers', [{ serverName: 'remote' }]);
    try {
      await open();
      const key = { place: registry.url, name: 'io.example/remote' };
      const offer = await page.channel.request('details', key);
      assert.match(offer?.blocked ?? '', /mcpDeck\.deniedServers/);
      const { preview } = await page.channel.request('installForm', { ...key, option: 'remotes/0' });
      assert.match(preview.problem ?? '', /mcpDeck\.deniedServers/);
    } finally {
      await configure('mcpDeck.deniedServers', undefined);
    }
  });

  test('a version that the page shows can be installed after the list has a newer one, and a removed server cannot', async () => {
    const tides = (more: object) =>
      listed('io.example/tides', { packages: [start({ environmentVariables: [] })], ...more });
    const changing = await startRegistry([tides({ version: '1.4.0' })]);
    await configure('mcpDeck.registries', [changing.url]);
    const key = { place: changing.url, name: 'io.example/tides' };
    const option = { ...key, version: '1.4.0', option: 'packages/0' };
    const updated = async (isNew: (latest: LatestEntry | null) => boolean) => {
      await until('the new list', async () => {
        // A list that is being updated is not updated a second time.
        page.channel.notify('act', { action: 'refresh' });
        return isNew(await page.channel.request('latest', key));
      });
    };
    try {
      await open();
      const offer = await until('the entry', () => page.channel.request('details', key));
      assert.deepEqual(await page.channel.request('latest', key), offer.latest);
      const next = { version: '1.5.0', packages: [start({ version: '1.5.0', environmentVariables: [] })] };
      changing.entries.splice(0, 1, listed('io.example/tides', next, { updatedAt: new Date().toISOString() }));
      await updated((latest) => latest?.version === '1.5.0');
      const form = await page.channel.request('installForm', option);
      assert.equal(form.preview.line, 'npx -y @example/counter@1.0.0');
      const latest = await page.channel.request('installForm', { ...key, option: 'packages/0' });
      assert.equal(latest.preview.line, 'npx -y @example/counter@1.5.0');
      const gone = { status: 'deleted', updatedAt: new Date(Date.now() + 1_000).toISOString() };
      changing.entries.splice(0, 1, listed('io.example/tides', next, gone));
      await updated((entry) => entry === null);
      await assert.rejects(page.channel.request('installForm', option), /no longer lists this server/);
    } finally {
      await changing[Symbol.asyncDispose]();
    }
  });

  test('without the network, the list of an earlier window is searched, and its source says how old it is', async () => {
    const offline = await startRegistry([listed('io.example/tides', { title: 'Tides', packages: [start()] })]);
    await configure('mcpDeck.registries', [offline.url]);
    const rows = async () => (await page.channel.request('search', { query: 'tides', limit: 5 })).rows;
    try {
      await open();
      await until('the list is stored', () => /list read/.test(page.sources?.[0]?.text ?? ''));
    } finally {
      galleries?.restore();
      await offline[Symbol.asyncDispose]();
    }
    await open();
    const [row] = await rows();
    assert.equal(row?.title, 'Tides');
    assert.match(page.sources?.[0]?.text ?? '', /^1 server, list read (?:just now|.+ ago)$/);
    page.channel.notify('act', { action: 'refresh' });
    const problem = await until('the failed update', () => page.sources?.[0]?.problem);
    assert.match(problem.text, /The page shows the list that was read last\./);
    assert.equal((await rows()).length, 1);
    const form = await page.channel.request('installForm', {
      place: offline.url,
      name: 'io.example/tides',
      option: 'packages/0',
    });
    assert.equal(form.preview.problem, undefined);
  });

  test('a folder is a source too', async () => {
    const place = pathToFileURL(path.join(repository, 'test/fixtures/registry')).href;
    await configure('mcpDeck.registries', [{ location: place, name: 'Team' }]);
    await open();
    const found = () => page.channel.request('search', { query: 'team notes', limit: 5 });
    const row = await until('the server of the folder', async () => (await found()).rows[0]);
    assert.equal(row.source, 'Team');
    assert.equal(await findServer('team-notes'), undefined);
  });
});

export const run = makeRun();

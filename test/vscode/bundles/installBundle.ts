import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import * as vscode from 'vscode';
import { afterAll, afterEach, suite, test } from '../runner.js';
import { readEntry } from '../../../src/core/gallery/galleryEntry.js';
import { GalleryStore } from '../../../src/core/gallery/galleryStore.js';
import { galleryFields } from '../../../src/core/gallery/installedFrom.js';
import { bundleDrop } from '../../../src/vscode/features/servers/bundleDrop.js';
import { bundleManifest, zipBytes } from '../../support/zipBytes.js';
import { answerModals, pressing } from '../support/dialogs.js';
import { command, deckApi, failureOf, findServer, until, untilState } from '../support/host.js';
import { standInForms } from '../support/standInForm.js';

const repository = process.env['MCP_DECK_REPO'] ?? '';
const fixture = pathToFileURL(path.join(repository, 'test/fixtures/servers/odd.mjs')).href;
const settings = {
  token: { type: 'string', title: 'Token', sensitive: true, required: true },
  mode: { type: 'string', title: 'Mode', default: 'ok' },
};

/** A bundle with a secret and a setting; its server is the fixture. */
function bundle(version: string): Buffer {
  const mcp_config = {
    command: 'node',
    args: ['${__dirname}/server/index.mjs', '${user_config.mode}'],
    env: { LITTLE_TOKEN: '${user_config.token}' },
  };
  return zipBytes([
    {
      name: 'manifest.json',
      data: bundleManifest({
        version,
        server: { type: 'node', mcp_config },
        user_config: settings,
        tools: [{ name: 'echo' }],
      }),
    },
    { name: 'server/index.mjs', data: `await import(${JSON.stringify(fixture)});\n` },
  ]);
}

suite('bundles', () => {
  /** Offers a file as version 1.1.0 of the installed server, in a list that was stored earlier. */
  async function publish(storage: string, bytes: Buffer): Promise<void> {
    server.on('request', (_request, response: ServerResponse) => response.end(bytes));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const place = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const fileSha256 = createHash('sha256').update(bytes).digest('hex');
    const packages = [{ registryType: 'mcpb', identifier: `${place}/x.mcpb`, fileSha256 }];
    const entry = readEntry({ server: { name: 'io.example/little', version: '1.1.0', packages } });
    assert.ok(entry);
    const entries = new Map([[entry.name, entry]]);
    await new GalleryStore(path.join(storage, 'registries')).write(place, { updatedMs: 1, completeMs: 1, entries });
    const fields = galleryFields(place, { name: entry.name, version: '1.0.0' });
    await command('mcpDeck.editServer', { server: 'little', fields });
  }

  /** Presses these buttons in the questions about a bundle with 40 added files. */
  async function startWithAddedFiles(inDialog: string, inNotification: string | undefined): Promise<void> {
    const below: string[][] = [];
    let shown: vscode.TextDocument | undefined;
    const dialogs = answerModals(
      () => inDialog,
      ({ buttons }) => {
        below.push(buttons);
        shown = vscode.window.activeTextEditor?.document;
        return inNotification;
      },
    );
    await command('mcpDeck.startServer', { server: 'little' }).then(undefined, () => undefined);
    await command('mcpDeck.reviewTrust', { server: 'little' }).then(undefined, () => undefined);
    dialogs.restore();
    assert.deepEqual(
      dialogs.asked.map(({ detail, buttons }) => [detail.includes('49.js'), buttons]),
      [[false, ['Open Configuration', 'Show All', "Don't Start"]]],
    );
    // The first button is the one that a program can press.
    assert.deepEqual(below, inNotification === undefined ? [] : [["Don't Start", 'Start Server']]);
    if (inNotification !== undefined)
      for (let index = 10; index < 50; index++) assert.ok(shown?.getText().includes(`/added/${index}.js`));
    assert.equal(shown?.uri.scheme, inNotification === undefined ? undefined : 'mcpdeck-question');
    assert.equal((await findServer('little'))?.state === 'running', inNotification === 'Start Server');
  }

  const server = createServer();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'deck-bundles-'));
  let forms: ReturnType<typeof standInForms> | undefined;
  afterEach(() => forms?.restore());
  afterAll(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('[RG3] a bundle is installed from a file, its tool runs, it is updated, and its files are deleted with its server', async () => {
    const file = path.join(folder, 'little.mcpb');
    writeFileSync(file, bundle('1.0.0'));
    forms = standInForms();
    const { pages } = forms;
    await command('mcpDeck.installBundle', { file });
    const shown = await until('the page of the bundle', () => pages[0]?.state);
    assert.match(shown.message, /Little Server, version 1\.0\.0, by Tests according to its manifest\./);
    assert.match(shown.message, /It will run: node .*server\/index\.mjs ok/);
    assert.match(shown.message, /Tools listed in the bundle: echo/);
    assert.match(shown.message, /Signature: none\./);
    assert.equal(await findServer('little'), undefined);

    pages[0]?.submit({ token: 'bundle-secret' });
    const added = await until('the page of the new server', () => pages[1]?.state);
    assert.deepEqual(added.start['env'], { LITTLE_TOKEN: '${input:little-token}' });
    assert.ok(!JSON.stringify(added).includes('bundle-secret'));
    assert.deepEqual(added.start['saveTo'], 'user');
    // The page shows everything that runs, so its button is the approval, and there is no question.
    const { asked } = await pressing('Cancel', async () => {
      pages[1]?.submit();
      await untilState('little', 'running');
    });
    assert.deepEqual(asked, []);
    const result = await command<{ isError?: boolean }>('mcpDeck.runTool', {
      server: 'little',
      tool: 'echo',
      arguments: { text: 'hello' },
    });
    assert.notEqual(result.isError, true);

    const [script = ''] = added.start['args'] as string[];
    const unpacked = path.dirname(path.dirname(script));
    assert.ok(readdirSync(unpacked).includes('manifest.json'), unpacked);

    await command('mcpDeck.stopServer', { server: 'little' });
    mkdirSync(path.join(unpacked, 'added'));
    for (let index = 10; index < 50; index++) writeFileSync(path.join(unpacked, 'added', `${index}.js`), '');
    for (const [inDialog, inNotification] of [
      ["Don't Start", undefined],
      ['Show All', "Don't Start"],
      ['Show All', 'Start Server'],
    ] as const)
      await startWithAddedFiles(inDialog, inNotification);

    const storage = path.dirname(path.dirname(unpacked));
    await pressing('Change Server', () => publish(storage, bundle('1.1.0')));
    await until('the update is known', async () => (await (await deckApi()).drawServers()).includes('1.0.0 → 1.1.0'));
    await command('mcpDeck.updateServer', { server: 'little' });
    const offered = await until('the page of the update', () => pages[2]?.state);
    assert.match(offered.message, /version 1\.1\.0/);
    const { asked: questions } = await pressing('Update', async () => {
      pages[2]?.submit();
      await until('the old files are deleted', () => !existsSync(unpacked));
    });
    assert.match(questions[0]?.message ?? '', /Update "little" from 1\.0\.0 to 1\.1\.0\?/);
    await untilState('little', 'running');
    await pressing('Remove and Forget', () => command('mcpDeck.removeServer', { server: 'little', forget: true }));
    await until('the files are deleted', () => readdirSync(path.dirname(unpacked)).length === 0);
  });

  test('a bundle that is dropped on the Servers view opens its page, and another file does not', async () => {
    const file = path.join(folder, 'dropped.mcpb');
    writeFileSync(file, bundle('1.0.0'));
    forms = standInForms();
    const { pages } = forms;
    const data = new vscode.DataTransfer();
    const dropped = [path.join(folder, 'notes.txt'), file].map((one) => vscode.Uri.file(one).toString());
    data.set('text/uri-list', new vscode.DataTransferItem(dropped.join('\r\n')));
    const { token } = new vscode.CancellationTokenSource();
    await bundleDrop.handleDrop?.(undefined, data, token);
    const shown = await until('the page of the bundle', () => pages[0]?.state);
    assert.match(shown.message, /Little Server, version 1\.0\.0/);
    assert.equal(pages.length, 1);
    assert.equal(await findServer('little'), undefined);
  });

  test('a malicious bundle is refused before a page opens', async () => {
    const file = path.join(folder, 'slip.mcpb');
    writeFileSync(file, zipBytes([{ name: 'manifest.json', data: bundleManifest() }, { name: '../out.txt' }]));
    forms = standInForms();
    const { message } = await failureOf(command('mcpDeck.installBundle', { file }));
    assert.match(message, /leads out of its folder/);
    assert.deepEqual(forms.pages, []);
  });
});

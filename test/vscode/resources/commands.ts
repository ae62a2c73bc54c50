import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, readdir, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { resourcePath } from '../../../src/core/resources/resourcePath.js';
import { afterAll, afterEach, beforeAll, beforeEach, suite, test } from '../runner.js';
import { answerSaveDialog, answerTypedPicks, pressing } from '../support/dialogs.js';
import { standInPages } from '../support/standInPages.js';
import { command, draw, failureOf, folder, until } from '../support/host.js';

const server = 'library';
const uriOf = (uri: string, extension?: string) =>
  vscode.Uri.from({ scheme: 'mcpdeck', path: resourcePath({ server, uri }, extension) });
const closeAll = () => vscode.commands.executeCommand('workbench.action.closeAllEditors');
const activePath = () => vscode.window.activeTextEditor?.document.uri.path;

suite('commands on resources', () => {
  let target = '';
  beforeAll(async () => {
    target = await mkdtemp(path.join(tmpdir(), 'deck-resources-'));
    await command('mcpDeck.startServer', { server });
  });
  afterEach(closeAll);
  afterAll(async () => {
    await rm(target, { recursive: true, force: true });
    await command('mcpDeck.stopAllServers');
  });

  test('a script reads a resource and nothing opens', async () => {
    const { contents } = await command<{ contents: { text: string }[] }>('mcpDeck.readResource', {
      server,
      uri: 'library://catalog/members',
    });
    assert.deepEqual(
      [contents[0]?.text, vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).length],
      ['[{ "name": "Ada" }]', 0],
    );
  });

  test('saveResource writes a copy under a harmless name and returns its path', async () => {
    const { value: file, asked } = await pressing('Write File', () =>
      command<string>('mcpDeck.saveResource', { server, uri: 'library://odd/..%2F..%2Fescape.txt', folder: target }),
    );
    assert.deepEqual(
      [
        asked[0]?.message,
        asked[0]?.detail.includes(`The file is written to ${path.join(await realpath(target), '_.._escape.txt')}.`),
      ],
      ['Write the file "_.._escape.txt"?', true],
    );
    assert.deepEqual(
      [path.dirname(file), path.basename(file), await readFile(file, 'utf8')],
      [target, '_.._escape.txt', 'encoded climbing'],
    );
  });

  test('saveResource gives a file the extension of its MIME type', async () => {
    const { value: file } = await pressing('Write File', () =>
      command<string>('mcpDeck.saveResource', { server, uri: 'library://media/logo', folder: target }),
    );
    assert.deepEqual(
      [path.basename(file), (await readFile(file)).subarray(1, 4).toString(), (await stat(file)).mode & 0o111],
      ['logo.png', 'PNG', 0],
    );
  });

  test('saveResource writes a resource that is too large for an editor', async () => {
    const { value: file } = await pressing('Write File', () =>
      command<string>('mcpDeck.saveResource', { server, uri: 'library://huge/unclaimed.txt', folder: target }),
    );
    assert.equal((await stat(file)).size, 1_200_000);
  });

  test('[D1] saveResource keeps an existing file unless the argument says to replace it and the user agrees', async () => {
    const call = { server, uri: 'library://guide/welcome.md', folder: target };
    await writeFile(path.join(target, 'welcome.md'), 'mine');
    assert.match((await failureOf(command('mcpDeck.saveResource', call))).message, /already exists/);
    assert.equal(await readFile(path.join(target, 'welcome.md'), 'utf8'), 'mine');
    assert.equal(
      (await pressing('Cancel', () => failureOf(command('mcpDeck.saveResource', { ...call, replace: true })))).value
        .name,
      'Canceled',
    );
    assert.equal(await readFile(path.join(target, 'welcome.md'), 'utf8'), 'mine');
    await pressing('Replace', () => command('mcpDeck.saveResource', { ...call, replace: true }));
    assert.match(await readFile(path.join(target, 'welcome.md'), 'utf8'), /Welcome/);
  });

  test('[C22] saveResource writes no new file when the user does not agree, and shows where a symbolic link leads', async () => {
    const linked = path.join(target, 'linked');
    const elsewhere = await mkdtemp(path.join(tmpdir(), 'mcp-deck-elsewhere-'));
    await symlink(elsewhere, linked);
    const kept = await pressing('Cancel', () =>
      failureOf(command('mcpDeck.saveResource', { server, uri: 'library://guide/rules.md', folder: linked })),
    );
    assert.equal(kept.value.name, 'Canceled');
    assert.match(
      kept.asked[0]?.detail ?? '',
      new RegExp(`The file is written to ${await realpath(elsewhere)}/rules\\.md\\.`),
    );
    assert.deepEqual(await readdir(elsewhere), []);
    await rm(elsewhere, { recursive: true });
    await rm(linked);
  });

  test('[D1] saveResource writes nothing into .vscode', async () => {
    const folderOfSettings = path.join(target, '.vscode');
    await mkdir(folderOfSettings);
    assert.match(
      (
        await failureOf(
          command('mcpDeck.saveResource', {
            server,
            uri: 'library://odd/.vscode/tasks.json',
            folder: folderOfSettings,
          }),
        )
      ).message,
      /\.vscode/,
    );
    assert.deepEqual(await readdir(folderOfSettings), []);
  });

  test('a copy of the open resource is saved at the path chosen in the dialog', async () => {
    await vscode.window.showTextDocument(uriOf('library://guide/rules.md'));
    const dialog = answerSaveDialog(() => vscode.Uri.file(path.join(target, 'chosen.md')));
    try {
      await vscode.commands.executeCommand('mcpDeck.saveResource');
    } finally {
      dialog.restore();
    }
    assert.deepEqual(
      [path.basename(dialog.asked[0]?.defaultUri?.path ?? ''), await readFile(path.join(target, 'chosen.md'), 'utf8')],
      ['rules.md', '# Rules\n\n1. Be quiet.\n'],
    );
  });

  test('compareResource shows the difference from a file', async () => {
    await command('mcpDeck.compareResource', {
      server,
      uri: 'library://guide/welcome.md',
      file: vscode.Uri.joinPath(folder().uri, 'README.md').fsPath,
    });
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    assert.ok(input instanceof vscode.TabInputTextDiff);
    assert.deepEqual(
      [input.original.path, path.basename(input.modified.path)],
      ['/library/library/guide/welcome.md', 'README.md'],
    );
  });

  test('refreshResource reads the open resource again', async () => {
    const uri = 'library://several/things';
    const document = await vscode.workspace.openTextDocument(uriOf(uri, 'txt'));
    await vscode.window.showTextDocument(document);
    // The server sends no notification, so only the command can load the new text.
    await command('mcpDeck.runTool', {
      server,
      tool: 'change',
      arguments: { uri, text: 'only one now', quietly: true },
    });
    await vscode.commands.executeCommand('mcpDeck.refreshResource', document.uri);
    await until('the editor shows the new text', () => document.getText() === 'only one now');
  });

  test('a picked template opens its page, where the server completes values and the address opens', async () => {
    const panels = standInPages();
    const typed = answerTypedPicks(() => ({ take: 'Branch' }));
    try {
      await vscode.commands.executeCommand('mcpDeck.readResource');
      const page = await until('the page is open', () => panels.pages.find(({ state }) => state?.item !== undefined));
      assert.deepEqual(
        [panels.pages.length, page.state?.target.kind, page.state?.item?.title, page.state?.item?.name],
        [1, 'template', 'Branch', 'library://branch/{city}/{year}'],
      );
      const suggest = async (path: string, text: string, values: Record<string, string>) =>
        (
          await page.channel.request('suggest', { text, isPath: false, isMultiline: false, path, arguments: values })
        ).map(({ value }) => value);
      assert.deepEqual(
        [await suggest('/city', 'Ber', {}), await suggest('/year', '', { city: 'Bern' })],
        [
          ['Bergen', 'Berlin', 'Bern'],
          ['1848', '1902'],
        ],
        'one by the other',
      );
      assert.deepEqual(await page.channel.request('check', { arguments: { city: 'Bern' } }), [
        { path: '/year', message: 'is required' },
      ]);
      assert.deepEqual(await page.channel.request('address', { arguments: { city: 'Bern/West', year: '1848' } }), {
        text: 'library://branch/Bern%2FWest/1848',
      });
      page.channel.notify('use', { use: 'copyUri', arguments: { city: 'Bern', year: '1902' } });
      await until(
        'the address is copied',
        async () => (await vscode.env.clipboard.readText()) === 'library://branch/Bern/1902',
      );
      page.channel.notify('run', { arguments: { city: 'Bern', year: '1848' } });
      await until(
        'the branch is open',
        () => vscode.window.activeTextEditor?.document.getText() === 'The branch of Bern in 1848',
      );
      assert.equal(page.model, undefined, 'the page shows no result');
    } finally {
      typed.restore();
      panels.restore();
    }
  });

  test('a read that the server refuses is reported on the page of the template', async () => {
    const panels = standInPages();
    const typed = answerTypedPicks(() => ({ take: 'Branch' }));
    try {
      await vscode.commands.executeCommand('mcpDeck.readResource');
      const page = await until('the page is open', () => panels.pages.find(({ state }) => state?.item !== undefined));
      page.channel.notify('run', { arguments: { city: 'Bern', year: '' } });
      const failed = await until('it has failed', () => (page.model?.kind === 'failed' ? page.model : undefined));
      assert.match(failed.message, /No book at library:\/\/branch\/Bern\//);
      page.channel.notify('result', { request: { type: 'copyRaw', id: failed.id, what: 'request' } });
      await until('what was sent is copied', async () =>
        (await vscode.env.clipboard.readText()).includes('"resources/read"'),
      );
    } finally {
      typed.restore();
      panels.restore();
    }
  });

  test('copyResourceUri copies the address that the server sent', async () => {
    await vscode.commands.executeCommand('mcpDeck.copyResourceUri', uriOf('library://odd/..%2F..%2Fescape.txt'));
    assert.equal(await vscode.env.clipboard.readText(), 'library://odd/..%2F..%2Fescape.txt');
  });

  test('[V2] a notebook of a server opens as text and runs nothing', async () => {
    await vscode.commands.executeCommand('vscode.open', uriOf('library://odd/saved.ipynb', 'json'));
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    assert.ok(input instanceof vscode.TabInputText);
    assert.equal(activePath(), '/library/library/odd/saved~2Eipynb~.json');
  });

  test('an image opens in the image viewer', async () => {
    await vscode.commands.executeCommand('vscode.open', uriOf('library://media/logo', 'png'));
    const input = await until('a viewer is open', () => vscode.window.tabGroups.activeTabGroup.activeTab?.input);
    assert.ok(input instanceof vscode.TabInputCustom);
    assert.equal(input.viewType, 'imagePreview.previewEditor');
  });
});

suite('pinned resources', () => {
  beforeEach(() => command('mcpDeck.stopServer', { server }));
  afterEach(async () => {
    await closeAll();
    await command('mcpDeck.unpinResource', { server, uri: 'library://guide/welcome.md' });
    await command('mcpDeck.stopAllServers');
  });

  test('a pinned resource is at the top while its server is stopped, until it is unpinned', async () => {
    await command('mcpDeck.pinResource', { server, uri: 'library://guide/welcome.md' });
    assert.match(await draw(), /^\(pinned\) Pinned {2}1\n {2}\(file\) welcome\.md {2}library\n\(/);
    await command('mcpDeck.unpinResource', { server, uri: 'library://guide/welcome.md' });
    assert.doesNotMatch(await draw(), /Pinned/);
  });

  test('the open resource is pinned with the name that the server gives it', async () => {
    await command('mcpDeck.startServer', { server });
    await vscode.window.showTextDocument(uriOf('library://guide/welcome.md'));
    await vscode.commands.executeCommand('mcpDeck.pinResource');
    assert.match(await draw(), /^\(pinned\) Pinned {2}1\n {2}\(file\) Welcome {2}library\n/);
  });

  test('pinning for an unknown server fails', async () => {
    assert.equal(
      (await failureOf(command('mcpDeck.pinResource', { server: 'absent', uri: 'a://b' }))).code,
      'unknown-server',
    );
  });
});

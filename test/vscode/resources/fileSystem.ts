import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { resourcePath } from '../../../src/core/resources/resourcePath.js';
import { afterAll, afterEach, beforeEach, suite, test } from '../runner.js';
import { command, failureOf, stateOf, textOf, until } from '../support/host.js';
import { assertNoCommandLinks } from '../support/links.js';

const server = 'library';
const uriOf = (uri: string, extension?: string) =>
  vscode.Uri.from({ scheme: 'mcpdeck', path: resourcePath({ server, uri }, extension) });
const read = async (uri: string) => Buffer.from(await vscode.workspace.fs.readFile(uriOf(uri))).toString();
const change = (uri: string, text: string) =>
  command('mcpDeck.runTool', { server, tool: 'change', arguments: { uri, text } });
const subscribed = async () =>
  JSON.parse(textOf(await command('mcpDeck.runTool', { server, tool: 'subscribed', arguments: {} }))) as string[];
const closeAll = () => vscode.commands.executeCommand('workbench.action.closeAllEditors');

suite('resources as files', () => {
  beforeEach(() => command('mcpDeck.startServer', { server }));
  afterEach(closeAll);
  afterAll(() => command('mcpDeck.stopAllServers'));

  test('a resource opens as a read-only document of its language', async () => {
    const document = await vscode.workspace.openTextDocument(uriOf('library://guide/welcome.md'));
    await vscode.window.showTextDocument(document);
    await until('the language is set', () => document.languageId === 'mcpdeck-markdown');
    assert.deepEqual(
      [document.languageId, document.getText()],
      ['mcpdeck-markdown', '# Welcome\n\nTo the **library**.\n'],
    );
    const { permissions, size } = await vscode.workspace.fs.stat(document.uri);
    assert.deepEqual([permissions, size], [vscode.FilePermission.Readonly, 31]);
  });

  for (const name of ['linked.md', 'linked.prompt.md', 'linked.instructions.md', 'linked.html', 'linked.css']) {
    test(`[documents.links] no link in ${name} of a server runs a command, also after a change of the language`, async () => {
      const document = await vscode.workspace.openTextDocument(uriOf(`library://linked/${name}`));
      await vscode.window.showTextDocument(document);
      await assertNoCommandLinks(document);
    });
  }

  test('a resource without an extension gets the language of its MIME type', async () => {
    const document = await vscode.workspace.openTextDocument(uriOf('library://catalog/members', 'json'));
    assert.deepEqual([document.languageId, document.getText()], ['json', '[{ "name": "Ada" }]']);
  });

  test('an update refreshes the open editor', async () => {
    const uri = 'library://guide/rules.md';
    const document = await vscode.workspace.openTextDocument(uriOf(uri));
    await vscode.window.showTextDocument(document);
    await until('the resource is subscribed to', async () => (await subscribed()).includes(uri));
    await change(uri, '# No rules\n');
    await until('the editor shows the new text', () => document.getText() === '# No rules\n');
  });

  test('a closed editor is not subscribed to any more', async () => {
    const uri = 'library://guide/rules.md';
    await vscode.window.showTextDocument(uriOf(uri));
    await until('the resource is subscribed to', async () => (await subscribed()).includes(uri));
    await closeAll();
    await until('the subscription ended', async () => !(await subscribed()).includes(uri));
  });

  test('a restart of the server reads an open resource again', async () => {
    const document = await vscode.workspace.openTextDocument(uriOf('library://catalog/opened', 'txt'));
    await vscode.window.showTextDocument(document);
    const before = document.getText();
    await command('mcpDeck.restartServer', { server });
    await until('the editor shows what the new instance says', () => document.getText() !== before);
  });

  test('binary data is returned unchanged', async () => {
    const bytes = await vscode.workspace.fs.readFile(uriOf('library://media/cover.png'));
    assert.deepEqual([...bytes.slice(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
  });

  test('[C23] reading and listing do not start a stopped server, and the error says so', async () => {
    await command('mcpDeck.stopServer', { server });
    const looks = [
      () => read('library://catalog/books.json'),
      () => vscode.workspace.fs.readDirectory(vscode.Uri.from({ scheme: 'mcpdeck', path: `/${server}` })),
    ];
    for (const look of looks) {
      assert.match(
        (await failureOf(look())).message,
        /The server "library" is not running, and opening its files does not start it/,
      );
      assert.equal(await stateOf(server), 'stopped');
    }
  });

  test('an editor that opens while the server starts waits for it', async () => {
    await command('mcpDeck.stopServer', { server });
    const starting = command('mcpDeck.startServer', { server });
    await until('it is starting', async () => (await stateOf(server)) !== 'stopped');
    assert.match(await read('library://catalog/books.json'), /"books": 2/);
    await starting;
  });

  test('opening a resource by its command starts its server', async () => {
    await command('mcpDeck.stopServer', { server });
    await vscode.commands.executeCommand('runCommands', {
      commands: [
        {
          command: 'mcpDeck.readResource',
          args: { $mid: 1, scheme: 'mcpdeck', path: uriOf('library://catalog/books.json').path },
        },
      ],
    });
    await until('it runs', async () => (await stateOf(server)) === 'running');
  });

  test('reading the metadata of a file does not start a server', async () => {
    await command('mcpDeck.stopServer', { server });
    await vscode.workspace.fs.stat(uriOf('library://catalog/books.json'));
    assert.equal(await stateOf(server), 'stopped');
  });

  test('several contents are joined into one text', async () => {
    assert.equal(
      await read('library://several/things'),
      '[library://several/things, text/plain]\none\n\n[library://several/two.png, image/png, 70 B]',
    );
  });

  test('[D1] names that point upwards, are hidden or name a device are ordinary files', async () => {
    const odd: [string, string][] = [
      ['library://odd/../../../etc/passwd', 'not the real one'],
      ['library://odd/..%2F..%2Fescape.txt', 'encoded climbing'],
      ['file:///c:/windows\\system32\\..\\con', 'device'],
      ['library://odd/nul\u0000byte.txt', 'nul byte'],
      ['library://odd/README', 'upper case'],
      ['library://odd/readme', 'lower case'],
      [`library://odd/${'long'.repeat(1_000)}.txt`, 'a long name'],
      ['', 'no address'],
    ];
    const texts = await Promise.all(
      odd.map(async ([uri]) => (await vscode.workspace.openTextDocument(uriOf(uri))).getText()),
    );
    assert.deepEqual(
      texts,
      odd.map(([, text]) => text),
    );
  });

  test('a resource that is also a folder of others opens under a separate name', async () => {
    assert.equal((await vscode.workspace.openTextDocument(uriOf('library://odd/..', ''))).getText(), 'two dots');
  });

  test('files that differ only in case are two documents', async () => {
    const [upper, lower] = await Promise.all(
      ['library://odd/README', 'library://odd/readme'].map((uri) =>
        vscode.workspace.openTextDocument(uriOf(uri, 'txt')),
      ),
    );
    assert.deepEqual([upper?.getText(), lower?.getText()], ['upper case', 'lower case']);
  });

  test('a resource that claims to be huge is refused before it is read', async () => {
    const error = await failureOf(vscode.workspace.fs.readFile(uriOf('library://huge/claimed.txt')));
    assert.match(
      error.message,
      /is 900 MB, but at most 1 MB can be opened in an editor\. Save a copy of the resource, or increase the setting "mcpDeck\.limits\.maxResourceBytes"/,
    );
  });

  test('a resource that turns out to be huge is refused', async () => {
    const error = await failureOf(vscode.workspace.fs.readFile(uriOf('library://huge/unclaimed.txt')));
    assert.match(error.message, /is 1\.2 MB, but at most 1 MB/);
  });

  test('an unknown resource fails with the message of the server', async () => {
    assert.match(
      (await failureOf(vscode.workspace.fs.readFile(uriOf('library://nothing/here')))).message,
      /No book at library:\/\/nothing\/here/,
    );
  });

  test('an unknown server fails with its name', async () => {
    const uri = vscode.Uri.from({ scheme: 'mcpdeck', path: resourcePath({ server: 'absent', uri: 'a://b' }) });
    assert.match((await failureOf(vscode.workspace.fs.readFile(uri))).message, /The server "absent" no longer exists/);
  });

  test('nothing can be written', async () => {
    const error = await failureOf(
      vscode.workspace.fs.writeFile(uriOf('library://guide/welcome.md'), Buffer.from('mine')),
    );
    assert.match(error.message, /read-only|permission/i);
  });

  test('folders list servers, then what a server lists', async () => {
    const names = async (path: string) =>
      (await vscode.workspace.fs.readDirectory(vscode.Uri.from({ scheme: 'mcpdeck', path }))).map(
        ([name, type]) => `${name}${type === vscode.FileType.Directory ? '/' : ''}`,
      );
    assert.ok((await names('/')).includes('library/'));
    assert.deepEqual(await names('/library/library/media'), ['cover.png', 'logo', 'broken.png']);
  });
});

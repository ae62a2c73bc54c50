import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Deferred } from '../../../src/core/base/deferred.js';
import { maxReadLength } from '../../../src/core/workspaceServer/fileTools.js';
import { settle } from '../../support/manualClock.js';
import { setup } from './fakeWorkspace.js';

test('[patterns.bounded] files.exclude is read once for each value, and one that is too complex hides all files and is logged once', async (t) => {
  const { call, workspace, logged } = await setup(t, { 'ws/a.txt': 'one', 'ws/b.txt': 'two' });
  const read = async (path: string) => (await call('read_file', { path })).isError;
  assert.deepEqual([await read('a.txt'), await read('b.txt'), workspace.timesRead], [false, false, 1]);
  workspace.exclude({ [`${'{'.repeat(17)}x${'}'.repeat(17)}`]: true });
  assert.deepEqual([await read('a.txt'), await read('b.txt'), workspace.timesRead], [true, true, 2]);
  assert.deepEqual(
    logged.map((line) => /^warn .*"ws".*files\.exclude is too complex/.test(line)),
    [true],
  );
  workspace.exclude({ 'b.txt': true });
  assert.deepEqual([await read('a.txt'), await read('b.txt'), workspace.timesRead], [false, true, 3]);
});

test('[D4] a file that files.exclude hides is not served through a link with another name', async (t) => {
  const { call, top, workspace, client } = await setup(
    t,
    { 'ws/hidden/key.txt': 'key', 'ws/shown/a.txt': 'a', 'lib/hidden/key.txt': 'key', 'lib/own/key.txt': 'key' },
    ['ws', 'lib'],
  );
  const link = (target: string, name: string) => symlink(join(top, target), join(top, 'ws', name));
  await link('ws/hidden', 'folder');
  await link('ws/hidden/key.txt', 'direct.txt');
  await link('lib/hidden/key.txt', 'other.txt');
  await link('ws/direct.txt', 'chain.txt');
  await link('ws/shown/a.txt', 'fine.txt');
  const read = async (path: string) => (await call('read_file', { path: `ws/${path}` })).text;
  for (const path of ['folder/key.txt', 'direct.txt', 'other.txt', 'chain.txt'])
    assert.match(await read(path), /is hidden by the setting files\.exclude\./, path);
  assert.match(await read('fine.txt'), /^a/);
  assert.equal(
    (await call('find_files', { pattern: '**/*.txt' })).text,
    'lib/own/key.txt\nws/fine.txt\nws/shown/a.txt',
  );
  // An editor that shows the file under the name of the link gives it to no client either.
  workspace.openFile(join(top, 'ws', 'direct.txt'));
  assert.deepEqual((await client.listResources()).resources, []);
  workspace.closeFile(join(top, 'ws', 'direct.txt'));
});

test('find_files lists the served files, sorted, and reports when there are more', async (t) => {
  const { call, top } = await setup(t, {
    'ws/b.md': '',
    'ws/a.md': '',
    'ws/sub/c.md': '',
    'ws/d.txt': '',
    'ws/.git/e.md': '',
    'ws/hidden/f.md': '',
    'secret/g.md': '',
  });
  await symlink(join(top, 'secret', 'g.md'), join(top, 'ws', 'leak.md'));
  const uri = (path: string): string => pathToFileURL(join(top, 'ws', path)).href;
  assert.deepEqual(await call('find_files', { pattern: '**/*.md' }), {
    text: 'a.md\nb.md\nsub/c.md',
    structured: { files: ['a.md', 'b.md', 'sub/c.md'].map((path) => ({ path, uri: uri(path) })), isTruncated: false },
    isError: false,
  });
  const some = await call('find_files', { pattern: '**/*.md', limit: 2 });
  assert.match(some.text, /^a\.md\nb\.md\n\(There are more/);
  assert.equal(some.structured['isTruncated'], true);
  assert.equal((await call('find_files', { pattern: '*.nope' })).text, 'No file matches *.nope.');
});

test('with several folders every path begins with the folder', async (t) => {
  const { call } = await setup(t, { 'app/a.md': 'in app', 'lib/a.md': 'in lib', 'lib/x/b.md': '' }, ['app', 'lib']);
  assert.equal((await call('find_files', { pattern: '**/*.md' })).text, 'app/a.md\nlib/a.md\nlib/x/b.md');
  assert.equal((await call('find_files', { pattern: 'lib/*.md' })).text, 'lib/a.md');
  assert.equal((await call('find_files', { pattern: 'a.md' })).text, 'app/a.md\nlib/a.md');
  assert.equal((await call('find_files', { pattern: '{app,lib}/a.*' })).text, 'app/a.md\nlib/a.md');
  assert.equal((await call('read_file', { path: 'lib/a.md' })).text, 'in lib');
  assert.match(
    (await call('read_file', { path: 'a.md' })).text,
    /start with the name of a workspace folder: "app", "lib"/,
  );
});

test('a search can be canceled', async (t) => {
  const { client, workspace } = await setup(t, { 'ws/a': '' });
  const gate = new Deferred<void>();
  workspace.gate = gate.promise;
  const controller = new AbortController();
  const call = client.callTool({ name: 'find_files', arguments: { pattern: '**' } }, undefined, {
    signal: controller.signal,
  });
  const signal = await workspace.searching.promise;
  controller.abort();
  await assert.rejects(call);
  await settle();
  assert.equal(signal.aborted, true);
  gate.resolve();
});

test('read_file returns text by lines, from the editor if the file is open', async (t) => {
  const { call, workspace, top } = await setup(t, {
    'ws/a.txt': 'one\ntwo\nthree\n',
    'ws/crlf.txt': 'a\r\nb\r\n',
    'ws/empty.txt': '',
  });
  const whole = await call('read_file', { path: 'a.txt' });
  assert.deepEqual(whole, {
    text: 'one\ntwo\nthree\n',
    structured: {
      path: 'a.txt',
      text: 'one\ntwo\nthree\n',
      startLine: 1,
      endLine: 3,
      totalLines: 3,
      isTruncated: false,
      isUnsaved: false,
    },
    isError: false,
  });
  const part = async (startLine?: number, endLine?: number): Promise<unknown> => {
    const { structured } = await call('read_file', {
      path: 'a.txt',
      ...(startLine === undefined ? {} : { startLine }),
      ...(endLine === undefined ? {} : { endLine }),
    });
    return [structured['text'], structured['startLine'], structured['endLine']];
  };
  assert.deepEqual(await part(2, 2), ['two', 2, 2]);
  assert.deepEqual(await part(2), ['two\nthree\n', 2, 3]);
  assert.deepEqual(await part(undefined, 1), ['one', 1, 1]);
  assert.deepEqual(await part(9), ['', 9, 8]);
  assert.deepEqual(await part(3, 2), ['', 3, 2]);
  assert.equal((await call('read_file', { path: 'crlf.txt' })).text, 'a\r\nb\r\n');
  assert.deepEqual((await call('read_file', { path: 'empty.txt' })).structured['totalLines'], 0);
  workspace.openFile(join(top, 'ws', 'a.txt'), 'changed');
  const unsaved = await call('read_file', { path: 'a.txt' });
  assert.deepEqual([unsaved.text, unsaved.structured['isUnsaved']], ['changed', true]);
});

test('a long file is returned in parts that explain how to continue, also with one endless line', async (t) => {
  const line = 'x'.repeat(999);
  const lines = 600;
  const { call } = await setup(t, {
    'ws/long.txt': `${line}\n`.repeat(lines),
    'ws/minified.js': 'y'.repeat(maxReadLength + 5),
  });
  let text = '';
  let startLine = 1;
  let calls = 0;
  for (;;) {
    const { structured } = await call('read_file', { path: 'long.txt', startLine });
    text += structured['text'] as string;
    calls++;
    if (structured['isTruncated'] !== true) break;
    text += '\n';
    startLine = (structured['endLine'] as number) + 1;
  }
  assert.equal(text, `${line}\n`.repeat(lines));
  assert.equal(calls, 3);
  const minified = await call('read_file', { path: 'minified.js' });
  assert.equal((minified.structured['text'] as string).length, maxReadLength);
  assert.match(minified.text, /was cut/);
});

test('paths that are not text files of the workspace are refused with the reason', async (t) => {
  const { call, top } = await setup(t, {
    'ws/a.txt': '',
    'ws/image.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 1]),
    'ws/utf16.txt': Buffer.from('\ufeffhi', 'utf16le'),
    'ws/hidden/x.txt': '',
    'ws/.git/config': '',
    'secret.txt': 'secret',
  });
  await symlink(join(top, 'secret.txt'), join(top, 'ws', 'link.txt'));
  const hasPipes = process.platform !== 'win32';
  if (hasPipes) execFileSync('mkfifo', [join(top, 'ws', 'pipe')]);
  const reason = async (path: string): Promise<string> => {
    const { text, isError } = await call('read_file', { path });
    assert.ok(isError, `${path} was read: ${text}`);
    return text;
  };
  assert.match(await reason('image.png'), /binary file of 7 bytes/);
  assert.match(await reason('hidden/x.txt'), /hidden by the setting files\.exclude/);
  assert.match(await reason('.git/config'), /\.git is not served/);
  assert.match(await reason('link.txt'), /leads out of the workspace/);
  assert.match(await reason('../secret.txt'), /leads out/);
  assert.match(await reason(join(top, 'secret.txt')), /leads out/);
  if (hasPipes) assert.match(await reason('pipe'), /not a regular file/);
  assert.match(await reason('.'), /is a folder/);
  assert.match(await reason('missing.txt'), /There is no file "missing\.txt"/);
  assert.match(await reason('https://example.com/a'), /Only files/);
  assert.equal((await call('read_file', { path: 'utf16.txt' })).isError, false, 'two bytes a character are still text');
});

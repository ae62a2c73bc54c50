import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import fc from 'fast-check';
import { UserError } from '../../../src/core/base/hostError.js';
import { copyName, saveCopy } from '../../../src/core/resources/saveCopy.js';

const bytes = Buffer.from('content');
let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'deck-copy-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const save = (name: string, mayReplace = false, into = folder) => saveCopy({ folder: into, name, mayReplace }, bytes);

test('the name of a copy is the last part of the path, with its extension', () => {
  const cases: [string, string | undefined, string][] = [
    ['demo://docs/My%20notes.md', undefined, 'My notes.md'],
    ['demo://users/42', 'json', '42.json'],
    ['https://example.com/a.css?v=2', 'css', 'a.css'],
    ['demo://list/', 'html', 'list.html'],
    ['', undefined, 'resource'],
  ];
  assert.deepEqual(
    cases.map(([uri, extension]) => [uri, extension, copyName(uri, extension)]),
    cases,
  );
});

test('[D1] names that point upwards, are hidden, or name a device or a stream are made harmless', () => {
  const uris = [
    'a://../..',
    'a://..%2F..%2Fetc%2Fpasswd',
    'a://x/.bashrc',
    'a://nul',
    'a://CON.txt',
    'a://a.txt::$DATA',
    'a://-rf.sh',
    'a://a%00b.md',
    `a://${'n'.repeat(500)}.md`,
    'a://..\\..\\x.exe',
    'a://trailing. .',
  ];
  assert.deepEqual(
    uris.map((uri) => copyName(uri)),
    [
      'resource',
      '_.._etc_passwd',
      'bashrc',
      '_nul',
      '_CON.txt',
      'a.txt_DATA',
      'rf.sh',
      'a_b.md',
      `${'n'.repeat(60)}.md`,
      '_.._x.exe',
      'trailing',
    ],
  );
});

test('[D1] no address leads to a name outside its folder', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.string({ unit: fc.constantFrom('/', '\\', '.', '%2F', '%5C', '%00', ':', 'a', ' ', '-') }),
      ),
      (uri) => {
        const name = copyName(uri);
        assert.match(name, /^[\p{L}\p{N}_()][\p{L}\p{N} ._()-]*$/u);
        assert.doesNotMatch(name, /[. ]$/);
        assert.ok(name.length <= 131);
      },
    ),
    { numRuns: 2_000 },
  );
});

test('a copy is written into the folder and cannot be executed', async () => {
  const file = await save('run.sh');
  assert.deepEqual([await readFile(file, 'utf8'), (await stat(file)).mode & 0o111], ['content', 0]);
});

test('[D1] an existing file is kept, unless its replacement was approved', async () => {
  await writeFile(path.join(folder, 'a.md'), 'mine');
  await assert.rejects(save('a.md'), UserError);
  assert.equal(await readFile(path.join(folder, 'a.md'), 'utf8'), 'mine');
  await save('a.md', true);
  assert.equal(await readFile(path.join(folder, 'a.md'), 'utf8'), 'content');
  assert.deepEqual(await readdir(folder), ['a.md']);
});

test('[D1] a replaced program is not executable', async () => {
  await writeFile(path.join(folder, 'tool'), '#!/bin/sh');
  await chmod(path.join(folder, 'tool'), 0o755);
  assert.equal((await stat(await save('tool', true))).mode & 0o111, 0);
});

test('[D1] a symbolic link is replaced, never followed', async () => {
  await mkdir(path.join(folder, 'inside'));
  const outside = path.join(folder, 'outside.txt');
  await writeFile(outside, 'untouched');
  await symlink(outside, path.join(folder, 'inside', 'link.txt'));
  await assert.rejects(save('link.txt', false, path.join(folder, 'inside')), UserError);
  await save('link.txt', true, path.join(folder, 'inside'));
  assert.deepEqual(
    [await readFile(outside, 'utf8'), await readFile(path.join(folder, 'inside', 'link.txt'), 'utf8')],
    ['untouched', 'content'],
  );
});

test('[D1] a name with folders in it is refused', async () => {
  for (const name of ['../out.txt', 'sub/x.txt', '..', '.', '']) await assert.rejects(save(name, true), UserError);
  assert.deepEqual(await readdir(folder), []);
});

test('[D1] folders whose files programs execute are refused, also behind a link', async () => {
  await mkdir(path.join(folder, '.VSCode', 'deep'), { recursive: true });
  await symlink(path.join(folder, '.VSCode'), path.join(folder, 'innocent'));
  for (const into of [path.join(folder, '.VSCode', 'deep'), path.join(folder, 'innocent')])
    await assert.rejects(save('tasks.json', true, into), /\.vscode/);
});

test('a folder with the name is not replaced', async () => {
  await mkdir(path.join(folder, 'a.md'));
  await assert.rejects(save('a.md', true), UserError);
});

test('[D1] devices of Windows and files that a desktop follows get other names', () => {
  const names = [
    'file:///COM\u00b9.txt',
    'file:///lpt\u00b3',
    'file:///CONIN$',
    'file:///desktop.ini',
    'file:///autorun.inf',
    'file:///a.LNK',
    'file:///a.url',
    'file:///a.desktop',
    'file:///a.lnk.',
    'file:///a.url%20',
    'file:///a.searchConnector-ms',
    'file:///config.json',
    'file:///command.txt',
  ].map((uri) => copyName(uri));
  assert.deepEqual(names, [
    '_COM\u00b9.txt',
    '_lpt\u00b3',
    'CONIN_',
    '_desktop.ini',
    '_autorun.inf',
    'a.LNK.txt',
    'a.url.txt',
    'a.desktop.txt',
    'a.lnk.txt',
    'a.url.txt',
    'a.searchConnector-ms.txt',
    'config.json',
    'command.txt',
  ]);
});

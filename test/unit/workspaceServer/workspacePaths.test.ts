import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix, win32 } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import type { PathProblem, WorkspacePath } from '../../../src/core/workspaceServer/workspacePaths.js';
import { WorkspacePaths } from '../../../src/core/workspaceServer/workspacePaths.js';

const one = new WorkspacePaths([{ name: 'app', path: '/work/app' }], 'linux');
const two = new WorkspacePaths(
  [
    { name: 'app', path: '/work/app' },
    { name: 'lib', path: '/other/lib' },
  ],
  'linux',
);
const windows = new WorkspacePaths([{ name: 'app', path: 'C:\\Work\\App' }], 'win32');

function absolute(found: WorkspacePath | PathProblem): string {
  return 'problem' in found ? `! ${found.problem}` : found.absolute;
}

function refused(found: WorkspacePath | PathProblem, reason?: RegExp): void {
  assert.ok('problem' in found, `served ${JSON.stringify(found)}`);
  if (reason) assert.match(found.problem, reason);
}

test('paths of one folder are relative to it, or absolute inside of it', () => {
  for (const [text, path] of [
    ['a.txt', '/work/app/a.txt'],
    ['./src//a.txt', '/work/app/src/a.txt'],
    ['src/../a.txt', '/work/app/a.txt'],
    ['.', '/work/app'],
    ['/work/app/src/a.txt', '/work/app/src/a.txt'],
    ['/work//app/./src/../a.txt', '/work/app/a.txt'],
    ['file:///work/app/a%20b.txt', '/work/app/a b.txt'],
    ['a:b', '/work/app/a:b'],
    ['./git:notes', '/work/app/git:notes'],
    ['back\\slash', '/work/app/back\\slash'],
    ['..a/...', '/work/app/..a/...'],
  ] as const) {
    assert.equal(absolute(one.locate(text)), path);
  }
});

test('paths that lead elsewhere are refused', () => {
  for (const text of [
    '..',
    '../x',
    'a/../../x',
    '/',
    '/etc/passwd',
    '/work/application',
    '/work',
    '/work/app/../x',
    '//work/../etc',
  ])
    refused(one.locate(text), /leads out/);
  for (const text of [
    'file://server/work/app/a',
    'file:///work/app/a?x',
    'file:///work/app/a#x',
    'file:///work/app%2fa',
    'file:///work/app/..%5ca',
    'file:///work/app/%00',
    'file:///work/app/%',
    'file://%',
  ]) {
    refused(one.locate(text));
  }
  for (const text of [
    'http://x/a',
    'vscode-remote://ssh/work/app/a',
    'untitled:Untitled-1',
    'data:text/plain,x',
    'javascript:alert(1)',
    'command:x',
  ])
    refused(one.locate(text), /Only files/);
  refused(one.locate(''), /empty/);
  refused(one.locate('a\0b'), /NUL/);
  refused(one.locate('a'.repeat(5_000)), /longer/);
  refused(new WorkspacePaths([], 'linux').locate('a'), /No folder/);
});

test('.git is not served in any spelling that a file system treats as equal', () => {
  for (const text of [
    '.git/config',
    '.git',
    'sub/.git/HEAD',
    '.GIT/config',
    '.g\u200cit/config',
    '.git./config',
    '.git /config',
    'GIT~1/config',
    '/work/app/.git/config',
    'file:///work/app/.git/config',
  ]) {
    refused(one.locate(text), /\.git/);
  }
  for (const text of ['.gitignore', '.github/x', 'git/x', 'my.git/x'])
    assert.ok(!('problem' in one.locate(text)), text);
});

test('with several folders a path starts with a folder name', () => {
  assert.equal(absolute(two.locate('lib/a.txt')), '/other/lib/a.txt');
  assert.equal(absolute(two.locate('app/../lib/a.txt')), '/other/lib/a.txt');
  assert.equal(absolute(two.locate('/other/lib/a.txt')), '/other/lib/a.txt');
  assert.equal(absolute(two.locate('lib')), '/other/lib');
  refused(two.locate('a.txt'), /"app", "lib"/);
  refused(two.locate('lib/../../x'), /leads out/);
});

test('folders with equal names, or inside another, are distinguished', () => {
  const same = new WorkspacePaths(
    [
      { name: 'app', path: '/a/app' },
      { name: 'app', path: '/b/app' },
      { name: 'x/y', path: '/c' },
    ],
    'linux',
  );
  assert.equal(absolute(same.locate('app~2/f')), '/b/app/f');
  assert.equal(absolute(same.locate('x_y/f')), '/c/f');
  assert.equal(same.display('/b/app/f'), 'app~2/f');
  const nested = new WorkspacePaths(
    [
      { name: 'out', path: '/w' },
      { name: 'in', path: '/w/in' },
    ],
    'linux',
  );
  assert.equal(nested.display('/w/in/f'), 'in/f');
  assert.equal(nested.display('/w/f'), 'out/f');
  assert.equal(nested.display('/elsewhere'), undefined);
});

test('Windows paths are accepted in any spelling, and shares, devices and streams are refused', () => {
  for (const [text, path] of [
    ['src\\a.txt', 'C:\\Work\\App\\src\\a.txt'],
    ['src/a.txt', 'C:\\Work\\App\\src\\a.txt'],
    ['c:\\work\\app\\a.txt', 'C:\\Work\\App\\a.txt'],
    ['C:/Work/App/../App/a.txt', 'C:\\Work\\App\\a.txt'],
    ['file:///c%3A/Work/App/a.txt', 'C:\\Work\\App\\a.txt'],
    ['file:///C:/Work/App/a.txt', 'C:\\Work\\App\\a.txt'],
    ['console.txt', 'C:\\Work\\App\\console.txt'],
  ] as const) {
    assert.equal(absolute(windows.locate(text)), path);
  }
  for (const text of [
    '..\\x',
    'D:\\x',
    'C:\\Work\\Application',
    'C:x',
    '\\x',
    '/x',
    '\\\\server\\share\\x',
    '//server/share',
    '\\\\?\\C:\\Work\\App\\a',
    '\\\\.\\pipe\\x',
    'file://server/share/x',
  ])
    refused(windows.locate(text));
  for (const text of ['con', 'NUL.txt', 'sub\\aux.c', 'COM1', 'lpt9.x', 'conin$', 'COM\u00b9'])
    refused(windows.locate(text), /device/);
  for (const text of ['a.txt:stream', 'a.txt::$DATA', 'a?', 'a*', 'a.', 'a ', 'a<b']) refused(windows.locate(text));
  const share = new WorkspacePaths([{ name: 'share', path: '\\\\server\\share\\ws' }], 'win32');
  assert.equal(absolute(share.locate('a')), '\\\\server\\share\\ws\\a');
  assert.equal(absolute(share.locate('\\\\server\\share\\ws\\a')), '\\\\server\\share\\ws\\a');
  refused(share.locate('\\\\server\\share\\other'));
  refused(share.locate('\\\\server\\share\\ws\\..\\other'));
});

const segment = fc.oneof(
  fc.constantFrom(
    '..',
    '.',
    '',
    'a',
    'b c',
    '.git',
    '.GIT',
    '~',
    'app',
    'lib',
    'con',
    'c:',
    'C:',
    'file:',
    '%2e%2e',
    '...',
    '\u200b..',
    '-',
    '*',
  ),
  fc.string({ maxLength: 6 }),
);
const anyPath = fc
  .tuple(
    fc.constantFrom(
      '',
      '/',
      '//',
      '\\',
      '\\\\',
      './',
      'C:\\',
      'c:/',
      'file:///',
      'file:///work/app/',
      '/work/app/',
      'C:\\Work\\App\\',
    ),
    fc.array(segment, { maxLength: 6 }),
    fc.constantFrom('/', '\\'),
  )
  .map(([prefix, segments, separator]) => prefix + segments.join(separator));

test('every served path is in a folder, and its displayed form leads back to it', () => {
  fc.assert(
    fc.property(anyPath, (text) => {
      for (const [paths, flavor] of [
        [one, posix],
        [two, posix],
        [windows, win32],
      ] as const) {
        const found = paths.locate(text);
        if ('problem' in found) continue;
        const relative = flavor.relative(found.folder.path, found.absolute);
        const segments = relative.toLowerCase().split(flavor.sep);
        assert.ok(segments[0] !== '..' && !flavor.isAbsolute(relative), `${text} became ${found.absolute}`);
        assert.ok(!segments.includes('.git'));
        assert.equal(paths.display(found.absolute), paths.label(found));
        // A name that starts with a colon part could be an address, so it must be requested with "./".
        const label = paths.label(found);
        const again = paths.locate(paths === two ? label : `./${label}`);
        assert.equal(absolute(again), found.absolute);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('symbolic links that lead outside are refused, links inside are followed', async (t) => {
  const top = await realpath(await mkdtemp(join(tmpdir(), 'mcp-deck-paths-')));
  t.after(() => rm(top, { recursive: true }));
  const folder = join(top, 'ws');
  await mkdir(join(folder, 'real'), { recursive: true });
  await mkdir(join(folder, '.git'));
  await writeFile(join(top, 'secret.txt'), 'secret');
  await writeFile(join(folder, '.git', 'config'), 'config');
  await writeFile(join(folder, 'real', 'a.txt'), 'a');
  await symlink(join(folder, 'real'), join(folder, 'inside'));
  await symlink(join(top, 'secret.txt'), join(folder, 'outside.txt'));
  await symlink('..', join(folder, 'up'));
  await symlink(join(folder, '.git'), join(folder, 'history'));
  await symlink(join(folder, 'nothing'), join(folder, 'dangling'));
  await symlink(folder, join(top, 'link'));
  for (const path of [folder, join(top, 'link')]) {
    const paths = new WorkspacePaths([{ name: 'ws', path }]);
    const look = async (text: string): Promise<string> => {
      const found = await paths.resolve(text, realpath);
      return 'problem' in found ? found.problem : found.real;
    };
    assert.equal(await look('inside/a.txt'), join(folder, 'real', 'a.txt'));
    assert.match(await look('outside.txt'), /"outside.txt" leads out of the workspace through a symbolic link/);
    assert.match(await look('up/secret.txt'), /leads out/);
    assert.match(await look('history/config'), /\.git/);
    assert.match(await look('dangling'), /There is no file/);
    assert.match(await look('missing.txt'), /There is no file "missing.txt"/);
    assert.match(await look('../secret.txt'), /leads out/);
  }
});

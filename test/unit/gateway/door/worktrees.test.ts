import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { DoorPlace } from '../../../support/doorWindow.js';
import { doorClient, doorPlace, doorWindow, toolNames } from '../../../support/doorWindow.js';

const git = (folder: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: folder, stdio: 'pipe' });

/** A repository with worktrees at these paths, relative to the place. */
function repository(place: DoorPlace, ...worktrees: string[]): { main: string; others: string[] } {
  const main = place.folder('main');
  git(main, 'init', '-q');
  writeFileSync(path.join(main, 'file'), 'x');
  git(main, 'add', '.');
  git(main, 'commit', '-qm', 'first');
  const others = worktrees.map((name) => {
    const folder = path.join(path.dirname(main), name);
    git(main, 'worktree', 'add', '-q', folder);
    return folder;
  });
  return { main, others };
}

const answerIn = async (place: DoorPlace, folder: string, args: string[] = []) =>
  JSON.stringify(await (await doorClient(place, folder, { args })).callTool('only_one', {}));

test('[GD6] a window with another worktree of the repository is named, and serves no caller of this one', async (t) => {
  const place = doorPlace(t);
  const { main, others } = repository(place, 'feature', 'main/nested');
  const [feature = '', nested = ''] = others;
  await doorWindow(place, [main]);
  for (const [folder, args] of [
    [feature, []],
    [nested, []],
    [feature, ['--any-window']],
  ] as [string, string[]][]) {
    const text = await answerIn(place, folder, args);
    assert.ok(text.includes(`has the folder \\"${folder}\\" open`), text);
    assert.ok(text.includes(`\\"${main}\\" is open, but it is another worktree of the same repository`), text);
  }
  assert.match(await answerIn(place, main), /"one"/);
});

test('[GD6] each worktree has its own window', async (t) => {
  const place = doorPlace(t);
  const { main, others } = repository(place, 'main/nested');
  await doorWindow(place, [main], { servers: ['main'] });
  await doorWindow(place, others, { servers: ['nested'] });
  const served = async (folder: string) =>
    (await toolNames(await doorClient(place, folder))).filter((name) => name.startsWith('only_'));
  assert.deepEqual([await served(main), await served(others[0] ?? '')], [['only_main'], ['only_nested']]);
});

test('a repository in a folder that is open, such as a submodule, is served by the window of the folder', async (t) => {
  const place = doorPlace(t);
  const { main } = repository(place);
  const inner = place.folder('main/inner');
  git(inner, 'init', '-q');
  await doorWindow(place, [main]);
  assert.match(await answerIn(place, inner), /"one"/);
});

test('a symbolic link to a folder is the folder', async (t) => {
  const place = doorPlace(t);
  const app = place.folder('app');
  const link = path.join(path.dirname(app), 'link');
  symlinkSync(app, link, 'junction');
  await doorWindow(place, [link]);
  assert.match(await answerIn(place, app), /"one"/);
  assert.match(await answerIn(place, place.folder('x'), ['--folder', link]), /"one"/);
});

test('a folder that no window has open is served by none, and with --any-window by the window that was focused last', async (t) => {
  const place = doorPlace(t);
  const app = place.folder('app');
  const elsewhere = place.folder('app-2');
  await doorWindow(place, [app]);
  const text = await answerIn(place, elsewhere);
  assert.ok(
    text.includes(`has the folder \\"${elsewhere}\\" open`) &&
      text.includes('Open this folder in VS Code, and select \\"Start Gateway\\" in the Gateway view of MCP Deck. ') &&
      text.includes(
        'another window, which has other folders open. To use that window, start the agent in one of its',
      ) &&
      !text.includes(app + '\\"'),
    text,
  );
  assert.match(await answerIn(place, elsewhere, ['--any-window']), /"one"/);
});

test('[GD6] a door disconnects from its window when the window closes the folder', async (t) => {
  const place = doorPlace(t);
  const app = place.folder('app');
  const folders = [app];
  const { gateway } = await doorWindow(place, folders);
  const session = await doorClient(place, app);
  assert.match(JSON.stringify(await session.callTool('only_one', {})), /"one"/);
  folders[0] = place.folder('other');
  await gateway.door?.refresh(false);
  let text = '';
  do text = JSON.stringify(await session.callTool('only_one', {}).catch(String));
  while (!text.includes('Open this folder'));
});

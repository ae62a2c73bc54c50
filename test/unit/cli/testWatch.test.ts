/** `mcp-deck test --watch` as a process: what runs again after a change, and how it ends. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { Deferred } from '../../../src/core/base/deferred.js';
import { counter, folderWith, runCli } from '../../support/cliProcess.js';

const fileOf = (sum: number, dev = '') => `server: { command: '${process.execPath}', args: ['${counter}']${dev} }
tests:
  - { name: adds to ${sum}, call: add, arguments: { a: 2, b: 3 }, expect: { structured: { sum: ${sum} } } }
`;

/** Starts a watching command. `until` waits for a text in the output after the last text that it found. */
function watching(t: TestContext, folder: string) {
  const child = spawn(process.execPath, [path.resolve('dist/cli.mjs'), 'test', '--watch', '--yes'], {
    cwd: folder,
    env: { ...process.env, CI: '' },
  });
  t.after(() => child.kill());
  let output = '';
  let read = 0;
  let look = () => undefined as void;
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += String(chunk);
      look();
    });
  const closed = once(child, 'close') as Promise<[number | null]>;
  const until = (pattern: RegExp) => {
    const found = new Deferred<void>();
    look = () => {
      const match = pattern.exec(output.slice(read));
      if (!match) return;
      read += match.index + match[0].length;
      look = () => undefined;
      found.resolve();
    };
    look();
    const ended = closed.then(([code]) => assert.fail(`It ended with ${code} before ${pattern}:\n${output}`));
    return Promise.race([found.promise, ended]);
  };
  return { child, closed, until };
}

test(
  '--watch runs the files that changed, and ends with the exit code of the last run',
  { timeout: 300_000 },
  async (t) => {
    const folder = folderWith(t, {
      'a.mcptest.yaml': fileOf(5, ', dev: { watch: ["data/**", "!data/*.log"] }'),
      'b.mcptest.yaml': fileOf(5),
      'data/numbers.txt': 'one',
    });
    const file = (name: string) => path.join(folder, name);
    const { child, closed, until } = watching(t, folder);
    await until(/2 passed[^]*Waiting for changes\./);

    writeFileSync(file('b.mcptest.yaml'), fileOf(6));
    await until(/Running 1 of 2 files\.[^]*✗ adds to 6[^]*1 failed[^]*Waiting for changes\./);

    writeFileSync(file('data/numbers.log'), 'not watched');
    writeFileSync(file('data/numbers.txt'), 'two');
    await until(/Running 1 of 2 files\.[^]*✓ adds to 5[^]*1 passed[^]*Waiting for changes\./);

    writeFileSync(file('b.mcptest.yaml'), 'tests: [{ call: add, argument: {} }]');
    await until(/b\.mcptest\.yaml:1:[^]*No test ran\.[^]*Waiting for changes\./);

    // Editors replace files. A new folder is watched as well.
    writeFileSync(file('b.new'), fileOf(7));
    renameSync(file('b.new'), file('b.mcptest.yaml'));
    await until(/✗ adds to 7[^]*1 failed[^]*Waiting for changes\./);
    mkdirSync(file('more'));
    writeFileSync(file('more/c.mcptest.yaml'), fileOf(8));
    await until(/Running 1 of 3 files\.[^]*✗ adds to 8[^]*Waiting for changes\./);

    child.stdin.write('\n');
    await until(/2 failed, 1 passed[^]*Waiting for changes\./);
    child.stdin.write('q\n');
    assert.deepEqual(await closed, [1, null]);
  },
);

test('--watch refuses options that report on a single run', async (t) => {
  const folder = folderWith(t, { 'a.mcptest.yaml': fileOf(5) });
  for (const args of [
    ['--json'],
    ['--reporter', 'junit'],
    ['--output', 'a.txt'],
    ['--baseline', 'b.json', '--update'],
  ]) {
    const { code, stdout, stderr } = await runCli(['test', '--watch', '--yes', ...args], { folder });
    assert.equal(code, 2, args.join(' '));
    assert.match(stdout + stderr, /--watch (writes the pretty report only|cannot update a baseline)/);
  }
});

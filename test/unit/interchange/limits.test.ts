/** Limits for the files of other apps. They can be part of a workspace, so their content is untrusted. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import { readToml } from '../../../src/core/config/toml.js';
import type { AppId } from '../../../src/core/interchange/appFormats.js';
import { appFormats } from '../../../src/core/interchange/appFormats.js';
import { exportServer, exportToFile, removeFromFile } from '../../../src/core/interchange/exportFile.js';
import { appFilesAt } from '../../../src/core/interchange/foundApps.js';
import { importServers, readAppFile } from '../../../src/core/interchange/importFile.js';
import { mergeOwn } from '../../../src/core/interchange/mergeOwn.js';
import { placeLosses } from '../../../src/core/interchange/relocation.js';
import { heapBytes } from '../../support/heapBytes.js';

const known = { userHome: '/home/me', pathSeparator: '/' };
const megabyte = 1024 * 1024;

function imported(app: AppId, text: string) {
  const read = readAppFile(app, text);
  if ('problem' in read) throw new Error(read.problem);
  return read.groups.map((group) => importServers(appFormats[app], group));
}

function problem(app: AppId, text: string): string | undefined {
  const read = readAppFile(app, text);
  return 'problem' in read ? read.problem : undefined;
}

/** An object in objects with long names, with many members. Its text has 200 kB. */
function deepFields(count = 10_000): Record<string, unknown> {
  let fields: unknown = Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, 1]));
  for (let level = 0; level < 90; level++) fields = { [`${'x'.repeat(1_000)}${level}`]: fields };
  return fields as Record<string, unknown>;
}

/** The memory that a result keeps, bytes. */
async function bytesOf(make: () => unknown): Promise<number> {
  const start = await heapBytes();
  const made = make();
  const growth = (await heapBytes()) - start;
  assert.ok(made);
  return growth;
}

describe('many fields that cannot be converted', () => {
  const count = 10_000;
  const variables = Array.from({ length: count }, (_, index) => `\${x${index}}`).join('');
  const conversions: Record<string, () => readonly { field: string; message: string }[]> = {
    'an import': () => {
      const text = JSON.stringify({ mcpServers: { a: { command: 'x', ...deepFields(count) } } });
      return imported('cursor', text)[0]?.losses ?? [];
    },
    'an import with many variables': () => {
      const env = { ['N'.repeat(10_000)]: variables };
      return imported('cursor', JSON.stringify({ mcpServers: { a: { command: 'x', env } } }))[0]?.losses ?? [];
    },
    'an export': () =>
      exportServer(appFormats.cursor, { name: 'a', fields: { command: 'x', ...deepFields(count) } }, known).losses,
    'a move to another folder': () =>
      placeLosses(
        { name: 'a', fields: { command: 'x', args: Array<string>(count).fill('./y') } },
        { base: '/w' },
        { base: '/h' },
      ),
  };
  for (const [what, losses] of Object.entries(conversions))
    test(`${what} lists 1,000 of them with short paths, and counts the others`, async () => {
      const listed = losses();
      const [first] = listed;
      assert.equal(listed.length, 1_001);
      assert.ok(listed.every(({ field }) => field.length <= 201));
      assert.ok(first && first.field !== '');
      const [, others] = /^More differences: (\d+)\.$/.exec(listed.at(-1)?.message ?? '') ?? [];
      // A move also reports that the working directory differs.
      assert.ok([count - 1_000, count - 999].includes(Number(others)), others);
      assert.ok((await bytesOf(losses)) < 2 * megabyte);
    });

  test('each of many servers has at least one', () => {
    const servers = Object.fromEntries(
      Array.from({ length: 1_500 }, (_, index) => [`s${index}`, { command: 'x', other: 1 }]),
    );
    const [group] = imported('cursor', JSON.stringify({ mcpServers: servers }));
    assert.equal(group?.servers.length, 1_500);
    assert.deepEqual(new Set(group.losses.map(({ server }) => server)), new Set(Object.keys(servers)));
  });

  test('a field with a known meaning has its message, even if its path is long', () => {
    const text = JSON.stringify({ mcpServers: { a: { command: 'x', ['y'.repeat(500)]: { autoApprove: ['b'] } } } });
    assert.match(imported('cursor', text)[0]?.losses[0]?.message ?? '', /which tools run without asking/);
  });
});

describe('a file', () => {
  test('with more than 2,000 servers is not read', () => {
    const servers = Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`s${index}`, { command: 'x' }]));
    const file = { mcpServers: servers, projects: { '/w': { mcpServers: servers } } };
    assert.match(problem('claude-code', JSON.stringify(file)) ?? '', /more than 2,000 servers/);
    assert.equal(problem('cursor', JSON.stringify(file)), undefined);
  });

  test('of a folder with many files is one of the first 50 by name', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'many-'));
    try {
      const blocks = path.join(folder, '.continue', 'mcpServers');
      await mkdir(blocks, { recursive: true });
      const names = Array.from({ length: 60 }, (_, index) => `s${String(index).padStart(2, '0')}.yaml`);
      for (const name of names.toReversed()) await writeFile(path.join(blocks, name), '');
      const files = await appFilesAt({ platform: 'linux', userHome: '/nowhere', env: {}, folders: [folder] });
      assert.deepEqual(
        files.filter(({ path: file }) => file.startsWith(blocks)).map(({ path: file }) => path.basename(file)),
        names.slice(0, 50),
      );
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

describe('YAML', () => {
  const list = (item: string, before = '') => `${before}mcpServers:\n  - name: a\n    command: x\n${item}`;

  test('names that are indexes need little memory', async () => {
    const text = list(Array.from({ length: 2_000 }, (_, index) => `    k${index}: { 1023: 1 }\n`).join(''));
    const read = () => {
      const result = readAppFile('continue', text);
      assert.ok('groups' in result);
      return result;
    };
    read();
    assert.ok((await bytesOf(read)) < 4 * megabyte);
  });

  test('each alias counts as a copy of its value', () => {
    const aliases = Array.from({ length: 60 }, (_, index) => `      K${index}: *big\n`).join('');
    const text = (length: number) => list(`    env:\n${aliases}`, `big: &big ${'x'.repeat(length)}\n`);
    assert.match(problem('continue', text(200_000)) ?? '', /^The file has too many parts/);
    const [group] = imported('continue', text(100));
    assert.deepEqual(
      group?.servers[0]?.fields['env'],
      Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`K${index}`, 'x'.repeat(100)])),
    );
  });

  test('an alias in its own value is refused', () => {
    for (const text of [list('    env: &e\n      A: *e\n'), list('    other: &o [*o]\n')])
      assert.match(problem('continue', text) ?? '', /nested too deeply/);
  });

  test('tags do not change the type of a value', () => {
    const text = list(
      '    env:\n      A: !!binary aGk=\n      B: !!timestamp 2020-01-01\n    other: !!set { a, b }\n',
      '%YAML 1.1\n---\n',
    );
    assert.deepEqual(imported('continue', text)[0]?.servers[0]?.fields['env'], { A: 'aGk=', B: '2020-01-01' });
  });

  test('a file that exceeds the limits is not changed', () => {
    const server = { name: 'b', fields: { command: 'y' } };
    for (const [text, message] of [
      [list(`    other: ${'['.repeat(100)}${']'.repeat(100)}\n`), /nested too deeply/],
      [list(Array.from({ length: 20_000 }, (_, index) => `    k${index}: 1\n`).join('')), /too many parts/],
      [list('    env: &e\n      A: *e\n').replace('name: a', 'name: b'), /nested too deeply/],
      [`${list('')}---\na: 1\n`, /several YAML documents/],
      [`${list('')}  - "b\n`, /not valid YAML\. Line \d+/],
    ] as const) {
      assert.throws(() => exportToFile(appFormats.continue, text, [server], known), message);
      if (!text.includes('*e')) assert.throws(() => removeFromFile(appFormats.continue, text, 'a'), message);
    }
  });
});

test('TOML with deep tables is refused', () => {
  const dotted = Array<string>(60).fill('a').join('.');
  for (const text of [`${dotted} = 1`, `[${dotted}]\nb = 1`, `[${dotted.slice(0, 79)}]\n${dotted.slice(0, 79)} = 1`])
    assert.match(problem('codex', text) ?? '', /nested too deeply/);
  assert.equal(
    problem('codex', `${Array<string>(100_000).fill('a').join('.')} = 1`)?.length,
    'The file is not valid TOML: Line 1: tables are nested too deeply.'.length,
  );
  assert.deepEqual(readToml('a.b = { c.d = [1] }'), { a: { b: { c: { d: [1] } } } });
});

test('servers with thousands of inputs are imported and merged', () => {
  const servers = Array.from({ length: 5 }, (_server, number) => ({
    name: `s${number}`,
    raw: {
      command: 'x',
      env: Object.fromEntries(
        Array.from({ length: 4_000 }, (_, index) => [`K${index}`, `\${{ secrets.S${number}_${index} }}`]),
      ),
    },
  }));
  const { inputs, servers: read } = importServers(appFormats.continue, { path: [], servers, inputs: undefined });
  assert.deepEqual([inputs.length, read.length], [20_000, 5]);
  assert.deepEqual(mergeOwn({ servers: {}, inputs }, read, inputs).inputs, []);
});

test('files with too many values are not read', () => {
  assert.match(problem('cursor', `{"x":[${'0,'.repeat(1_200_000)}0]}`) ?? '', /too many values/);
  const dotted = Array.from({ length: 120_000 }, (_, at) => `a${at}.b=1\n`).join('');
  for (const text of ['[[a]]\n'.repeat(120_000), `a=[${'{},'.repeat(120_000)}]`, dotted])
    assert.match(problem('codex', text) ?? '', /there are too many tables/);
});

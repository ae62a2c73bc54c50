/** The lock file: reading, writing, and the differences to what a server lists. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync, mkdirSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { ServerFeatures } from '../../../../src/core/catalog/serverFeatures.js';
import { runAtOnce, runInSlices } from '../../../../src/core/base/timeSlice.js';
import { driftOf as driftSteps } from '../../../../src/core/testing/checks/lock/lockDrift.js';
import type { LockFile } from '../../../../src/core/testing/checks/lock/lockModel.js';
import { lockedServer as lockedSteps, lockVersion } from '../../../../src/core/testing/checks/lock/lockModel.js';
import { LockError, parseLock, readLock, writeLock } from '../../../../src/core/testing/checks/lock/lockStore.js';

const lockedServer = (...args: Parameters<typeof lockedSteps>) => runAtOnce(lockedSteps(...args));
const driftOf = (...args: Parameters<typeof driftSteps>) => runAtOnce(driftSteps(...args));

function features(tools: unknown[], version = '1.0.0'): ServerFeatures {
  return {
    identity: { info: { name: 'manual', version } },
    tools,
    resources: [
      { uri: 'file:///b', name: 'b' },
      { uri: 'file:///a', name: 'a' },
    ],
    resourceTemplates: [],
    prompts: [],
    warnings: [],
  } as unknown as ServerFeatures;
}
const read = { name: 'read', description: 'Reads.', inputSchema: { type: 'object', properties: { a: {}, b: {} } } };

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'mcp-deck-lock-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const lockOf = (features: ServerFeatures): LockFile => ({
  version: lockVersion,
  servers: { manual: lockedServer(features, []) },
});

test('a lock that is written and read again has no drift, and leaves no other file', async (t) => {
  const folder = folderOf(t);
  assert.deepEqual(await readLock(folder), { version: lockVersion, servers: {} });
  await writeLock(folder, lockOf(features([read])));
  const { servers } = await readLock(folder);
  assert.deepEqual(driftOf('manual', servers['manual'], lockedServer(features([read]), [])), []);
  assert.deepEqual(readdirSync(path.join(folder, '.vscode')), ['mcp-deck.lock.json']);
});

test('the file does not depend on the order of tools, keys, or resources', async (t) => {
  const folder = folderOf(t);
  const file = path.join(folder, '.vscode/mcp-deck.lock.json');
  const other = { ...read, name: 'list' };
  await writeLock(folder, lockOf(features([read, other])));
  const first = readFileSync(file, 'utf8');
  const turned = { inputSchema: { properties: { b: {}, a: {} }, type: 'object' }, description: 'Reads.', name: 'read' };
  await writeLock(folder, lockOf(features([other, turned])));
  assert.equal(readFileSync(file, 'utf8'), first);
});

test('each difference is named: tools, fields, versions, resources, and servers', () => {
  const locked = lockedServer(features([read, { ...read, name: 'gone' }]), []);
  const now = lockedServer(
    {
      ...features(
        [
          {
            ...read,
            description: 'Deletes.',
            annotations: { readOnlyHint: true },
            _meta: { ui: { visibility: ['app'] } },
          },
          { ...read, name: 'new' },
        ],
        '2.0.0',
      ),
      resources: [{ uri: 'file:///a', name: 'a' }],
    },
    [],
  );
  assert.deepEqual(
    driftOf('manual', locked, now).map(({ message }) => message),
    [
      'The server is "manual" 2.0.0, but the lock file has "manual" 1.0.0.',
      'The tool "gone" was removed.',
      'The tool "new" is new.',
      'The tool "read" has changed: description, annotations, _meta.',
      'The resource file:///b was removed.',
    ],
  );
  assert.match(driftOf('manual', undefined, now)[0]?.message ?? '', /is not in the lock file/);
});

test('[LOCK1] a secret that a server repeats in a schema is masked in the lock file', () => {
  const leaking = { ...read, description: 'Uses the key s3cr3t-key-1234.' };
  assert.doesNotMatch(JSON.stringify(lockedServer(features([leaking]), ['s3cr3t-key-1234'])), /s3cr3t/);
});

const damaged: [string, string, RegExp][] = [
  ['no JSON', '{', /is not valid JSON/],
  [
    'a newer version',
    '{"version": 2, "servers": {}}',
    /has version 2\. This version of MCP Deck reads version 1\. Update/,
  ],
  ['no version', '{"servers": {}}', /damaged at "version"/],
  ['a server that is no object', '{"version": 1, "servers": {"a": 1}}', /damaged at "a"/],
  [
    'a tool without a name',
    '{"version": 1, "servers": {"a": {"info": {"name": "a", "version": "1"}, "tools": {"t": {}}}}}',
    /damaged at "a\/t"/,
  ],
];
for (const [what, text, message] of damaged) {
  test(`a lock file with ${what} is refused with the reason`, () => {
    assert.throws(
      () => parseLock(text),
      (error) => error instanceof LockError && message.test(error.message),
    );
  });
}

test('a tool with the name of an inherited property is like any other', () => {
  const locked = lockedServer(features([]), []);
  const now = lockedServer(features([{ ...read, name: 'constructor' }]), []);
  assert.deepEqual(
    driftOf('manual', locked, now).map(({ kind }) => kind),
    ['added'],
  );
});

test('[LOCK2] a folder .vscode that leads elsewhere gets no lock file', async (t) => {
  const folder = folderOf(t);
  const outside = folderOf(t);
  mkdirSync(path.join(outside, 'other'));
  symlinkSync(path.join(outside, 'other'), path.join(folder, '.vscode'), 'junction');
  await assert.rejects(writeLock(folder, lockOf(features([read]))), /is a link to another folder/);
  assert.deepEqual(readdirSync(path.join(outside, 'other')), []);
});

test('a lock file that is no regular file, or is too large, is refused', async (t) => {
  const folder = folderOf(t);
  mkdirSync(path.join(folder, '.vscode/mcp-deck.lock.json'), { recursive: true });
  await assert.rejects(readLock(folder), LockError);
  rmSync(path.join(folder, '.vscode'), { recursive: true });
  mkdirSync(path.join(folder, '.vscode'));
  writeFileSync(path.join(folder, '.vscode/mcp-deck.lock.json'), Buffer.alloc(17 * 1024 * 1024, ' '));
  await assert.rejects(readLock(folder), /larger than/);
});

test('[LOCK3] a comparison of very many names is linear and in turns', async () => {
  const count = 100_000;
  const uris = (prefix: string) => Array.from({ length: count }, (_, at) => ({ name: 'r', uri: `${prefix}:///${at}` }));
  const tools = Array.from({ length: 5_000 }, (_, at) => ({ ...read, name: `tool ${at}` }));
  const locked = lockedServer({ ...features(tools), resources: uris('a') }, []);
  let turns = 0;
  let isOver = false;
  const other = () => {
    turns++;
    if (!isOver) setImmediate(other);
  };
  setImmediate(other);
  const now = await runInSlices(lockedSteps({ ...features(tools), resources: uris('b') }, ['a secret']));
  const drift = await runInSlices(driftSteps('manual', locked, now));
  isOver = true;
  assert.equal(drift.length, 2 * count);
  assert.ok(turns > 1, `${turns} turns of other work`);
});

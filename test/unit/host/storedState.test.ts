import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { stateKeys } from '../../../src/core/base/stores.js';
import { RuleBook, workspaceRulesKey } from '../../../src/core/consent/ruleBook.js';
import { pinsKey } from '../../../src/core/consent/toolPins.js';
import type { StateStore } from '../../../src/core/base/stores.js';
import type { ServerEntry } from '../../../src/core/registry/serverEntry.js';
import { ChosenRoots } from '../../../src/core/requests/chosenRoots.js';
import { SamplingPolicies } from '../../../src/core/requests/samplingPolicies.js';
import { everyName, StoredState } from '../../../src/core/host/storedState.js';
import { AuditFolder } from '../../../src/vscode/ui/auditFolder.js';
import { headlessHost } from '../../support/headlessHost.js';

function stateOf(values: Record<string, unknown>): { state: StateStore; values: Map<string, unknown> } {
  const kept = new Map(Object.entries(values));
  return {
    values: kept,
    state: { get: (key) => kept.get(key), set: (key, value) => Promise.resolve(void kept.set(key, value)) },
  };
}

const entry = (id: string) => ({ id, hash: id }) as ServerEntry;
const keys = [
  stateKeys.tools,
  stateKeys.preset,
  pinsKey,
  stateKeys.running,
  stateKeys.enabled,
  stateKeys.trusted,
  stateKeys.eras,
  stateKeys.sampling,
  stateKeys.roots,
  workspaceRulesKey,
];

for (const key of keys) {
  test(`invalid data under ${key} is backed up with its content and reported`, async () => {
    for (const rubbish of ['gone', 7, key === workspaceRulesKey ? { a: 1 } : [7], true]) {
      const { state, values } = stateOf({ [key]: rubbish });
      const lines = await new StoredState(state).lost;
      assert.equal(values.get(`${key}.unreadable`), rubbish);
      assert.equal(lines.length, 1);
      assert.ok(lines[0]?.includes(key), lines[0]);
      assert.deepEqual(await new StoredState(state).lost, [], 'the replacement can be read');
    }
  });

  test(`invalid data under ${key} is not overwritten if it could not be backed up`, async () => {
    const { state, values } = stateOf({ [key]: 'gone' });
    const stuck: StateStore = {
      get: (name) => state.get(name),
      set: (name, value) => (name === key ? state.set(name, value) : Promise.reject(new Error('disk full'))),
    };
    const stored = new StoredState(stuck);
    await stored.set(key, 'new');
    assert.deepEqual([values.get(key), stored.get(key)], ['gone', 'new']);
    assert.match(
      (await stored.lost).join(),
      /could not be set aside, so it is unchanged, and new values apply to this window only\./,
    );
  });
}

test('a second loss keeps the backup of the first one', async () => {
  const { state, values } = stateOf({ [stateKeys.trusted]: 'two', [`${stateKeys.trusted}.unreadable`]: 'one' });
  await new StoredState(state, () => 5).lost;
  assert.deepEqual(
    [values.get(`${stateKeys.trusted}.unreadable`), values.get(`${stateKeys.trusted}.unreadable.5`)],
    ['one', 'two'],
  );
});

test('the valid part of a damaged record stays, and the rest gets the safe value', async () => {
  const { state, values } = stateOf({
    [stateKeys.enabled]: { a: true, b: 'no' },
    [stateKeys.roots]: { a: ['/x'], b: 5 },
    [stateKeys.sampling]: { a: { policy: 'never' }, b: { policy: 'yes' } },
    [stateKeys.trusted]: ['hash', 5],
  });
  await new StoredState(state).lost;
  assert.deepEqual(
    [stateKeys.enabled, stateKeys.roots, stateKeys.sampling, stateKeys.trusted].map((key) => values.get(key)),
    [{ a: true, b: false }, { a: ['/x'], b: [] }, { a: { policy: 'never' } }, ['hash']],
  );
});

test('property: no permission is widened, for any content of the stores', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), async (rubbish) => {
      const state = new StoredState(stateOf(Object.fromEntries(keys.map((key) => [key, rubbish]))).state);
      assert.notEqual(new SamplingPolicies(state).policy(entry('s')), 'allow');
      const rules = new RuleBook(
        {
          read: () => ({ user: [], workspace: [] }),
          write: () => Promise.resolve(),
          onDidChange: () => ({ dispose: () => undefined }),
        },
        state,
      );
      const { effect } = rules.decide({
        server: 's',
        origin: 'user',
        hasTrustedAnnotations: false,
        tool: 't',
        arguments: {},
        caller: 'model',
        approval: '',
      });
      assert.notEqual(effect, 'allow');
      await rules.add({ effect: 'deny' }, 'workspace');
      rules.dispose();
      if (rubbish !== null && (typeof rubbish !== 'object' || Array.isArray(rubbish)))
        assert.deepEqual(new ChosenRoots(state).folders(entry('s'), [{ name: 'w', path: '/w' }]), []);
    }),
  );
});

test('lost roots are selected again per server, and can be reset to the folders of the workspace', async () => {
  const state = new StoredState(stateOf({ [stateKeys.roots]: 'gone' }).state);
  const roots = new ChosenRoots(state);
  const workspace = [{ name: 'w', path: '/w' }];
  await roots.choose(entry('a'), ['/w']);
  await roots.choose(entry('b'), undefined);
  assert.deepEqual(
    ['a', 'b', 'c'].map((id) => roots.folders(entry(id), workspace).length),
    [1, 1, 0],
  );
});

test('servers stay disabled when the list of disabled servers is lost, until they are enabled', async () => {
  const { state: kept, values } = stateOf({ [stateKeys.enabled]: 'gone' });
  const state = new StoredState(kept);
  await state.lost;
  assert.deepEqual(values.get(stateKeys.enabled), { [everyName]: false });
  const { host } = headlessHost({ servers: { a: { command: 'a' }, b: { command: 'b' } }, ports: { state } });
  try {
    await host.open();
    assert.deepEqual(
      host.servers.list().map(({ entry: { isEnabled } }) => isEnabled),
      [false, false],
    );
    await host.lifecycle.setEnabled('a', true);
    assert.deepEqual(values.get(stateKeys.enabled), { a: true, b: false });
  } finally {
    await host.close();
  }
});

test('an audit log that ends in the middle of a line continues on a new line, and keeps its content', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'deck-audit-'));
  try {
    for (const [before, after] of [
      ['\u0000rubbish', '\u0000rubbish\n{"a":1}\n{"b":2}\n'],
      ['{"x":0}\n', '{"x":0}\n{"a":1}\n{"b":2}\n'],
      ['', '{"a":1}\n{"b":2}\n'],
    ] as const) {
      const file = new AuditFolder(folder);
      await writeFile(file.file, before);
      await file.append('{"a":1}\n');
      await file.append('{"b":2}\n');
      assert.equal(await readFile(file.file, 'utf8'), after);
      await rm(file.file);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

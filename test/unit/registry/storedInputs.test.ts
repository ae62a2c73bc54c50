import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InputDefinition, ServerDefinition } from '../../../src/core/config/serverDefinition.js';
import type { ServerEntry } from '../../../src/core/registry/serverEntry.js';
import type { StoredInput } from '../../../src/core/registry/storedInputs.js';
import { StoredInputs } from '../../../src/core/registry/storedInputs.js';
import { MemorySecrets } from '../../support/memorySecrets.js';
import { serverView } from '../../support/serverViews.js';

const token: InputDefinition = { id: 'token', type: 'promptString', password: true };
const region: InputDefinition = { id: 'region', type: 'promptString' };
const other: ServerDefinition = { type: 'stdio', command: 'node', args: ['other.js'], env: {} };

function entry(id: string, definition?: ServerDefinition, inputs = [token, region]): ServerEntry {
  return serverView(id, { inputs, ...(definition ? { definition } : {}) }).entry;
}

function stores() {
  const secrets = new MemorySecrets();
  const state = new Map<string, unknown>();
  const inputs = new StoredInputs(
    {
      secrets,
      state: {
        get: (key) => state.get(key),
        set: (key, value) => Promise.resolve(void (value === undefined ? state.delete(key) : state.set(key, value))),
      },
    },
    () => Promise.resolve(new Map()),
  );
  return { secrets, state, inputs };
}

function shown(list: readonly StoredInput[]): string[] {
  return list.map(
    ({ server, input, isSecret, isUsed, place }) =>
      `${server} ${input} ${isSecret ? 'secret' : 'text'} ${isUsed ? 'used' : 'unused'} ${place}`,
  );
}

test('passwords go to secret storage, the rest to the state, and the lists contain only names', async () => {
  const { secrets, state, inputs } = stores();
  await inputs.set(entry('db'), 'token', 'hunter2-hunter2');
  await inputs.set(entry('db'), 'region', 'north');
  assert.deepEqual(
    [await inputs.get(entry('db'), 'token'), await inputs.get(entry('db'), 'region')],
    ['hunter2-hunter2', 'north'],
  );
  const list = await inputs.list([entry('db')]);
  assert.deepEqual(shown(list), [
    'db token secret used .vscode/mcp.json · /w',
    'db region text used .vscode/mcp.json · /w',
  ]);
  const written =
    JSON.stringify([...state].filter(([key]) => key === 'mcpDeck.inputs')) +
    (secrets.values.get('mcpDeck.inputs') ?? '');
  assert.ok(written.includes('token') && written.includes('region'), written);
  for (const text of [written, JSON.stringify(list), JSON.stringify([...state])])
    assert.ok(!text.includes('hunter2'), text);
});

test('[S4] a value that the file determined is not the value of an input that the user types', async () => {
  const { inputs } = stores();
  const determined: InputDefinition[] = [
    { id: 'region', type: 'command', command: 'x' },
    { id: 'region', type: 'pickString', options: [{ label: 'north', value: 'north' }] },
    { ...region, default: 'north' },
  ];
  for (const input of determined) {
    await inputs.set(entry('db', other, [input]), 'region', 'north');
    assert.equal(await inputs.get(entry('db', other, [input]), 'region'), 'north');
    assert.equal(await inputs.get(entry('db', other), 'region'), undefined);
  }
});

test('configured inputs are found without a list, and values never entered are not', async () => {
  const { secrets, inputs } = stores();
  await inputs.set(entry('db'), 'token', 'v');
  await secrets.delete('mcpDeck.inputs');
  assert.deepEqual(shown(await inputs.list([entry('db')])), ['db token secret used .vscode/mcp.json · /w']);
  await secrets.set('mcpDeck.inputs', '{ cut');
  assert.equal((await inputs.list([entry('db')])).length, 1);
  await inputs.set(entry('db'), 'token', 'w');
  assert.equal(JSON.parse(secrets.values.get('mcpDeck.inputs') ?? '').length, 1, 'an unreadable list starts empty');
});

test('[S4] the value of a removed or changed server is listed separately, and is deleted when it is forgotten', async () => {
  const { secrets, state, inputs } = stores();
  await inputs.set(entry('db'), 'token', 'v');
  await inputs.set(entry('db'), 'region', 'north');
  const gone = await inputs.list([]);
  assert.deepEqual(shown(gone), [
    'db token secret unused .vscode/mcp.json · /w',
    'db region text unused .vscode/mcp.json · /w',
  ]);
  assert.deepEqual(shown(await inputs.list([entry('db', other)])), shown(gone));
  assert.equal(await inputs.get(entry('db', other), 'token'), undefined, 'another program gets nothing');
  for (const stored of gone) await inputs.forget(stored);
  assert.deepEqual(
    [await inputs.list([]), [...secrets.values], [...state]],
    [[], [['mcpDeck.inputs', '[]']], [['mcpDeck.inputs', []]]],
  );
});

test('[S4] no two pairs of a server and an input share a value', async () => {
  const { inputs } = stores();
  const withInput = (server: string, id: string) => entry(server, undefined, [{ ...token, id }]);
  await inputs.set(withInput('io.example/files', 'token'), 'token', 'secret');
  assert.equal(await inputs.get(withInput('io.example/files', 'token'), 'token'), 'secret');
  for (const [server, id] of [
    ['io.example', 'files/token'],
    ['io.example%2Ffiles', 'token'],
    ['io.example', 'files%2Ftoken'],
  ] as const)
    assert.equal(await inputs.get(withInput(server, id), id), undefined, `${server} ${id}`);
});

test('an input that became a password is requested again, and its plain value is listed until it is forgotten', async () => {
  const { inputs } = stores();
  await inputs.set(entry('db'), 'region', 'north');
  const hidden = entry('db', undefined, [{ ...region, password: true }]);
  assert.equal(await inputs.get(hidden, 'region'), undefined);
  await inputs.set(hidden, 'region', 'south');
  assert.deepEqual(shown(await inputs.list([hidden])), [
    'db region secret used .vscode/mcp.json · /w',
    'db region text unused .vscode/mcp.json · /w',
  ]);
});

test('[S4] the values of a scratch server are kept in memory only', async () => {
  const kept = new Map<string, unknown>();
  const refuse = () => assert.fail('Nothing is stored.');
  const inputs = new StoredInputs(
    {
      secrets: {
        get: (key) => Promise.resolve(kept.get(key) as string | undefined),
        set: refuse,
        delete: refuse,
        keep: (key, value) => kept.set(key, value),
      },
      state: { get: (key) => kept.get(key), set: refuse, keep: (key, value) => kept.set(key, value) },
    },
    () => Promise.resolve(new Map()),
  );
  const scratch = { ...entry('tried'), source: { id: 'scratch', kind: 'scratch', label: 'Scratch' } } as const;
  await inputs.set(scratch, 'token', 'hunter2-hunter2');
  await inputs.set(scratch, 'region', 'north');
  assert.deepEqual(
    [await inputs.get(scratch, 'token'), await inputs.get(scratch, 'region')],
    ['hunter2-hunter2', 'north'],
  );
});

test('values entered at the same time are all listed', async () => {
  const { inputs } = stores();
  const names = ['a', 'b', 'c', 'd'];
  await Promise.all(names.map((name) => inputs.set(entry(name), 'token', name)));
  assert.deepEqual((await inputs.list([])).map(({ server }) => server).sort(), names);
});

test('[S4] a value that is forgotten while it is still being stored does not come back', async () => {
  for (const id of ['token', 'region']) {
    const { secrets, state, inputs } = stores();
    const storing = inputs.set(entry('db'), id, 'typed');
    // The name is written to the list first, then the value is stored.
    const list = () => secrets.values.get('mcpDeck.inputs') ?? state.get('mcpDeck.inputs');
    while (list() === undefined) await Promise.resolve();
    const [stored] = [
      ...(JSON.parse(secrets.values.get('mcpDeck.inputs') ?? 'null') ?? (state.get('mcpDeck.inputs') as StoredInput[])),
    ] as StoredInput[];
    assert.ok(stored);
    await Promise.all([inputs.forget({ key: stored.key, isSecret: id === 'token' }), storing]);
    assert.deepEqual([await inputs.get(entry('db'), id), await inputs.list([entry('db')])], [undefined, []], id);
  }
});

test('the list reads the values of the receiver once for each server, not for each input', async () => {
  let reads = 0;
  const stored = new StoredInputs(
    { secrets: new MemorySecrets(), state: { get: () => undefined, set: () => Promise.resolve() } },
    () => Promise.resolve((reads++, new Map())),
  );
  const many = Array.from({ length: 100 }, (_, index): InputDefinition => ({ id: `i${index}`, type: 'promptString' }));
  assert.deepEqual(await stored.list([entry('a', other, many), entry('b', other, many), entry('c', other, [])]), []);
  assert.equal(reads, 2);
});

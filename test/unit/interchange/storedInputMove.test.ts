/** The stored data that moves with a server, besides its definition. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ConfigSource, InputDefinition, ServerDefinition } from '../../../src/core/config/serverDefinition.js';
import { placeLosses } from '../../../src/core/interchange/relocation.js';
import { keepsReceiver, unmovedInputs } from '../../../src/core/interchange/storedInputMove.js';
import type { ServerEntry } from '../../../src/core/registry/serverEntry.js';
import { isSameReceiver } from '../../../src/core/config/receiver.js';
import { StoredInputs } from '../../../src/core/registry/storedInputs.js';
import { MemorySecrets } from '../../support/memorySecrets.js';

const isSame = (fields: Record<string, unknown>) => {
  const server = { name: 'a', fields };
  return keepsReceiver(server, placeLosses(server, { base: '/w', workspaceFolder: '/w' }, { base: '/home/me' }));
};

describe('a typed value of a server in a folder', () => {
  test('moves to the same program in another location, even if it runs in another folder there', () => {
    assert.deepEqual(
      [
        { command: 'npx', args: ['-y', 'server'] },
        { command: '/opt/x', cwd: '/srv' },
        { url: 'https://h/mcp' },
        { url: 'https://h/', headers: { A: '${input:k}' } },
      ].map(isSame),
      [true, true, true, true],
    );
  });

  test('does not move if another program or address would get it', () => {
    const others = [
      { command: './x' },
      { command: 'node', args: ['server.js'] },
      { command: 'node', args: ['${workspaceFolder}/x.js'] },
      { command: 'x', cwd: 'sub' },
      { command: 'x', cwd: '${workspaceFolder}' },
      { command: 'x', envFile: '.env' },
      { url: 'https://h/${workspaceFolderBasename}' },
    ];
    assert.deepEqual(
      others.map(isSame),
      others.map(() => false),
    );
  });

  test('that is not moved is reported by name, never by value', () => {
    const stored = [{ key: 'k', isSecret: true, server: 'a', input: 'token', place: 'p', isUsed: true }];
    assert.deepEqual([unmovedInputs('a', stored, 'user', true), unmovedInputs('a', [], 'portable', false)], [[], []]);
    for (const [to, same, why] of [
      ['user', false, /another program or connects to another address there/],
      ['portable', true, /cannot ask/],
    ] as const) {
      const [loss, more] = unmovedInputs('a', stored, to, same);
      assert.deepEqual([loss?.server, loss?.field, more], ['a', 'inputs.token', undefined]);
      assert.match(loss?.message ?? '', why);
    }
  });
});

describe('[S4] a moved value', () => {
  const input: InputDefinition = { id: 'k', type: 'promptString', password: true };
  const entryIn = (source: ConfigSource, definition: ServerDefinition, inputs = [input]) =>
    ({ id: 'a', name: 'a', source, definition, inputs }) as unknown as ServerEntry;
  const file: ConfigSource = { id: 'file', kind: 'vscode', label: 'mcp.json', folderPath: '/w' };
  const user: ConfigSource = { id: 'user', kind: 'user', label: 'User settings' };
  const local: ServerDefinition = { type: 'stdio', command: 'x', args: [], env: {} };

  function stores() {
    const state = new Map<string, unknown>();
    return new StoredInputs(
      {
        secrets: new MemorySecrets(),
        state: {
          get: (key: string) => state.get(key),
          set: (key: string, value: unknown) => Promise.resolve(void state.set(key, value)),
        },
      },
      () => Promise.resolve(new Map()),
    );
  }

  test('exists only under the new server', async () => {
    const inputs = stores();
    const [before, after] = [entryIn(file, local), entryIn(user, local)];
    await inputs.set(before, 'k', 'hunter2');
    const [stored] = await inputs.list([before]);
    assert.ok(stored);
    assert.equal(await inputs.moveTo(stored, after, 'k'), true);
    assert.deepEqual(
      [await inputs.get(before, 'k'), await inputs.get(after, 'k'), (await inputs.list([after])).length],
      [undefined, 'hunter2', 1],
    );
    assert.equal(await inputs.moveTo(stored, after, 'k'), false);
    assert.equal(await inputs.get(after, 'k'), 'hunter2');
  });

  test('is not moved when the new server has no such input', async () => {
    const inputs = stores();
    const before = entryIn(file, local);
    await inputs.set(before, 'k', 'hunter2');
    const [stored] = await inputs.list([before]);
    assert.ok(stored);
    await assert.rejects(inputs.moveTo(stored, entryIn(user, local, []), 'k'), { code: 'bad-configuration' });
    assert.equal(await inputs.get(before, 'k'), 'hunter2');
  });

  test('does not reach another receiver', () => {
    const remote: ServerDefinition = { type: 'http', url: 'https://h/', headers: {} };
    const others: [ServerDefinition, ServerDefinition, boolean][] = [
      [{ ...local, env: { A: 'low' } }, { ...local, env: { A: 'high' } }, true],
      [{ ...local, env: { A: '1' } }, { ...local, env: { A: '2' } }, false],
      [local, { ...local, env: { A: '1' } }, false],
      [{ ...local, env: { NODE_OPTIONS: '' } }, { ...local, env: { NODE_OPTIONS: '--require ./evil.js' } }, false],
      [remote, { ...remote, headers: { A: '1' } }, false],
      [remote, { ...remote, caFile: 'ca.pem' }, false],
      [local, { ...local, args: ['y'] }, false],
      [local, { ...local, cwd: '/srv' }, false],
      [remote, { ...remote, type: 'sse' }, true],
      [remote, { ...remote, url: 'https://evil/' }, false],
      [local, remote, false],
    ];
    assert.deepEqual(
      others.map(([one, other]) => isSameReceiver(one, other)),
      others.map(([, , same]) => same),
    );
  });
});

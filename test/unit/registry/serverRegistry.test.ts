import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parseConfigText } from '../../../src/core/config/parseConfig.js';
import type { ConfigSource } from '../../../src/core/config/serverDefinition.js';
import { ServerRegistry } from '../../../src/core/registry/serverRegistry.js';

const vscode = (folder: string): ConfigSource => ({
  id: `vscode:${folder}`,
  kind: 'vscode',
  label: '.vscode/mcp.json',
  folderPath: `/w/${folder}`,
  folderName: folder,
});
const portable = (folder: string): ConfigSource => ({
  id: `portable:${folder}`,
  kind: 'portable',
  label: '.mcp.json',
  folderPath: `/w/${folder}`,
  folderName: folder,
});
const user: ConfigSource = { id: 'user', kind: 'user', label: 'User settings' };

function set(registry: ServerRegistry, source: ConfigSource, servers: Record<string, unknown>): void {
  registry.setSource(source, parseConfigText(JSON.stringify({ servers }), source));
}

const ids = (registry: ServerRegistry) => registry.entries.map(({ id }) => id);
const server = (command = 'x') => ({ command });

test('entries are in the order built-in, user, files, regardless of which was read first', () => {
  const registry = new ServerRegistry();
  set(registry, portable('a'), { p: server() });
  set(registry, vscode('a'), { z: server(), v: server() });
  set(registry, user, { u: server() });
  assert.deepEqual(ids(registry), ['u', 'z', 'v', 'p']);
});

test('[N3] a server of a workspace does not replace a user server with the same name', () => {
  const registry = new ServerRegistry();
  set(registry, vscode('a'), { tool: server('evil') });
  set(registry, user, { tool: server('mine') });
  assert.deepEqual(
    registry.entries.map(({ id, source }) => [id, source.kind]),
    [
      ['tool', 'user'],
      ['tool (a)', 'vscode'],
    ],
  );
});

test('ids do not depend on the order of reading', () => {
  const sources: [ConfigSource, Record<string, unknown>][] = [
    [vscode('a'), { s: server('1') }],
    [vscode('b'), { s: server('2') }],
    [portable('b'), { s: server('3') }],
  ];
  const forward = new ServerRegistry();
  for (const [source, servers] of sources) set(forward, source, servers);
  const backward = new ServerRegistry();
  for (const [source, servers] of [...sources].reverse()) set(backward, source, servers);
  assert.deepEqual(ids(forward).sort(), ids(backward).sort());
  assert.equal(new Set(ids(forward)).size, 3);
});

test('the same server in both files of one folder is one server', () => {
  const registry = new ServerRegistry();
  set(registry, vscode('a'), { s: server() });
  set(registry, portable('a'), { s: server() });
  assert.deepEqual(ids(registry), ['s']);
});

test('[N3] a change names exactly the changed servers', () => {
  const registry = new ServerRegistry();
  set(registry, vscode('a'), { same: server(), edited: server('1'), gone: server() });
  const changes: unknown[] = [];
  registry.onDidChange(({ added, changed, removed }) =>
    changes.push([added.map(({ id }) => id), changed.map(({ after }) => after.id), removed.map(({ id }) => id)]),
  );
  set(registry, vscode('a'), { same: server(), edited: server('2'), fresh: server() });
  set(registry, vscode('a'), { same: server(), edited: server('2'), fresh: server() });
  assert.deepEqual(changes, [[['fresh'], ['edited', 'fresh'].slice(0, 1), ['gone']]]);
});

test('[N1] a broken text keeps the last good servers and shows its problem', () => {
  const registry = new ServerRegistry();
  const source = vscode('a');
  set(registry, source, { s: server() });
  registry.setSource(source, parseConfigText('{ oops', source));
  assert.deepEqual([ids(registry), registry.problems(source.id).length, registry.brokenEntries.length], [['s'], 1, 1]);
});

test('the user can disable and enable an entry regardless of the file', () => {
  const registry = new ServerRegistry();
  set(registry, vscode('a'), { s: { ...server(), disabled: true } });
  assert.equal(registry.entries[0]?.isEnabled, false);
  registry.setEnabledOverride('s', true);
  assert.equal(registry.entries[0]?.isEnabled, true);
  registry.setEnabledOverride('s', undefined);
  assert.equal(registry.entries[0]?.isEnabled, false);
});

describe('the order of the list', () => {
  const folder = (name: string, folderIndex?: number): ConfigSource[] =>
    [vscode(name), portable(name)].map((source) => ({
      ...source,
      ...(folderIndex === undefined ? {} : { folderIndex }),
    }));
  const read = (sources: readonly ConfigSource[]) => {
    const registry = new ServerRegistry();
    for (const source of sources) set(registry, source, { [source.id]: server() });
    return ids(registry);
  };
  const wanted = ['vscode:b', 'portable:b', 'vscode:a', 'portable:a'];

  test('is that of the folders, regardless of which was read first', () => {
    const sources = [...folder('a', 1), ...folder('b', 0)];
    assert.deepEqual([read(sources), read([...sources].reverse())], [wanted, wanted]);
  });

  test('keeps the files of a folder together when the order of folders is unknown', () => {
    assert.deepEqual(read([...folder('b'), ...folder('a')]), wanted);
  });

  test('puts the built-in server first', () => {
    assert.deepEqual(read([...folder('a', 0), user, { id: 'builtin', kind: 'builtin', label: 'built-in' }]), [
      'builtin',
      'user',
      'vscode:a',
      'portable:a',
    ]);
  });
});

test('ids are the same for every order of reading, also for folders with equal names and names that look like ids', () => {
  const app = (path: string): ConfigSource => ({
    id: `vscode:${path}`,
    kind: 'vscode',
    label: '.vscode/mcp.json',
    folderPath: path,
    folderName: 'app',
  });
  const sources: [ConfigSource, Record<string, unknown>][] = [
    [app('/x/app'), { s: server('1'), 's (app)': server('2') }],
    [app('/y/app'), { s: server('3') }],
    [portable('b'), { s: server('4'), 's (app)': server('5') }],
    [user, { 's (b)': server('6') }],
  ];
  const read = (order: readonly [ConfigSource, Record<string, unknown>][]) => {
    const registry = new ServerRegistry();
    for (const [source, servers] of order) set(registry, source, servers);
    return Object.fromEntries(
      registry.entries.map((entry) => [entry.definition.type === 'stdio' ? entry.definition.command : '', entry.id]),
    );
  };
  const first = read(sources);
  assert.equal(new Set(Object.values(first)).size, 6);
  fc.assert(
    fc.property(fc.shuffledSubarray(sources, { minLength: 4 }), (order) => assert.deepEqual(read(order), first)),
  );
});

test('[N3] no name that a workspace can choose takes the id of a user server', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('tool', 'tool (a)', 'tool (User settings)', 'tool (vscode:a)'),
      fc.constantFrom('tool', 'tool (a)'),
      (theirs, mine) => {
        const registry = new ServerRegistry();
        set(registry, vscode('a'), { [theirs]: server('evil') });
        set(registry, user, { [mine]: server('mine') });
        const found = registry.entries.find(({ id }) => id === mine);
        assert.equal(found?.source.kind, 'user');
      },
    ),
  );
});

describe('the two files of one folder', () => {
  const both = (ofVsCode: unknown, ofPortable: unknown) => {
    const registry = new ServerRegistry();
    set(registry, vscode('a'), { s: ofVsCode });
    set(registry, portable('a'), { s: ofPortable });
    return registry.entries.map(({ id, isEnabled }) => [id, isEnabled]);
  };

  test('with one definition give one server, disabled if either disables it', () => {
    assert.deepEqual(both(server(), { ...server(), disabled: true, note: 'unused' }), [['s', false]]);
  });

  test('with different timeouts give two servers', () => {
    assert.deepEqual(both(server(), { ...server(), timeoutMs: 5 }), [
      ['s', true],
      ['s (a)', true],
    ]);
  });

  test('give two servers when only one of them supports the variable', () => {
    assert.deepEqual(both({ command: 'x', args: ['${TOKEN}'] }, { command: 'x', args: ['${TOKEN}'] }).length, 2);
  });

  test('give one server when both support the variable', () => {
    assert.deepEqual(
      both(
        { command: 'x', args: ['${env:TOKEN}', '${workspaceFolder}'] },
        { command: 'x', args: ['${env:TOKEN}', '${workspaceFolder}'] },
      ).length,
      1,
    );
  });

  test('of different folders are different servers', () => {
    const registry = new ServerRegistry();
    set(registry, vscode('a'), { s: server() });
    set(registry, portable('b'), { s: server() });
    assert.deepEqual(ids(registry), ['s', 's (b)']);
  });
});

describe('a change is reported', () => {
  const watched = () => {
    const registry = new ServerRegistry();
    let fired = 0;
    set(registry, vscode('a'), { s: server() });
    registry.onDidChange(() => fired++);
    return { registry, fired: () => fired };
  };

  test('not when nothing changed', () => {
    const { registry, fired } = watched();
    set(registry, vscode('a'), { s: server() });
    registry.setEnabledOverride('s', undefined);
    registry.removeSource('unknown');
    assert.equal(fired(), 0);
  });

  test('when a warning appears', () => {
    const { registry, fired } = watched();
    set(registry, vscode('a'), { s: { command: 'x', cmd: 'y' } });
    assert.equal(fired(), 1);
  });

  test('with empty lists when only a broken entry was added', () => {
    const registry = new ServerRegistry();
    const changes: unknown[] = [];
    registry.onDidChange((change) => changes.push(change));
    set(registry, vscode('a'), { bad: 7 });
    assert.deepEqual(changes, [{ added: [], changed: [], removed: [] }]);
  });

  test('after the list was replaced', () => {
    const { registry } = watched();
    let seen: string[] = [];
    registry.onDidChange(() => (seen = ids(registry)));
    set(registry, vscode('a'), { t: server() });
    assert.deepEqual(seen, ['t']);
  });
});

test('an entry that did not change stays the same object', () => {
  const registry = new ServerRegistry();
  set(registry, vscode('a'), { s: server() });
  const [before] = registry.entries;
  set(registry, portable('a'), { t: server() });
  assert.equal(registry.entries[0], before);
});

test('[N1] an entry with several mistakes is one broken entry, and its id does not depend on the others', () => {
  const registry = new ServerRegistry();
  set(registry, vscode('a'), { first: 7, bad: { command: 'x', args: [null, {}], env: 3 } });
  const before = registry.brokenEntries.map(({ name, id }) => [name, id]);
  set(registry, vscode('a'), { bad: { command: 'x', args: [null, {}], env: 3 } });
  assert.deepEqual(
    [before.map(([name]) => name), registry.brokenEntries.map(({ name, id }) => [name, id])],
    [['first', 'bad'], [before[1]]],
  );
});

test('[N1] a text that is broken from the start has no servers and one broken entry with the name of the file', () => {
  const registry = new ServerRegistry();
  registry.setSource(vscode('a'), parseConfigText('{', vscode('a')));
  assert.deepEqual([ids(registry), registry.brokenEntries.map(({ name }) => name)], [[], ['.vscode/mcp.json']]);
});

test('removing a source removes its servers and problems', () => {
  const registry = new ServerRegistry();
  set(registry, vscode('a'), { s: server(), bad: 7 });
  registry.removeSource('vscode:a');
  assert.deepEqual([registry.entries, registry.brokenEntries, registry.problems('vscode:a')], [[], [], []]);
});

test('[C3] an input that becomes a command of the editor is a change that asks for trust again', () => {
  const registry = new ServerRegistry();
  const hashWith = (input: unknown) => {
    registry.setSource(
      vscode('a'),
      parseConfigText(
        JSON.stringify({
          servers: { s: { command: 'x', args: ['${input:i}'] } },
          inputs: [input, { id: 'other', type: 'promptString' }],
        }),
        vscode('a'),
      ),
    );
    return registry.entries[0]?.hash;
  };
  assert.notEqual(
    hashWith({ id: 'i', type: 'promptString' }),
    hashWith({ id: 'i', type: 'command', command: 'evil.do' }),
  );
});

test('an entry has only the inputs that it names', () => {
  const registry = new ServerRegistry();
  const input = (id: string) => ({ id, type: 'promptString' });
  registry.setSource(
    vscode('a'),
    parseConfigText(
      JSON.stringify({ servers: { s: { command: '${input:i}' } }, inputs: [input('i'), input('j')] }),
      vscode('a'),
    ),
  );
  assert.deepEqual(registry.entries[0]?.inputs, [input('i')]);
});

test('tens of thousands of servers are entries', () => {
  const registry = new ServerRegistry();
  for (let file = 0; file < 10; file++) {
    const servers = Array.from({ length: 2_000 }, (_, index) => [`s${file}-${index}`, server()]);
    const source = vscode(`a${file}`);
    registry.setSource(source, parseConfigText(JSON.stringify({ servers: Object.fromEntries(servers) }), source));
  }
  assert.equal(registry.entries.length, 20_000);
  assert.equal(registry.entry('s9-1999')?.name, 's9-1999');
  assert.equal(registry.entry('s9-2000'), undefined);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fitsWildcard } from '../../../src/core/base/wildcard.js';
import { isWithin, readPresets, unmatchedPatterns } from '../../../src/core/presets/presetFile.js';
import type { Preset } from '../../../src/core/presets/presetFile.js';
import { ToolSwitches } from '../../../src/core/presets/toolSwitches.js';
import { StoredState } from '../../../src/core/host/storedState.js';
import { modelTools } from '../../../src/core/present/chat/modelTools.js';
import { serverNode } from '../../../src/core/present/tree/serverNodes.js';
import { toolPickRows } from '../../../src/core/present/chat/toolPick.js';
import { serverView } from '../../support/serverViews.js';

class State {
  readonly values = new Map<string, unknown>();
  get(key: string): unknown {
    return this.values.get(key);
  }
  async set(key: string, value: unknown): Promise<void> {
    this.values.set(key, value);
  }
}

const switchesWith = (values: Record<string, unknown> = {}) => {
  const state = new State();
  for (const [key, value] of Object.entries(values)) state.values.set(key, value);
  return { state, ...windowOf(state) };
};
/** A window: checks the stored data, then reads it. */
function windowOf(state: State) {
  const stored = new StoredState(state, () => 7);
  return { stored, switches: new ToolSwitches(stored) };
}
const entry = (name: string, disabledTools?: string[]) => ({
  id: name,
  name,
  definition: { type: 'builtin' as const, ...(disabledTools ? { disabledTools } : {}) },
});

test('a file of presets is read, and every mistake has its position', () => {
  const text = `{
  // committed
  "presets": {
    "review": { "description": "Read only", "servers": ["git*"], "tools": { "github": ["get_*"] } },
    "odd": { "servers": [1], "tools": 5, "server": [] },
    "review": {},
    "list": []
  },
  "more": 1,
}`;
  const { presets, problems } = readPresets(text);
  assert.deepEqual(presets, [
    { name: 'review', description: 'Read only', servers: ['git*'], tools: { github: ['get_*'] } },
    { name: 'odd', servers: [], tools: { '*': [] } },
  ]);
  assert.deepEqual(
    problems.map(
      ({ position, message }) =>
        `${position.line + 1}:${position.character + 1} ${message.split(' ').slice(0, 4).join(' ')}`,
    ),
    [
      '5:26 Expected a name as',
      '5:39 "tools" must be an',
      '5:42 "server" is not a',
      '6:5 The preset "review" is',
      '7:13 A preset is an',
      '9:3 "more" is not supported',
    ],
  );
});

test('[N3] an invalid part of a preset disables tools, and never enables one that the preset excludes', async () => {
  const offUnder = async (written: object) => {
    const { switches } = switchesWith();
    const { presets, problems } = readPresets(JSON.stringify({ presets: { p: written } }));
    await switches.setPreset(presets[0]);
    const on = ['github', 'db'].flatMap((server) =>
      ['get_x', 'delete_x']
        .filter((tool) => switches.of(entry(server)).whyOff(tool) === undefined)
        .map((tool) => `${server} ${tool}`),
    );
    return { on, errors: problems.filter(({ severity }) => severity === 'error').map(({ message }) => message) };
  };
  const meant = { servers: ['github', 'db'], tools: { github: ['get_*'], db: ['get_*'] } };
  assert.deepEqual(await offUnder(meant), { on: ['github get_x', 'db get_x'], errors: [] });
  const { on, errors } = await offUnder({ servers: ['github'], tols: { github: ['get_*'] } });
  assert.deepEqual([on, errors.length], [[], 1]);
  assert.match(
    errors[0] ?? '',
    /^"tols" is not a field of a preset\. Use description, servers, and tools\. Until this is corrected, a tool is on only if the preset lists it\./,
  );
  // Valid parts still apply, whatever precedes them.
  assert.deepEqual((await offUnder({ tols: {}, servers: ['github', 'db'], tools: { github: ['get_*'] } })).on, [
    'github get_x',
  ]);
  // If the list of servers is invalid, no server is taken from elsewhere.
  for (const wrong of [
    { server: ['db'], tools: meant.tools },
    { servers: 'db', tools: meant.tools },
    { servers: ['github'], tools: 'none' },
    { servers: ['github'], tools: { github: 'get_*' } },
    { servers: ['github'], tools: { github: [7] } },
  ])
    assert.deepEqual((await offUnder(wrong)).on, [], JSON.stringify(wrong));
});

test('a broken file is reported and has no presets', () => {
  for (const text of ['{', '[]', '['.repeat(100_000), 'x'])
    assert.equal(readPresets(text).isBroken, true, text.slice(0, 5));
  assert.deepEqual(readPresets(''), { presets: [], lists: [], overrides: [], problems: [], isBroken: false });
});

test('patterns support only stars and question marks', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', 'b', '*', '?', '.'), maxLength: 8 }),
      fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 8 }),
      (pattern, name) => {
        const oracle = new RegExp(`^${pattern.replace(/[.]/g, '\\.').replace(/\*+/g, '.*').replace(/\?/g, '.')}$`, 's');
        assert.equal(fitsWildcard(pattern, name), oracle.test(name));
      },
    ),
  );
});

test('a preset narrows, and never enables what the user or the definition disabled', async () => {
  const { switches } = switchesWith();
  await switches.setTool('git', 'push', false);
  await switches.setPreset({ name: 'all', servers: ['*'], tools: { git: ['*'] } });
  const git = switches.of(entry('git', ['delete_*']));
  assert.deepEqual(
    [git.whyOff('push'), git.whyOff('delete_all'), git.whyOff('log')],
    ['user', 'definition', undefined],
  );
  await switches.setPreset({ name: 'review', servers: ['git'], tools: { git: ['get_*'] } });
  const narrow = switches.of(entry('git'));
  const other = switches.of(entry('db'));
  assert.deepEqual(
    [narrow.whyOff('get_x'), narrow.whyOff('log'), narrow.isLeftOut, other.isLeftOut, other.whyOff('query')],
    [undefined, 'preset', false, true, 'preset'],
  );
});

test('[N3] a preset within another preset enables nothing that the other disables', async () => {
  const patterns = fc.uniqueArray(fc.constantFrom('a', 'b', 'a*', '*', '?'), { maxLength: 3 });
  const preset: fc.Arbitrary<Preset> = fc.record({
    name: fc.constantFrom('p', 'q'),
    servers: patterns,
    tools: fc.dictionary(fc.constantFrom('a', 'b', '*'), patterns, { maxKeys: 2 }),
  });
  const offUnder = async (one: Preset | undefined) => {
    const { switches } = switchesWith();
    await switches.setPreset(one);
    return ['a', 'b', 'ab'].flatMap((server) =>
      ['a', 'b', 'ab']
        .filter((tool) => switches.of(entry(server)).whyOff(tool) !== undefined)
        .map((tool) => `${server} ${tool}`),
    );
  };
  await fc.assert(
    fc.asyncProperty(preset, fc.option(preset, { nil: undefined }), async (one, other) => {
      fc.pre(isWithin(one, other));
      const off = await offUnder(one);
      assert.deepEqual(
        (await offUnder(other)).filter((pair) => !off.includes(pair)),
        [],
      );
    }),
    { numRuns: 500 },
  );
  const review: Preset = { name: 'review', servers: ['git', 'db'], tools: { git: ['get_*', 'log'] } };
  assert.deepEqual(
    [
      isWithin(review, undefined),
      isWithin(review, review),
      isWithin({ ...review, servers: ['db'] }, review),
      isWithin({ ...review, tools: { git: ['log'] } }, review),
      isWithin(undefined, review),
      isWithin({ ...review, tools: {} }, review),
      isWithin({ ...review, tools: { ...review.tools, db: ['x'] } }, review),
      isWithin({ ...review, servers: ['*'] }, review),
    ],
    [true, true, true, true, false, false, false, false],
  );
});

const somePreset: fc.Arbitrary<Preset> = (() => {
  const patterns = fc.uniqueArray(fc.constantFrom('a', 'b', 'a*', '*', '?'), { maxLength: 3 });
  return fc.record({
    name: fc.constant('p'),
    servers: patterns,
    tools: fc.dictionary(fc.constantFrom('a', 'b', 'a*', '*'), patterns, { maxKeys: 3 }),
  });
})();
/** The enabled tools of some servers. */
const onUnder = (switches: ToolSwitches) =>
  ['a', 'b', 'ab'].flatMap((server) =>
    ['a', 'b', 'ab']
      .filter((tool) => switches.of(entry(server, ['b'])).whyOff(tool) === undefined)
      .map((tool) => `${server} ${tool}`),
  );

test('[N3] any preset only narrows, for any switches of the user', async () => {
  const words = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'ab'), fc.constantFrom('a', 'b', 'ab'), fc.boolean()), {
    maxLength: 5,
  });
  await fc.assert(
    fc.asyncProperty(somePreset, words, async (preset, said) => {
      const { switches } = switchesWith();
      for (const [server, tool, isOn] of said) await switches.setTool(server, tool, isOn);
      const before = onUnder(switches);
      await switches.setPreset(preset);
      assert.deepEqual(
        onUnder(switches).filter((one) => !before.includes(one)),
        [],
      );
    }),
    { numRuns: 500 },
  );
});

test('[N3] no edit of the file enables anything without the user; tools that an edit removes are off at once', async () => {
  await fc.assert(
    fc.asyncProperty(
      somePreset,
      fc.array(fc.option(somePreset, { nil: undefined }), { minLength: 1, maxLength: 4 }),
      async (agreed, edits) => {
        const { switches } = switchesWith();
        await switches.setPreset(agreed);
        const allowed = onUnder(switches);
        for (const edit of edits) {
          await switches.follow(edit);
          const on = onUnder(switches);
          assert.deepEqual(
            on.filter((one) => !allowed.includes(one)),
            [],
          );
          const { switches: fresh } = switchesWith();
          await fresh.setPreset(edit);
          if (edit)
            assert.deepEqual(
              on.filter((one) => !onUnder(fresh).includes(one)),
              [],
            );
        }
        // A user who agrees gets what the file says.
        const { waitingEdit } = switches;
        if (!waitingEdit) return;
        await switches.setPreset(waitingEdit);
        const { switches: fresh } = switchesWith();
        await fresh.setPreset(waitingEdit);
        assert.deepEqual(onUnder(switches), onUnder(fresh));
      },
    ),
    { numRuns: 500 },
  );
});

test('an edit that widens waits, is reported once, and is dropped when the file is restored; the next window asks again', async () => {
  const { state, switches } = switchesWith();
  const agreed: Preset = { name: 'p', servers: ['a'], tools: { a: ['a'] } };
  const wide: Preset = { name: 'p', servers: ['a', 'b'], tools: { a: ['a', 'b'] } };
  await switches.setPreset(agreed);
  let changes = 0;
  switches.onDidChange(() => changes++);
  await switches.follow(wide);
  await switches.follow({ ...wide });
  assert.deepEqual([switches.waitingEdit, changes, switches.of(entry('b')).isLeftOut], [wide, 1, true]);
  assert.deepEqual(windowOf(state).switches.preset, agreed);
  await switches.setPreset(switches.preset);
  assert.equal(switches.waitingEdit, wide);
  await switches.follow(agreed);
  assert.equal(switches.waitingEdit, undefined);
  await switches.follow({ ...agreed, tools: { a: [] } });
  assert.deepEqual([switches.preset?.tools, switches.waitingEdit], [{ a: [] }, undefined]);
});

test('[N3] a list of tools under an unknown server name disables the servers without a list, and is reported with its position', async () => {
  const { presets, problems, lists } = readPresets(
    '{ "presets": { "p": { "servers": ["github", "db"], "tools": { "githb": ["get_*"], "db": ["query"] } } } }',
  );
  const { switches } = switchesWith();
  await switches.setPreset(presets[0]);
  assert.deepEqual(
    [
      switches.of(entry('github')).whyOff('delete_all'),
      switches.of(entry('github')).whyOff('get_x'),
      switches.of(entry('db')).whyOff('query'),
    ],
    ['preset', 'preset', undefined],
  );
  assert.match(problems[0]?.message ?? '', /^"githb" is not one of the servers of this preset\./);
  assert.deepEqual(
    unmatchedPatterns(
      lists.map(({ server }) => server),
      [entry('github'), entry('db')],
    ),
    ['githb'],
  );
  // Patterns may match in either direction.
  for (const [servers, tools] of [
    [['git*'], 'github'],
    [['github'], 'git*'],
    [['*'], 'anything'],
  ] as const)
    assert.deepEqual(
      readPresets(JSON.stringify({ presets: { p: { servers, tools: { [tools]: ['x'] } } } })).problems,
      [],
    );
});

test('a tool that the user enables overrides its definition, not the preset', async () => {
  const { switches } = switchesWith();
  await switches.setTool('git', 'delete_all', true);
  assert.equal(switches.of(entry('git', ['*'])).whyOff('delete_all'), undefined);
  await switches.setPreset({ name: 'p', servers: [], tools: {} });
  assert.equal(switches.of(entry('git', ['*'])).whyOff('delete_all'), 'preset');
});

test('switches and the active preset survive the window, the preset even without its file', async () => {
  const { state, switches } = switchesWith();
  await switches.setTool('a', 'constructor', false);
  await switches.setPreset({ name: 'p', servers: ['a'], tools: {} });
  const next = windowOf(state).switches;
  assert.deepEqual(
    [
      next.preset?.name,
      next.of(entry('a')).whyOff('constructor'),
      next.of(entry('a')).whyOff('toString'),
      next.of(entry('b')).isLeftOut,
    ],
    ['p', 'user', undefined, true],
  );
});

test('a corrupt store is backed up and reported, and widens nothing', async () => {
  const { state, stored, switches } = switchesWith({
    'mcpDeck.toolSwitches': 'gone',
    'mcpDeck.activePreset': { name: 1 },
  });
  const lines = await stored.lost;
  assert.deepEqual(
    [
      switches.of(entry('a')).whyOff('x'),
      switches.preset?.servers,
      state.values.get('mcpDeck.toolSwitches.unreadable'),
    ],
    ['user', [], 'gone'],
  );
  assert.deepEqual(
    lines.map(
      (line) =>
        /^The value that was stored as "(\S+)" cannot be read. It was set aside as "\1\.unreadable"\./.exec(line)?.[1],
    ),
    ['mcpDeck.toolSwitches', 'mcpDeck.activePreset'],
  );
  const partly = switchesWith({ 'mcpDeck.toolSwitches': { a: { x: 'no', z: true }, b: { x: false } } }).switches;
  assert.deepEqual(
    [
      partly.of(entry('a', ['z'])).whyOff('x'),
      partly.of(entry('a', ['z'])).whyOff('z'),
      partly.of(entry('b')).whyOff('x'),
      partly.of(entry('b')).whyOff('y'),
    ],
    ['user', undefined, 'user', undefined],
  );
});

test('[N3] after a loss only a newly enabled tool is on, in this window and the next', async () => {
  for (const lost of ['gone', { a: 'gone' }, null, { isLost: true, words: 5 }]) {
    const { state, switches } = switchesWith({ 'mcpDeck.toolSwitches': lost });
    await switches.setTool('a', 'x', true);
    for (const one of [switches, windowOf(state).switches]) {
      assert.deepEqual(
        [
          one.hasLost,
          ...[
            ['a', 'x'],
            ['a', 'y'],
            ['b', 'x'],
          ].map(([server = '', tool = '']) => one.of(entry(server)).whyOff(tool)),
        ],
        [true, undefined, 'user', 'user'],
        JSON.stringify(lost),
      );
    }
    await switches.setTool('b', 'z', false);
    await switches.forgetLoss();
    const next = windowOf(state).switches;
    assert.deepEqual(
      [next.hasLost, next.of(entry('a')).whyOff('y'), next.of(entry('b')).whyOff('z')],
      [false, undefined, 'user'],
    );
  }
});

test('disabled tools are dimmed in the tree and hidden from lists and models', async () => {
  const { switches } = switchesWith();
  await switches.setTool('s', 'off', false);
  const plain = serverView('s', {
    features: {
      tools: [
        { name: 'on', inputSchema: { type: 'object' } },
        { name: 'off', inputSchema: { type: 'object' } },
      ],
    },
  });
  const view = { ...plain, switches: switches.of(plain.entry) };
  const tools = serverNode(view, 0).children?.()[0]?.children?.() ?? [];
  assert.deepEqual(
    tools.map(({ label, isDim, contextValue, description }) => [label, isDim, contextValue, description]),
    [
      ['on', undefined, 'tool', undefined],
      ['off', true, 'tool off', 'disabled'],
    ],
  );
  assert.deepEqual(
    modelTools([view]).map(({ tool }) => tool.name),
    ['on'],
  );
  assert.equal(JSON.stringify(toolPickRows([view], [{ server: 's', tool: 'off' }], 0)).includes('"off"'), false);
});

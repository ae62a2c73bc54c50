import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PickRow } from '../../../../src/core/present/chat/toolPick.js';
import {
  isTemplate,
  mergePickRows,
  promptPickRows,
  resourcePickRows,
  toolPickRows,
} from '../../../../src/core/present/chat/toolPick.js';
import { needsTrust, serverView, tool } from '../../../support/serverViews.js';

const draw = (rows: readonly PickRow[]) =>
  rows.map(({ kind, label, description, detail }) =>
    kind === 'separator'
      ? `-- ${label}`
      : [label, description, detail].filter((part) => part !== undefined).join(' | '),
  );

const everything = serverView('everything', {
  features: {
    tools: [tool('echo', { title: 'Echo Tool', description: 'Echoes back the input. And more.' }), tool('add')],
    resources: [
      { uri: 'file:///a', name: 'a' },
      { uri: 'mem://b', name: 'b', title: 'B', description: 'Second.' },
    ],
    resourceTemplates: [{ uriTemplate: 'mem://{id}', name: 'by id' }],
    prompts: [{ name: 'greet', description: 'Says hello.' }],
  },
});

test('the list of tools has recent ones, all others, and then servers that must start first', () => {
  const servers = [
    serverView('weather', { state: { kind: 'failed', error: new Error('it broke'), at: 0 } }),
    everything,
    serverView('postgres'),
    serverView('scripts', { state: needsTrust }),
    serverView('github', { state: { kind: 'starting', since: 1_000, attempt: 1 } }),
    serverView('off', { isEnabled: false }),
  ];
  const recent = [
    { server: 'gone', tool: 'x' },
    { server: 'everything', tool: 'add' },
    { server: 'everything', tool: 'removed' },
  ];
  assert.deepEqual(draw(toolPickRows(servers, recent, 4_000)), [
    '-- recent',
    'add | everything',
    '-- more tools',
    'Echo Tool | everything · echo | Echoes back the input',
    '-- not running',
    'weather | failed; select to start the server again and list its tools | it broke',
    'postgres | stopped; select to start the server and list its tools',
    'scripts | needs your approval; select to review the server and list its tools',
    'github | starting, 3 s',
  ]);
});

test('a picked line returns the exact tool name', () => {
  const rows = toolPickRows([everything, serverView('postgres')], [], 0);
  assert.deepEqual(
    rows.map(({ target }) => target),
    [
      undefined,
      { server: 'everything', name: 'echo' },
      { server: 'everything', name: 'add' },
      undefined,
      { server: 'postgres' },
    ],
  );
});

test('resources, templates and prompts have the same kind of list', () => {
  assert.deepEqual(draw(resourcePickRows([everything], 0)), [
    '-- resources',
    'a | everything · file:///a | file:///a',
    'B | everything · mem://b | Second',
    '-- templates',
    'by id | everything · mem://{id}',
  ]);
  assert.deepEqual(draw(promptPickRows([everything], 0)), ['-- prompts', 'greet | everything | Says hello']);
  assert.deepEqual(
    [isTemplate(everything, 'mem://{id}'), isTemplate(everything, 'mem://b'), isTemplate(undefined, 'x')],
    [true, false, false],
  );
});

test('an open list keeps the order of its lines when servers start, stop or are removed', () => {
  const other = serverView('other', { features: { tools: [tool('x'), tool('y')] } });
  const before = toolPickRows([everything, other, serverView('postgres'), serverView('gone')], [], 0);
  const started = serverView('postgres', { features: { tools: [tool('query')] } });
  const after = toolPickRows(
    [everything, { ...other, features: { ...other.features!, tools: [tool('y', { title: 'Y' })] } }, started],
    [],
    0,
  );
  assert.deepEqual(draw(mergePickRows(before, after)), [
    '-- tools',
    'Echo Tool | everything · echo | Echoes back the input',
    'add | everything',
    'Y | other · y',
    '-- not running',
    'postgres | running; select to show what the server offers',
    '-- new',
    'query | postgres',
  ]);
});

test('[L2] names and texts of servers are harmless', () => {
  const hostile = serverView('s', {
    features: { tools: [tool('a\u202eb', { title: ' \n', description: '\u001b[31mred' })] },
  });
  assert.deepEqual(draw(toolPickRows([hostile], [], 0)).slice(1), [
    'a\\u{202e}b | s | 2 hidden characters · \\u{1b}[31mred',
  ]);
});

// Quadratic work would not end within the time limit of a test file.
test('[X5] fifty thousand tools are listed', () => {
  const many = serverView('s', {
    features: {
      tools: Array.from({ length: 50_000 }, (_, i) => tool(`tool_${i}`, { description: 'Does something. Really.' })),
    },
  });
  const recent = Array.from({ length: 500 }, (_, i) => ({ server: 's', tool: `tool_${49_999 - i}` }));
  assert.equal(toolPickRows([many], recent, 0).length, 50_002);
});

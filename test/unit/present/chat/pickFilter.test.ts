import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { callRow, namedTool, readCallArguments } from '../../../../src/core/present/chat/callLine.js';
import { filterRows } from '../../../../src/core/present/chat/pickFilter.js';
import { toolPickRows } from '../../../../src/core/present/chat/toolPick.js';
import { serverView, tool } from '../../../support/serverViews.js';

const servers = [
  serverView('acme', {
    features: {
      tools: [
        tool('generate_pie_chart', { title: 'Pie Chart', description: 'Draws shares of a whole.' }),
        tool('generate_bar_chart', { description: 'Draws bars.' }),
        tool('a.b', { description: 'Has a dot.' }),
        tool('a', { description: 'Short.' }),
      ],
    },
  }),
  serverView('big', {
    features: { tools: [tool('user_create'), tool('user_delete', { description: 'Not in any CHART.' })] },
  }),
  serverView('resting'),
];
const favourite = {
  id: 'f1',
  name: 'My chart',
  server: 'acme',
  tool: 'generate_pie_chart',
  arguments: { data: [1, 2] },
  omitted: [],
};
const rows = toolPickRows(servers, [{ server: 'big', tool: 'user_create' }], 0, [favourite]);
const labels = (filter: string) =>
  filterRows(rows, filter).map(({ kind, label }) => (kind === 'separator' ? `-- ${label}` : label));

describe('the list of tools', () => {
  test('has favorites on top, with their arguments', () => {
    assert.deepEqual(labels(''), [
      '-- favorites',
      'My chart',
      '-- recent',
      'user_create',
      '-- more tools',
      'Pie Chart',
      'generate_bar_chart',
      'a.b',
      'a',
      'user_delete',
      '-- not running',
      'resting',
    ]);
    assert.deepEqual(rows[1], {
      kind: 'item',
      label: 'My chart',
      description: 'acme · generate_pie_chart',
      detail: 'data: [ 1, 2 ]',
      icon: 'star-full',
      target: { server: 'acme', name: 'generate_pie_chart', favourite: 'f1' },
    });
  });

  test('leaves out favorites whose tool is gone, and keeps those of a server that does not run', () => {
    const favourites = [
      { ...favourite, id: 'f2', tool: 'gone' },
      { ...favourite, id: 'f3', server: 'resting' },
    ];
    const found = toolPickRows(servers, [], 0, favourites).filter(({ target }) => target?.favourite !== undefined);
    assert.deepEqual(
      found.map(({ target }) => target?.favourite),
      ['f3'],
    );
  });

  test('matches words in any order over server, name, title and description', () => {
    assert.deepEqual(labels('chart pie'), ['-- favorites', 'My chart', '-- more tools', 'Pie Chart']);
    assert.deepEqual(labels('big create USER'), ['-- recent', 'user_create']);
    assert.deepEqual(labels('shares whole'), ['-- more tools', 'Pie Chart']);
    assert.deepEqual(labels('bar acme'), ['-- more tools', 'generate_bar_chart']);
    assert.deepEqual(labels('pie nothing'), []);
  });

  test('shows better matches first: a word of the name before a word of the description', () => {
    assert.deepEqual(labels('chart'), [
      '-- favorites',
      'My chart',
      '-- more tools',
      'Pie Chart',
      'generate_bar_chart',
      'user_delete',
    ]);
    assert.equal(labels('acme.a')[1], 'a');
  });

  test('offers to start a server that a typed name begins with', () => {
    assert.deepEqual(labels('resting.search {"a": 1}'), ['-- not running', 'resting']);
  });

  test('begins with a separator in every state, so that the first line keeps its position', () => {
    for (const filter of ['', 'chart', 'user', 'resting', 'resting.x'])
      assert.equal(filterRows(rows, filter)[0]?.kind, 'separator', filter);
  });

  test('stays short and fast with 5,000 tools', () => {
    const many = [
      serverView('many', { features: { tools: Array.from({ length: 5_000 }, (_, i) => tool(`tool_${i}`)) } }),
    ];
    const all = toolPickRows(many, [], 0);
    const found = filterRows(all, 'tool');
    assert.equal(found.length, 202);
    assert.equal(found.at(-1)?.label, '4800 other matches are hidden. Type more words to narrow the list.');
    // The exact name is found, however many others match.
    assert.equal(filterRows(all, 'tool_4999')[1]?.label, 'tool_4999');
    assert.deepEqual(
      filterRows(all, 'tool_4')
        .slice(0, 2)
        .map(({ label }) => label),
      ['tools', 'tool_4'],
    );
  });
});

describe('a call that is typed in full', () => {
  const check = () => undefined;

  test('finds the tool with the longest matching name, also with dots', () => {
    const named = (text: string) => {
      const found = namedTool(text, servers);
      return found && [found.server, found.tool.name, found.rest];
    };
    assert.deepEqual(named('acme.a {"x": 1}'), ['acme', 'a', '{"x": 1}']);
    assert.deepEqual(named('acme.a.b{"x": 1}'), ['acme', 'a.b', '{"x": 1}']);
    assert.deepEqual(named('acme.a.b'), ['acme', 'a.b', '']);
    assert.equal(named('acme.ab {}'), undefined);
    assert.equal(named('resting.a {}'), undefined);
  });

  test('is one line that can be accepted', () => {
    assert.deepEqual(callRow('acme.a {"x": "y",}', servers, check), {
      kind: 'item',
      label: 'Run a',
      description: 'acme',
      detail: '{"x": "y",}',
      icon: 'play',
      target: { server: 'acme', name: 'a', arguments: { x: 'y' } },
    });
    assert.equal(callRow('acme.a', servers, check), undefined);
    assert.equal(callRow('chart {"x": 1}', servers, check), undefined);
  });

  test('says what is wrong and cannot be accepted', () => {
    const wrong = (text: string, problem?: string) => {
      const row = callRow(text, servers, () => problem);
      return [row?.detail, row?.target];
    };
    assert.deepEqual(wrong('acme.a {"x": }'), ['Invalid JSON: unexpected "}" at character 7', undefined]);
    assert.deepEqual(wrong('acme.a {"x": '), ['Invalid JSON: it ends too early', undefined]);
    assert.deepEqual(wrong('acme.a [1]'), [
      'The arguments must be one JSON object, such as {"name": "value"}.',
      undefined,
    ]);
    assert.deepEqual(wrong('acme.a {"x": 1}', 'x must be a string'), ['x must be a string', undefined]);
  });

  test('is read without an error, whatever the text is', () => {
    const pieces = ['{', '}', '[', ']', '"', 'a', ':', ',', '1', ' ', '\\', '\u202e', '-', '.', 'e', 'true', '\n'];
    let seed = 7;
    const next = (below: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % below;
    for (let round = 0; round < 20_000; round++) {
      const text = Array.from({ length: next(14) }, () => pieces[next(pieces.length)]).join('');
      const read = readCallArguments(text);
      if ('values' in read) continue;
      assert.ok(read.problem.length > 0, text);
    }
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { modelTools, toolDescription, toolSchema } from '../../../../src/core/present/chat/modelTools.js';
import type { Tool } from '../../../../src/core/protocol/mcp.js';
import { serverView, tool } from '../../../support/serverViews.js';

const running = (id: string, ...tools: Tool[]) => serverView(id, { features: { tools } });
const names = (...views: ReturnType<typeof running>[]) => modelTools(views).map(({ name }) => name);

describe('[L1] tool names for the model', () => {
  test('consist of server and tool if the result is unambiguous', () => {
    assert.deepEqual(names(running('everything', tool('echo'), tool('get-sum')), serverView('stopped')), [
      'everything_echo',
      'everything_get-sum',
    ]);
  });

  test('contain a hash if characters were removed or two names would be equal', () => {
    const all = names(
      running('a', tool('b_c'), tool('x y'), tool('x.y'), tool('n'.repeat(200))),
      running('a_b', tool('c')),
      running('w (folder)', tool('t')),
    );
    assert.equal(new Set(all).size, all.length);
    for (const name of all) assert.match(name, /_[0-9a-f]{8}$/);
  });

  test('do not depend on the order or presence of others', () => {
    const a = running('a', tool('x y'), tool('x.y'));
    const b = running('b', tool('z'));
    assert.deepEqual(names(b, a).slice(1), names(a));
  });

  test('do not collide with a tool that is named like a hashed name', () => {
    const [hashed = ''] = names(running('a', tool('x y')));
    const caught = modelTools([running('a_x', tool(hashed.slice('a_x_'.length))), running('a', tool('x y'))]);
    const target = caught.find(({ server }) => server === 'a');
    assert.deepEqual(
      [target?.name, target?.tool.name, new Set(caught.map(({ name }) => name)).size],
      [hashed, 'x y', 2],
    );
  });

  test('are valid and unique for any names', () => {
    const name = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('__proto__', '', 'a b', 'a_b', 'a.b', '😀'),
    );
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 4 }), fc.array(name, { maxLength: 6 }), (servers, tools) => {
        const all = modelTools(servers.map((id) => running(id, ...tools.map((each) => tool(each)))));
        assert.equal(new Set(all.map((each) => each.name)).size, all.length);
        assert.equal(all.length, servers.length * new Set(tools).size);
        for (const each of all) assert.match(each.name, /^[A-Za-z0-9_-]{1,64}$/);
      }),
    );
  });
});

describe('descriptions and schemas for the model', () => {
  const [first] = modelTools([
    running('srv', tool('t', { title: 'T\u202e', description: `d\u{e0041}${'x'.repeat(5_000)}` })),
  ]);
  assert.ok(first);

  test('[L2] descriptions and schemas show hidden characters and are short', () => {
    const text = toolDescription(first);
    assert.match(text, /^\[srv\] T\\u\{202e\}\. d\\u\{e0041\}x+… \(\d+ more characters\)$/);
    assert.ok(text.length < 1_100);
    const schema = { $schema: 'x', type: 'object', properties: { a: { description: 'b\u200bc', enum: ['d', 1] } } };
    assert.deepEqual(toolSchema(schema), {
      type: 'object',
      properties: { a: { description: 'b\\u{200b}c', enum: ['d', 1] } },
    });
    assert.deepEqual(
      [toolSchema({ anyOf: [] }), toolSchema({ enum: Array.from({ length: 5_000 }, () => 1) })],
      [{ anyOf: [], type: 'object' }, { type: 'object' }],
    );
  });
});

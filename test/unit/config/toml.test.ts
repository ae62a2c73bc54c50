import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { assertGrowsLinearly } from '../../support/linearWork.js';
import { readToml, withTomlTable } from '../../../src/core/config/toml.js';

test('a table is removed in linear time, with one blank line left', () => {
  const removed = (blanks: string) => withTomlTable(`a = 1${blanks}[b]\nc = 2\n`, ['b'], undefined);
  assert.equal(removed(' \r\n\r\n \n'), 'a = 1 \r\n');
  assertGrowsLinearly((length) => removed('\n'.repeat(length)), 40_000, 'many blank lines');
});

test('TOML is read as plain data', () => {
  const text = [
    '# comment',
    'title = "a \\"quoted\\" \\u00e9 text" # comment',
    "path = 'C:\\x'",
    'list = [1, 2_000, -3.5e2, # comment',
    '  0xff, inf, true, "]", [ "a" ],]',
    'date = 2026-01-02T03:04:05Z',
    'lines = """',
    'one \\',
    '   two""""',
    "raw = '''a\nb'''",
    'a.b."c.d" = 1',
    '[t.x]',
    'y = { z = { "k" = "v" }, w = [] }',
    '[[t.items]]',
    'n = 1',
    '[[t.items]]',
    'n = 2',
  ].join('\n');
  assert.deepEqual(readToml(text), {
    title: 'a "quoted" é text',
    path: 'C:\\x',
    list: [1, 2000, -350, 255, Infinity, true, ']', ['a']],
    date: '2026-01-02T03:04:05Z',
    lines: 'one two"',
    raw: 'a\nb',
    a: { b: { 'c.d': 1 } },
    t: { x: { y: { z: { k: 'v' }, w: [] } }, items: [{ n: 1 }, { n: 2 }] },
  });
});

test('text that is not TOML is refused with its line', () => {
  for (const [text, problem] of [
    ['a = 1\nb', /Line 2: "=" is missing/],
    ['a = "x', /Line 1: a string has no closing quotation mark/],
    ['a = 1\na = 2', /Line 2: "a" is defined twice/],
    ['a = [1', /"\]" is missing|a value is missing/],
    ['a = 1 b = 2', /unexpected text at the end of the line/],
    ['[a\nb = 1', /"\]" is missing/],
    ['a = {"jsonStyle": 1}', /"=" is missing/],
    ['a = "\\q"', /escape/],
    ['a = 1\n[a.b]', /"a" is not a table/],
    ['= 1', /a key is missing/],
    [`a = ${'['.repeat(100)}`, /nested too deeply/],
  ] as const)
    assert.throws(() => readToml(text), problem, text);
  assert.equal(({} as Record<string, unknown>)['x'], undefined);
  readToml('[__proto__]\nx = 1');
  assert.equal(({} as Record<string, unknown>)['x'], undefined);
});

const config = [
  '# first',
  'model = "m" # stays',
  '',
  '[mcp_servers.one]',
  'command = "a" # inside',
  '',
  '[mcp_servers.one.env]',
  'A = "b"',
  '',
  '# about two',
  '[mcp_servers.two]',
  'command = "c"',
  '',
].join('\n');

test('a table is added, changed and removed, and everything else stays', () => {
  const added = withTomlTable(config, ['mcp_servers', 'new one'], {
    command: 'x',
    args: ['--a', 'é"'],
    env: { 'K.x': '1' },
  });
  assert.equal(
    added,
    `${config}\n[mcp_servers."new one"]\ncommand = "x"\nargs = ["--a", "é\\""]\nenv = { "K.x" = "1" }\n`,
  );
  assert.equal(withTomlTable(added, ['mcp_servers', 'new one'], undefined), config);
  const changed = withTomlTable(config, ['mcp_servers', 'one'], { command: 'z' });
  assert.deepEqual(readToml(changed), {
    model: 'm',
    mcp_servers: { one: { command: 'z' }, two: { command: 'c' } },
  });
  for (const kept of ['# first', '# stays', '# about two']) assert.ok(changed.includes(kept), kept);
  const removed = withTomlTable(config, ['mcp_servers', 'one'], undefined);
  assert.equal(removed, '# first\nmodel = "m" # stays\n\n# about two\n[mcp_servers.two]\ncommand = "c"\n');
  assert.equal(withTomlTable('', ['a'], { b: 1 }), '[a]\nb = 1\n');
  assert.equal(withTomlTable(config, ['mcp_servers', 'none'], undefined), config);
  assert.throws(
    () => withTomlTable('mcp_servers = { one = {} }', ['mcp_servers', 'one'], undefined),
    /table of its own/,
  );
});

test('a written table is read back unchanged, for any fields, and the text around it is kept', () => {
  const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.array(fc.string(), { maxLength: 3 }));
  const table = fc.dictionary(
    fc.string({ minLength: 1 }),
    fc.oneof(value, fc.dictionary(fc.string(), value, { maxKeys: 3 })),
    {
      maxKeys: 4,
    },
  );
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), table, (name, fields) => {
      const text = withTomlTable(config, ['x', name], fields);
      assert.ok(text.startsWith(config));
      assert.deepEqual((readToml(text)['x'] as Record<string, unknown>)[name], JSON.parse(JSON.stringify(fields)));
      assert.equal(withTomlTable(text, ['x', name], undefined), config);
    }),
  );
});

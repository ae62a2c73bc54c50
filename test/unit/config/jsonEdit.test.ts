import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withValue } from '../../../src/core/config/jsonEdit.js';

const text = (eol: string) =>
  [
    '{',
    '\t"servers": {',
    '\t\t"a": {',
    '\t\t\t"type": "stdio", // old',
    '\t\t\t// kept',
    '\t\t\t"command": "{",',
    '\t\t\t"args": ["x"]',
    '\t\t}',
    '\t}',
    '}',
    '',
  ].join(eol);

for (const [name, eol] of [
  ['\\n', '\n'],
  ['\\r\\n', '\r\n'],
] as const)
  test(`an edited entry keeps its line breaks, comments and indentation with ${name}`, () => {
    assert.deepEqual(withValue(text(eol), ['servers', 'a'], { command: 'node', args: ['y'] }).split(eol), [
      '{',
      '\t"servers": {',
      '\t\t"a": {',
      '\t\t\t// kept',
      '\t\t\t"command": "node",',
      '\t\t\t"args": ["y"]',
      '\t\t}',
      '\t}',
      '}',
      '',
    ]);
  });

test('the last property and an entry in one line are removed with their comma', () => {
  assert.deepEqual(
    [
      withValue(text('\n'), ['servers', 'a', 'args'], undefined).includes('"command": "{"\n\t\t}'),
      withValue('{"a":{"b":1,"c":2}}', ['a', 'b'], undefined),
      withValue('{"a":{"b":1,"c":2}}', ['a', 'c'], undefined),
    ],
    [true, '{"a":{"c":2}}', '{"a":{"b":1}}'],
  );
});

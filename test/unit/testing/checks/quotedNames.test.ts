/** Places of names of tools in source texts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quotedNames } from '../../../../src/core/testing/checks/locate/quotedNames.js';

test('the first place of each name in quotes is found, in the quotes of any language', () => {
  const text = 'tool(\'read\');\r\n@tool("list")\nx = `read`;\nfn("other", "read_all", \'list\')\nname: `read_all`';
  assert.deepEqual(Object.fromEntries(quotedNames(text, new Set(['read', 'list', 'read_all', 'gone']))), {
    read: { line: 0, character: 6, endCharacter: 10 },
    list: { line: 1, character: 7, endCharacter: 11 },
    read_all: { line: 3, character: 13, endCharacter: 21 },
  });
});

test('a name without quotes, or in two different quotes, is not found', () => {
  assert.equal(quotedNames('read(); "read\' `read"', new Set(['read'])).size, 0);
});

test('a long line of quotes is searched in linear time', () => {
  const text = '"a'.repeat(500_000);
  assert.equal(quotedNames(text, new Set(['b'])).size, 0);
});

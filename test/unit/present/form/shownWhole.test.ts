import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isShownWhole } from '../../../../src/core/present/form/shownWhole.js';

const long = 'https://example.com/'.padEnd(300, 'mcp/');

for (const [title, fields] of Object.entries({
  'short values': { command: 'npx', args: ['-y', 'acme server', ''], env: { LOG: 'info' }, timeout: 5 },
  'a long value that the page wraps': { url: long, headers: { 'X-Trace': 'on' } },
}))
  test(`[approval.shown] a page shows whole: ${title}`, () => assert.ok(isShownWhole(fields, fields)));

for (const [title, fields] of Object.entries({
  'an argument that is longer than its field': { command: 'node', args: ['a'.repeat(601)] },
  'blanks before the rest of an argument': { command: 'node', args: [`docs${' '.repeat(300)}--hidden-flag`] },
  'two blanks': { command: 'node', args: ['a  b'] },
  'a blank at the end': { command: 'node ' },
  'a line break': { command: 'node', args: ['-e', 'safe()\nhidden()'] },
  'a hidden character in a value': { command: 'node', env: { A: 'a\u200bb' } },
  'a hidden character in a name': { url: 'https://example.com/mcp', headers: { 'X\u200b': 'a' } },
  'a character that reverses the direction': { command: 'node', args: ['\u202egpj.sh'] },
  'a long name': { command: 'node', env: { ['A'.repeat(700)]: 'a' } },
  'many arguments': { command: 'node', args: Array.from({ length: 80 }, (_, index) => `--option-${index}`) },
  'values inside other values': { url: 'https://a.example/mcp', oauth: { scopes: ['read', 'x'.repeat(2_000)] } },
}))
  test(`[approval.shown] a page does not show whole, so its button does not approve: ${title}`, () =>
    assert.ok(!isShownWhole(fields, fields)));

test('[approval.shown] a long value that was typed after the page was drawn is in a field with one line', () =>
  assert.ok(!isShownWhole({ url: long }, { url: 'https://example.com/' })));

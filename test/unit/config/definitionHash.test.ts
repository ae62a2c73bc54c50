import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { definitionHash } from '../../../src/core/config/definitionHash.js';
import type { InputDefinition, RemoteDefinition, StdioDefinition } from '../../../src/core/config/serverDefinition.js';

const source = { folderPath: '/w' };
const local: StdioDefinition = { type: 'stdio', command: 'x', args: ['1', '2'], env: { A: '1', B: '2' } };
const remote: RemoteDefinition = { type: 'http', url: 'https://x', headers: { A: '1' } };

test('is the hexadecimal SHA-256', () => assert.match(definitionHash(local, source), /^[0-9a-f]{64}$/));

describe('[C3] the hash changes with', () => {
  const cases: [string, StdioDefinition | RemoteDefinition, StdioDefinition | RemoteDefinition][] = [
    ['the command', local, { ...local, command: 'y' }],
    ['an argument', local, { ...local, args: ['1', '3'] }],
    ['the borders of arguments', local, { ...local, args: ['1,2'] }],
    ['the order of arguments', local, { ...local, args: ['2', '1'] }],
    ['an empty argument', local, { ...local, args: ['1', '2', ''] }],
    ['a value of env', local, { ...local, env: { A: '1', B: '3' } }],
    ['a removed variable', local, { ...local, env: { A: '1', B: null } }],
    ['null and its text', { ...local, env: { A: null } }, { ...local, env: { A: 'null' } }],
    ['cwd', local, { ...local, cwd: '/w' }],
    ['envFile', local, { ...local, envFile: '.env' }],
    ['the address', remote, { ...remote, url: 'https://y' }],
    ['a header', remote, { ...remote, headers: { A: '2' } }],
    ['the type', remote, { ...remote, type: 'sse' }],
    ['a lone surrogate', { ...local, command: '\ud800' }, { ...local, command: '\ud801' }],
  ];
  for (const [what, before, after] of cases) test(what, () => assert.notEqual(definitionHash(before, source), definitionHash(after, source)));

  test('the folder', () => assert.notEqual(definitionHash(local, source), definitionHash(local, { folderPath: '/v' })));
  test('the content of the env file', () => assert.notEqual(definitionHash(local, source, 'a'), definitionHash(local, source, 'b')));

  const input: InputDefinition = { id: 'i', type: 'pickString', options: [{ label: 'safe', value: 'safe' }] };
  test('what an input offers', () => {
    assert.notEqual(definitionHash(local, source, undefined, [input]), definitionHash(local, source, undefined, [{ ...input, options: [{ label: 'safe', value: 'evil' }] }]));
  });
  test('not the text of its question', () => {
    assert.equal(definitionHash(local, source, undefined, [input]), definitionHash(local, source, undefined, [{ ...input, description: 'Which?' }]));
  });
});

describe('the hash does not change with', () => {
  test('the order of keys', () => assert.equal(definitionHash({ env: { B: '2', A: '1' }, args: ['1', '2'], command: 'x', type: 'stdio' }, source), definitionHash(local, source)));
  test('what decides nothing about the start', () => {
    assert.equal(definitionHash({ ...local, timeoutMs: 5, startTimeoutMs: 6, protocol: 'legacy', extra: { note: 1 } }, source), definitionHash(local, source));
  });
  test('fields that are written as undefined', () => assert.equal(definitionHash({ ...local, cwd: undefined, envFile: undefined }, source), definitionHash(local, source)));
});

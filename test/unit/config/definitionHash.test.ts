import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { definitionHash } from '../../../src/core/config/definitionHash.js';
import type { InputDefinition, RemoteDefinition, StdioDefinition } from '../../../src/core/config/serverDefinition.js';

const source = { folderPath: '/w' };
const local: StdioDefinition = { type: 'stdio', command: 'x', args: ['1', '2'], env: { A: '1', B: '2' } };
const remote: RemoteDefinition = { type: 'http', url: 'https://x', headers: { A: '1' } };

test('is the hexadecimal SHA-256', () => assert.match(definitionHash(local, source), /^[0-9a-f]{64}$/));

// Approvals, eras, pins and rules are stored by it.
test('stays what it was, where nothing but the definition decides', () => {
  assert.equal(definitionHash(local, source), '76bde00a33e4324fc75b42f59dd36b1e033b6ceed9575ad9f36471667e7e6e3f');
  assert.equal(definitionHash(remote, source), 'aadeb8f7fa6daf30edc80e3269c61c081546ab9775d1277f56cae053079edad6');
  assert.equal(definitionHash({ ...local, envFile: '.env' }, source, { envFileHash: 'a' }), 'cd23edd521144993db91323df0c2ed9d8c3b8afdc9568352588e498a4434edc5');
});

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
    ['caFile', remote, { ...remote, caFile: 'ca.pem' }],
    ['the type', remote, { ...remote, type: 'sse' }],
    ['a lone surrogate', { ...local, command: '\ud800' }, { ...local, command: '\ud801' }],
  ];
  for (const [what, before, after] of cases) test(what, () => assert.notEqual(definitionHash(before, source), definitionHash(after, source)));

  test('the folder', () => assert.notEqual(definitionHash(local, source), definitionHash(local, { folderPath: '/v' })));
  test('the content of the env file', () => assert.notEqual(definitionHash(local, source, { envFileHash: 'a' }), definitionHash(local, source, { envFileHash: 'b' })));
  test('the content of the file with authorities', () => assert.notEqual(definitionHash(remote, source, { caFileHash: 'a' }), definitionHash(remote, source, { caFileHash: 'b' })));
  test('what the workspace gives as value of a variable', () => assert.notEqual(definitionHash(local, source, { values: { 'config:a': '1' } }), definitionHash(local, source, { values: { 'config:a': '2' } })));

  const input: InputDefinition = { id: 'i', type: 'pickString', options: [{ label: 'safe', value: 'safe' }] };
  test('what an input offers', () => {
    assert.notEqual(definitionHash(local, source, {}, [input]), definitionHash(local, source, {}, [{ ...input, options: [{ label: 'safe', value: 'evil' }] }]));
  });
  test('not the text of its question', () => {
    assert.equal(definitionHash(local, source, {}, [input]), definitionHash(local, source, {}, [{ ...input, description: 'Which?' }]));
  });
});

describe('the hash does not change with', () => {
  test('the order of keys', () => assert.equal(definitionHash({ env: { B: '2', A: '1' }, args: ['1', '2'], command: 'x', type: 'stdio' }, source), definitionHash(local, source)));
  test('what decides nothing about the start', () => {
    assert.equal(definitionHash({ ...local, timeoutMs: 5, startTimeoutMs: 6, protocol: 'legacy', extra: { note: 1 } }, source), definitionHash(local, source));
  });
  test('fields that are written as undefined', () => assert.equal(definitionHash({ ...local, cwd: undefined, envFile: undefined }, source), definitionHash(local, source)));
});

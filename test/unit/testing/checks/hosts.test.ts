/** The verdicts of hosts: what their documented limits refuse or change. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Tool } from '../../../../src/core/protocol/mcp.js';
import { hosts } from '../../../../src/core/testing/checks/hosts/hostLimits.js';
import { hostVerdicts } from '../../../../src/core/testing/checks/hosts/hostVerdicts.js';

const good: Tool = {
  name: 'read_page',
  description: 'Reads a page.',
  inputSchema: { type: 'object', properties: { page: { type: 'integer' } } },
};
const verdicts = (tools: readonly Tool[], server = 'manual') =>
  Object.fromEntries(hostVerdicts(server, tools).map(({ host, verdict }) => [host, verdict]));
const limited = (tools: readonly Tool[], server?: string) =>
  Object.entries(verdicts(tools, server))
    .filter(([, verdict]) => verdict !== 'works')
    .map(([host]) => host);

test('a good server works in every host, and every limit has a source', () => {
  assert.deepEqual(Object.keys(verdicts([good])), [
    'vscode',
    'claude',
    'cursor',
    'codex',
    'gemini',
    'jetbrains',
    'copilot-cli',
  ]);
  assert.deepEqual(limited([good]), []);
  for (const { limits } of hosts) for (const { source } of limits) assert.match(source, /^https:\/\/\S+$/);
});

const cases: [string, readonly Tool[], string[], string?][] = [
  ['a dot in a name', [good, { ...good, name: 'page.read' }], ['claude', 'codex', 'copilot-cli']],
  ['a name of 64 characters', [good, { ...good, name: 'n'.repeat(64) }], ['cursor', 'gemini', 'copilot-cli']],
  ['a long name of the server', [good], ['cursor', 'copilot-cli'], 's'.repeat(55)],
  [
    'an array without items',
    [good, { ...good, inputSchema: { type: 'object', properties: { a: { type: 'array' } } } }],
    ['vscode'],
  ],
  ['a combination at the root', [good, { ...good, inputSchema: { type: 'object', oneOf: [{}] } }], ['claude']],
  [
    'a blank in a parameter',
    [good, { ...good, inputSchema: { type: 'object', properties: { 'a b': { type: 'string' } } } }],
    ['claude'],
  ],
  [
    'a parameter without a type',
    [good, { ...good, inputSchema: { type: 'object', properties: { a: {} } } }],
    ['gemini'],
  ],
  ['a long description', [good, { ...good, description: 'x'.repeat(3_000) }], ['claude']],
  ['41 tools', Array.from({ length: 41 }, () => good), ['cursor']],
  ['129 tools', Array.from({ length: 129 }, () => good), ['vscode', 'cursor']],
  ['a list as output', [good, { ...good, outputSchema: { type: 'array' } }], ['jetbrains']],
];
for (const [what, tools, expected, server] of cases) {
  test(`${what} limits ${expected.join(', ')}`, () => assert.deepEqual(limited(tools, server), expected));
}

test('a host that refuses every tool refuses the server, and the reason names the tools', () => {
  const dotted = { ...good, name: 'page.read' };
  const claude = hostVerdicts('manual', [dotted]).find(({ host }) => host === 'claude');
  assert.equal(claude?.verdict, 'refused');
  assert.deepEqual(
    claude.reasons.map(({ effect, count, tools }) => [effect, count, tools]),
    [['refused', 1, ['page.read']]],
  );
});

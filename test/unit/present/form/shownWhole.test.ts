import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { WrittenFields } from '../../../../src/core/present/form/serverForm.js';
import { schemaFor } from '../../../../src/core/present/form/serverForm.js';
import { isShownWhole } from '../../../../src/core/present/form/shownWhole.js';
import { jsonTextsOf } from '../../../../src/shared/form/formState.js';

const { contributes } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  contributes: { configuration: readonly { properties: Record<string, { additionalProperties?: unknown }> }[] };
};
const servers = contributes.configuration.find(({ properties }) => 'mcpDeck.servers' in properties)?.properties;
const shows = (fields: WrittenFields, drawn = fields, json?: string) =>
  isShownWhole(fields, {
    drawn,
    schema: schemaFor(fields, servers?.['mcpDeck.servers']?.additionalProperties),
    ...(json === undefined ? {} : { json }),
  });

const long = 'https://example.com/'.padEnd(300, 'mcp/');

for (const [title, fields] of Object.entries({
  'short values': { command: 'npx', args: ['-y', 'acme server', ''], env: { LOG: 'info' }, timeoutMs: 5 },
  'fields inside of listed fields': {
    url: 'https://example.com/mcp',
    oauth: { scopes: ['read'], provider: { issuer: 'https://i', clientId: 'a' } },
  },
  'a long value that the page wraps': { url: long, headers: { 'X-Trace': 'on' } },
}))
  test(`[approval.shown] a page shows everything: ${title}`, () => assert.ok(shows(fields)));

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
  'a field that the form does not list': { command: 'python', dev: { debug: { debugpyPath: '/x' } } },
  'an unknown field': { command: 'node', commandLine: 'x' },
  'fields of a remote server in a local one': { command: 'node', headers: { A: 'b' } },
  'an object in place of a text': { command: 'node', cwd: { path: '/x' } },
  'a list in place of a text': { command: 'node', cwd: ['/x'] },
  'a secret that the page drew as dots': { url: 'https://a.example/', oauth: { clientSecret: '${env:OTHER}' } },
  'values inside other values': { url: 'https://a.example/mcp', oauth: { scopes: ['read', 'x'.repeat(2_000)] } },
}))
  test(`[approval.shown] a page does not show everything, so its button does not approve: ${title}`, () =>
    assert.ok(!shows(fields)));

test('[approval.shown] a long value that was typed after the page was drawn is in a field with one line', () =>
  assert.ok(!shows({ url: long }, { url: 'https://example.com/' })));

test('[approval.shown] a secret that the user typed is shown', () =>
  assert.ok(shows({ url: 'https://a.example/', oauth: { clientSecret: 'mine' } }, { url: 'https://a.example/' })));

test('[approval.shown] JSON text is shown completely only if each line fits and all lines fit', () => {
  const shownAs = (fields: WrittenFields, json = JSON.stringify(fields, undefined, 2)) => shows(fields, fields, json);
  const fields = { command: 'npx', args: ['-y', 'acme server'], cwd: 'C:\\users' };
  assert.ok(shownAs(fields));
  assert.ok(shownAs(fields, JSON.stringify(fields, undefined, 2).replace('{', '{ // mine')));
  assert.ok(!shownAs({ command: 'node', args: ['a'.repeat(61)] }), 'a long value');
  assert.ok(!shownAs({ url: long }), 'a value that a form wraps and JSON does not');
  assert.ok(
    !shownAs(
      { command: 'node', args: ['-a', '-b', '-c'] },
      `{"command": "node",${' '.repeat(60)}"args": ["-a", "-b", "-c"]}`,
    ),
    'a long line',
  );
  assert.ok(!shownAs({ command: 'node', args: Array.from({ length: 30 }, () => '-a') }), 'many lines');
  assert.ok(!shownAs({ command: 'evil' }, '{"command": "\\u0065vil"}'), 'an escape');
  assert.ok(!shownAs({ command: 'node', dev: { debug: { debugpyPath: '/x' } } }), 'a field that is not listed');
});

test('[approval.shown] a form has the texts of its JSON fields', () =>
  assert.deepEqual(
    jsonTextsOf({
      kind: 'object',
      members: [
        { name: 'a', state: { kind: 'text', text: 'no' } },
        { name: 'b', state: { kind: 'list', items: [{ id: 1, state: { kind: 'json', text: '{"x": 1}' } }] } },
        { name: 'c', state: { kind: 'variant', index: 0, state: { kind: 'json', text: '[]' } } },
      ],
    }),
    ['{"x": 1}', '[]'],
  ));

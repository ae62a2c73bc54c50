import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import {
  definitionProblem,
  editedFields,
  fieldProblems,
  plainForm,
  plainSecretNames,
  schemaFor,
} from '../../../../src/core/present/form/serverForm.js';
import type { JsonValue } from '../../../../src/shared/json.js';
import { nodeOf } from '../../../../src/shared/form/places.js';
import { formFromSchema, formToValue, valueToForm } from '../../../../src/core/formModel.js';

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
  contributes: { configuration: { properties: Record<string, { additionalProperties: unknown }> }[] };
};
const setting = manifest.contributes.configuration
  .map(({ properties }) => properties['mcpDeck.servers'])
  .find((property) => property !== undefined)?.additionalProperties;

test('each kind of server is drawn with its own schema, taken from the setting', () => {
  const names = (fields: Record<string, unknown>) => Object.keys(schemaFor(fields, setting)['properties'] as object);
  assert.deepEqual(
    [
      names({ command: 'x' }).includes('args'),
      names({ url: 'https://h/' }).includes('headers'),
      names({ url: 'https://h/' }).includes('args'),
      names({}).includes('args'),
    ],
    [true, true, false, true],
  );
  assert.deepEqual(schemaFor({ command: 'x' }, undefined), { type: 'object' });
});

test('a definition is read back from its form unchanged, including fields that the schema does not name', () => {
  const definitions: Record<string, JsonValue>[] = [
    {
      command: 'node',
      args: ['a b', ''],
      env: { A: '1', B: 2, C: null },
      dev: { watch: '**/*.ts' },
      timeoutMs: 5,
      disabledTools: ['x*'],
    },
    {
      type: 'ws',
      url: 'wss://h/',
      headers: { 'X-A': '${input:k}' },
      oauth: { scopes: ['a'], provider: { issuer: 'https://i/' } },
      gallery: true,
    },
    { url: 'https://h/', oauth: false },
  ];
  for (const fields of definitions) {
    const form = formFromSchema(schemaFor(fields, setting));
    assert.deepEqual(formToValue(form, valueToForm(form, fields)), fields);
  }
});

const value = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom('x', null, true));
const fields = fc.dictionary(fc.constantFrom('command', 'args', 'env', 'url', 'more', 'toString'), value);

test('untouched fields keep changes from outside, and edited fields are written', () => {
  fc.assert(
    fc.property(fields, fields, fields, (before, after, now) => {
      const written = editedFields({ before, after, now });
      for (const name of new Set([before, after, now, written].flatMap((one) => Object.keys(one)))) {
        const at = (one: Record<string, unknown>) => (Object.hasOwn(one, name) ? [one[name]] : []);
        const isTouched = JSON.stringify(at(before)) !== JSON.stringify(at(after));
        assert.deepEqual(at(written), at(isTouched ? after : now), name);
      }
    }),
  );
  assert.deepEqual(
    Object.keys(editedFields({ before: { b: 1, a: 1 }, after: { a: 2, b: 1, c: 3 }, now: { z: 0, b: 1, a: 1 } })),
    ['z', 'b', 'a', 'c'],
  );
});

test('a problem appears at its field and forms a sentence with its name', () => {
  const one = (given: Record<string, unknown>) =>
    fieldProblems('s', given).map(({ path, message }) => `${path} ${message}`);
  assert.deepEqual(one({ command: 'x' }), []);
  assert.deepEqual(one({ url: 'nowhere' }), ['/url must begin with https:, http:, wss:, ws:, unix:, or pipe:']);
  assert.deepEqual(one({ command: 'x', env: { 'A/B': {} } }), [
    '/env/A~1B must be a string, a number, true, false, or null',
  ]);
  assert.deepEqual(one({ command: 'x', url: 'https://h/' }), [
    '/url is not used, because "command" makes this a local server. Remove one of them',
  ]);
  assert.equal(definitionProblem('s', { command: 'x' }), undefined);
  assert.match(definitionProblem('s', { url: 'nowhere' }) ?? '', /must begin with https/);
});

test('secrets in plain text are mentioned without their value', () => {
  assert.deepEqual(
    plainSecretNames('s', {
      command: 'x',
      args: ['--api-key', 'abcdef0123456789'],
      env: { API_TOKEN: 'abcdef0123456789', PATH_TO: '/x' },
    }),
    ['API_TOKEN', 'args'],
  );
});

test('the fields of a form have readable labels, and entries are named after what they are', () => {
  const places = (fields: Record<string, JsonValue>) => {
    const form = formFromSchema(plainForm(schemaFor(fields, setting), fields));
    const root = nodeOf(form, form.root);
    return (root.kind === 'object' ? root.properties : []).map((field) => {
      const node = nodeOf(form, field);
      const entry = node.kind === 'object' ? (node.more?.field.label ?? '') : '';
      return entry === '' ? field.label : `${field.label} (${entry})`;
    });
  };
  assert.deepEqual(places({ command: 'node' }).slice(0, 5), [
    'Command',
    'Arguments',
    'Environment variables (Variable)',
    'Environment file',
    'Working directory',
  ]);
  assert.deepEqual(places({ url: 'https://h/' }).slice(0, 5), ['Type', 'URL', 'Headers (Header)', 'CA file', 'OAuth']);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CalledTools } from '../../../src/core/host/calledTools.js';
import { allSecret, mergedSecrets, toolSecrets } from '../../../src/core/trace/toolSecrets.js';

const schemaWith = (...secrets: string[]) => ({
  type: 'object' as const,
  properties: Object.fromEntries(secrets.map((name) => [`${name}Password`, { type: 'string' }])),
});

test('the secrets of all calls of a tool are joined, and of another tool there are none', () => {
  const tools = new CalledTools();
  tools.note('pay', schemaWith('a'));
  tools.note('pay', schemaWith('b'));
  const secrets = tools.of('pay');
  assert.ok(typeof secrets === 'object');
  assert.deepEqual([...(secrets.place?.members?.keys() ?? [])].sort(), ['aPassword', 'bPassword']);
  assert.equal(tools.of('read'), undefined);
});

test('[S2] if the names of secrets are too long to be kept, every argument counts as secret from then on', () => {
  const tools = new CalledTools();
  for (let call = 0; call < 30; call++) tools.note('pay', schemaWith(`${call}${'x'.repeat(10_000)}`));
  assert.deepEqual(tools.of('pay'), allSecret);
  tools.note('pay', schemaWith('a'));
  assert.deepEqual(tools.of('pay'), allSecret);
  // The trace also knows the secrets of the listed schema.
  assert.deepEqual(mergedSecrets(tools.of('pay'), toolSecrets(schemaWith('b'))), allSecret);
  tools.note('large', schemaWith('x'.repeat(100_000)));
  assert.equal(tools.of('large'), allSecret);
  const name = 'n'.repeat(100_000);
  tools.note(name, schemaWith('a'));
  assert.ok(typeof tools.of(name) === 'object');
});

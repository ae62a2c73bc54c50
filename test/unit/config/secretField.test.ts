import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withSecret } from '../../../src/core/config/secretField.js';

const key = { field: 'env', name: 'ACME_KEY', before: '' } as const;

test('a secret becomes a reference to a new input, and everything else stays', () => {
  const { fields, input, isNew } = withSecret({ command: 'node', env: { A: 'b' } }, key, {
    server: 'Acme Inc',
    inputs: [{ id: 'acme-inc-acme-key', type: 'promptString' }],
  });
  assert.deepEqual(fields, { command: 'node', env: { A: 'b', ACME_KEY: '${input:acme-inc-acme-key-2}' } });
  assert.deepEqual(input, {
    id: 'acme-inc-acme-key-2',
    type: 'promptString',
    description: 'ACME_KEY of Acme Inc',
    password: true,
  });
  assert.equal(isNew, true);
});

test('a header is found in any case and keeps its scheme', () => {
  const header = { field: 'headers', name: 'Authorization', before: 'Bearer ' } as const;
  const { fields } = withSecret({ url: 'https://x', headers: { authorization: 'Bearer old' } }, header, {
    server: 'x',
    inputs: [],
  });
  assert.deepEqual(fields['headers'], { authorization: 'Bearer ${input:x-authorization}' });
});

test('a reference to a password stays, so that only its value is asked for again', () => {
  const input = { id: 'k', type: 'promptString', password: true } as const;
  const before = { command: 'node', env: { ACME_KEY: '${input:k}' } };
  const { fields, isNew } = withSecret(before, key, { server: 'x', inputs: [input] });
  assert.deepEqual([fields, isNew], [before, false]);
  assert.equal(withSecret(before, key, { server: 'x', inputs: [{ ...input, password: false }] }).isNew, true);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formFromSchema, formToValue, valueToForm } from '../../../../src/core/formModel.js';
import type { JsonValue } from '../../../../src/shared/json.js';
import { holdsSecrets, withoutSecrets, withSecretsOf } from '../../../../src/shared/form/secrets.js';

const schema = {
  type: 'object',
  properties: {
    url: { type: 'string' },
    env: { type: 'object', additionalProperties: { type: 'string' } },
    oauth: { type: 'object', properties: { clientId: { type: 'string' }, clientSecret: { type: 'string' } } },
  },
};
const form = formFromSchema(schema);
const start: JsonValue = {
  url: 'https://h/',
  env: { GITHUB_TOKEN: 'hush', MODE: 'fast' },
  oauth: { clientId: 'c', clientSecret: 'hush' },
};

test('the stored state of a form contains no secret, and initial values are restored', () => {
  const edited = valueToForm(form, { ...start, url: 'https://other/' });
  const kept = withoutSecrets(form, edited);
  assert.equal(holdsSecrets(form, edited), true);
  assert.equal(JSON.stringify(kept).includes('hush'), false);
  assert.deepEqual(formToValue(form, withSecretsOf(form, kept, start)), { ...start, url: 'https://other/' });
});

test('changes by the user to a secret, or around it, are kept', () => {
  const typed = valueToForm(form, { env: { GITHUB_TOKEN: 'new' } });
  assert.deepEqual(formToValue(form, withSecretsOf(form, typed, start)), { env: { GITHUB_TOKEN: 'new' } });
  const none = valueToForm(form, { url: 'x' });
  assert.equal(withSecretsOf(form, none, start), none);
});

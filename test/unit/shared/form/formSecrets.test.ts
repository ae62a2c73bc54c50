import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formFromSchema, formToValue, valueToForm } from '../../../../src/core/formModel.js';
import { setAt } from '../../../../src/shared/form/edit.js';
import type { FormState } from '../../../../src/shared/form/formState.js';
import type { JsonValue } from '../../../../src/shared/json.js';
import {
  holdsSecrets,
  jsonHoldsSecrets,
  withoutSecrets,
  withSecretsOf,
} from '../../../../src/shared/form/formSecrets.js';

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

test('[paste.secrets] the stored state of a definition has no secret in headers and users among its arguments', () => {
  const args = { type: 'array', items: { type: 'string' } };
  const definition = formFromSchema({ type: 'object', properties: { args } });
  const stored = (texts: string[]) =>
    formToValue(definition, withoutSecrets(definition, valueToForm(definition, { args: texts }), { isSetting: true }));
  assert.deepEqual(
    stored([
      '--header',
      'X-Api-Key: hush',
      '--header=Authorization:hush',
      '-HCookie: hush',
      '-u',
      'me:hush',
      '-ume:hush',
    ]),
    { args: ['--header', 'X-Api-Key: ', '--header=Authorization:', '-HCookie: ', '-u', 'me:', '-ume:'] },
  );
  const plain = ['--user=1000:1000', '-u', '1000:1000', 'Accept: text/plain', 'https://a.test/', '-u', 'me'];
  assert.deepEqual(stored(plain), { args: plain });
});

test('[paste.secrets] the stored state of a definition has no secret in arguments, addresses, variables and headers', () => {
  const fields = {
    type: 'object',
    properties: {
      url: { type: 'string' },
      args: { type: 'array', items: { type: 'string' } },
      env: { type: 'object', additionalProperties: { type: 'string' } },
      headers: { type: 'object', additionalProperties: { type: 'string' } },
    },
  };
  const definition = formFromSchema(fields);
  const value = {
    url: 'https://user:hush-1@example.com/mcp?api_key=hush-2&mode=fast',
    args: ['--api-key=hush-3', '--token', 'hush-4', 'ghp_0123456789abcdefghijkl', '--mode', 'fast'],
    env: { SOME_AUTH_VALUE: 'hush-5', MY_KEYS: 'hush-6', GITHUB: 'ghp_0123456789abcdefghijkl', MODE: 'fast' },
    headers: { 'X-Session-Bearer-Id': 'hush-7', 'X-Custom': 'Bearer ghp_0123456789abcdefghijkl' },
  };
  const edited = valueToForm(definition, value);
  const kept = withoutSecrets(definition, edited, { isSetting: true });
  assert.doesNotMatch(JSON.stringify(kept), /hush|ghp_/);
  assert.match(JSON.stringify(kept), /api_key=&mode=fast/);
  assert.equal(holdsSecrets(definition, edited, { isSetting: true }), true);
  // What the definition contained before is restored; what was typed otherwise is entered again.
  assert.deepEqual(formToValue(definition, withSecretsOf(definition, kept, value, { isSetting: true })), value);
  const other = { ...value, args: ['--mode', 'slow'] };
  assert.deepEqual(formToValue(definition, withSecretsOf(definition, kept, other, { isSetting: true })), {
    ...value,
    args: ['--api-key=', '--token', '', '', '--mode', 'fast'],
  });
});

test('changes by the user to a secret, or around it, are kept', () => {
  const typed = valueToForm(form, { env: { GITHUB_TOKEN: 'new' } });
  assert.deepEqual(formToValue(form, withSecretsOf(form, typed, start)), { env: { GITHUB_TOKEN: 'new' } });
  const none = valueToForm(form, { url: 'x' });
  assert.equal(withSecretsOf(form, none, start), none);
});

test('[S1] the text of a JSON editor is not stored if a value in it may be secret, also while it is not valid', () => {
  const plain = formFromSchema({ type: 'object', properties: { query: {}, more: { type: 'object' } } });
  const secret = (text: string, isSetting = false) => jsonHoldsSecrets(plain, plain.root, text, { isSetting });
  for (const text of [
    '{"query":"x","more":{"password":"hush"}}',
    '{"query":"x","more":{"password":"hu',
    "{'api_key': 'hush'}",
    '{"query":"x"} // password: hush',
    '{"more":[{"API_KEY":"hush"}]} x',
  ])
    assert.deepEqual([secret(text), secret(text, true)], [true, true], text);
  for (const text of ['{"query":"x","more":', '{"query":"x"} // a note', '{"args":["--user=1"', '["-u", "me:hush"'])
    assert.deepEqual([secret(text), secret(text, true)], [false, true], text);
  for (const text of ['', '{"query":"https://a.test/","more":{"n":1}}', '{"args":["-u","me"],}'])
    assert.deepEqual([secret(text), secret(text, true)], [false, false], text);
  assert.equal(jsonHoldsSecrets(form, form.root, '{"url":"https://h/"}'), true, 'a field accepts a secret');
});

test('[S1] a field that is edited as JSON keeps no secret in its stored state', () => {
  const fields = formFromSchema({
    type: 'object',
    properties: { any: {}, login: { type: 'object', properties: { pin: { type: 'string', format: 'password' } } } },
  });
  const stored = (state: FormState) => JSON.stringify(withoutSecrets(fields, state));
  const withAny = (text: string) => setAt(fields, valueToForm(fields, {}), ['any'], { kind: 'json', text });
  assert.ok(!stored(withAny('{"password":"hush"}')).includes('hush'));
  assert.ok(!stored(withAny('{"password":"hush')).includes('hush'));
  assert.ok(stored(withAny('{"note":"open')).includes('open'));
  const login = setAt(fields, valueToForm(fields, {}), ['login'], { kind: 'json', text: '{"pin":"hush"}' });
  assert.ok(!stored(login).includes('hush'));
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  fieldDefaults,
  fieldTitles,
  needsPage,
  secretFields,
} from '../../../../src/core/present/form/requestFields.js';

test('fields are shown with titles, defaults and secret marks', () => {
  const schema = {
    properties: {
      name: { type: 'string', title: 'Your name', default: 'Ann' },
      apiKey: { type: 'string' },
      note: { type: 'string', title: 'Passphrase' },
      on: { type: 'boolean', default: false },
    },
  };
  assert.deepEqual(fieldTitles(schema), ['Your name', 'apiKey', 'Passphrase', 'on']);
  assert.deepEqual(fieldDefaults(schema), { name: 'Ann', on: false });
  assert.deepEqual(secretFields(schema), ['apiKey', 'Passphrase']);
});

test('a few plain fields are asked one by one; many fields, or a multiple choice, are a page', () => {
  const fields = (...types: string[]) => ({
    type: 'object',
    properties: Object.fromEntries(
      types.map((type, index) => [`f${index}`, type === 'array' ? { type, items: { enum: ['a'] } } : { type }]),
    ),
  });
  assert.equal(needsPage(fields()), false);
  assert.equal(needsPage(fields('string', 'number', 'boolean')), false);
  assert.equal(needsPage(fields('string', 'number', 'boolean', 'string')), true);
  assert.equal(needsPage(fields('array')), true);
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  addressView,
  templateAddress,
  templateSchema,
  templateView,
} from '../../../../src/core/present/form/templateView.js';
import type { Form } from '../../../../src/shared/form/form.js';
import { SchemaValidator } from '../../../../src/core/schema/schemaValidator.js';
import { patientLimits } from '../../../support/patientLimits.js';

const fieldsOf = ({ nodes, root }: Form) => {
  const node = nodes[root.node];
  return node?.kind === 'object'
    ? node.properties.map(({ name, node: of, isRequired }) => [name, nodes[of]?.kind, isRequired])
    : [];
};

describe('[resources.templates] the page of a template', () => {
  test('has a field for each variable: variables that would leave a gap are required, and exploded ones (RFC 6570) accept several values', () => {
    const view = templateView({ uriTemplate: 'demo://{type}/{+path}{?q,tags*}', name: 'things', title: 'Things' });
    assert.deepEqual(fieldsOf(view.form), [
      ['type', 'text', true],
      ['path', 'text', true],
      ['q', 'text', false],
      ['tags', 'variant', false],
    ]);
    assert.deepEqual([view.title, view.name], ['Things', 'demo://{type}/{+path}{?q,tags*}']);
  });

  test('shows the used length of a prefix variable, and the invalid expressions', () => {
    const { form } = templateView({ uriTemplate: 'x://{year:2}/{!odd}', name: 'n' });
    const node = form.nodes[form.root.node];
    assert.equal(
      node?.kind === 'object' ? node.properties[0]?.description : undefined,
      'Only the first 2 characters are used.',
    );
    assert.deepEqual(form.notices, ['{!odd} is not a valid expression and stays in the URI unchanged.']);
  });

  test('shows type and hidden characters as badges; no hidden character reaches the page', () => {
    const { badges, name, title } = templateView({
      uriTemplate: 'x://\u202e{a}',
      name: 'n\u200b',
      mimeType: 'text/plain',
    });
    assert.deepEqual(
      badges.map(({ text, kind }) => [text, kind]),
      [
        ['2 hidden characters', 'warning'],
        ['text/plain', 'plain'],
      ],
    );
    assert.doesNotMatch(`${name} ${title}`, /[\u202e\u200b]/);
  });

  test('a template without a variable has a form without a field', () => {
    assert.deepEqual(fieldsOf(templateView({ uriTemplate: 'x://fixed', name: 'n' }).form), []);
  });

  test('a variable called __proto__ is an ordinary variable', () => {
    const schema = templateSchema('x://{__proto__}');
    assert.deepEqual([Object.keys(schema['properties'] as object), schema['required']], [['__proto__'], ['__proto__']]);
    assert.equal(templateAddress('x://{__proto__}', Object.fromEntries([['__proto__', 'v']])), 'x://v');
  });

  test('a missing value is reported at its field; an empty text is a value', () => {
    const check = (values: object) =>
      new SchemaValidator(patientLimits)
        .check(templateSchema('x://{a}{?b*}'), values)
        .problems.map(({ path, message }) => [path, message]);
    assert.deepEqual(
      [check({}), check({ a: '' }), check({ a: 'x', b: ['1', '2'] }), check({ a: 'x', b: { c: 'd' } })],
      [[['/a', 'is required']], [], [], []],
    );
  });
});

describe('[resources.templates] the address of a template', () => {
  test('follows the values: texts, lists and maps', () => {
    const template = 'x://{a}{/path*}{?b*}';
    assert.deepEqual(
      [{}, { a: 'ü/', b: 'one' }, { a: 'x', path: ['p', 'q r'], b: ['1', '2'] }, { a: 'x', b: { k: 'v', l: 'w' } }].map(
        (values) => addressView(template, values),
      ),
      [{ text: 'x://' }, { text: 'x://%C3%BC%2F?b=one' }, { text: 'x://x/p/q%20r?b=1&b=2' }, { text: 'x://x?k=v&l=w' }],
    );
  });

  test('values that are not texts are ignored', () => {
    assert.equal(templateAddress('x://{a}{b*}{c}', { a: 1, b: { k: 2, l: 'v' }, c: null }), 'x://l=v');
  });

  test('a missing address is reported', () => {
    assert.deepEqual(addressView('{a}', {}), {
      text: '',
      problem: 'Without values, the template produces no URI. Enter a value.',
    });
  });

  test('is limited, and shows invisible characters', () => {
    const { text } = addressView('x://\u202e{+a}', { a: 'y'.repeat(100_000) });
    assert.ok(text.length < 5_000);
    assert.doesNotMatch(text, /\u202e/);
  });
});

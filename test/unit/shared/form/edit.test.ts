import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { formFromSchema, formToValue, validate, valueToForm } from '../../../../src/core/formModel.js';
import * as edit from '../../../../src/shared/form/edit.js';
import type { Form } from '../../../../src/shared/form/form.js';
import type { FormState } from '../../../../src/shared/form/formState.js';
import { newState } from '../../../../src/shared/form/newState.js';
import type { Place } from '../../../../src/shared/form/place.js';
import {
  canAddItem,
  canAddMember,
  canShowCheckboxes,
  freeNames,
  needsLines,
  placeAt,
  placesIn,
  placesOnPath,
  rootPlace,
} from '../../../../src/shared/form/places.js';
import { allProblems, stateProblems } from '../../../../src/shared/form/stateProblems.js';
import { summaryOf, variantLabel } from '../../../../src/shared/form/summary.js';
import { anyJson, anySchema } from './anySchema.js';

const runs = { numRuns: 200 };

/** A form and its values, changed step by step. */
class Filled {
  readonly form: Form;
  state: FormState;

  constructor(schema: unknown, value?: unknown) {
    this.form = formFromSchema(schema);
    this.state = value === undefined ? newState(this.form) : valueToForm(this.form, value as never);
  }

  get value(): unknown {
    return formToValue(this.form, this.state);
  }

  at(path: string): Place {
    const place = placeAt(this.form, this.state, path);
    assert.equal(place.path, path);
    return place;
  }

  type(path: string, text: string): void {
    const place = this.at(path);
    this.state = edit.setAt(
      this.form,
      this.state,
      place.address,
      edit.typedText(place.node, text, place.role === 'item'),
    );
  }

  do<Rest extends unknown[]>(
    what: (form: Form, state: FormState, address: Place['address'], ...rest: Rest) => FormState,
    path: string,
    ...rest: Rest
  ): void {
    this.state = what(this.form, this.state, this.at(path).address, ...rest);
  }
}

function allPlaces(form: Form, state: FormState): Place[] {
  const places = [rootPlace(form, state)];
  for (const place of places) places.push(...placesIn(form, place));
  return places;
}

describe('a new form', () => {
  const schema = {
    type: 'object',
    required: ['query', 'limit', 'kind', 'where', 'exact', 'tags', 'parent'],
    properties: {
      query: { type: 'string' },
      limit: { type: 'integer', default: 10 },
      page: { type: 'integer', default: 1 },
      kind: { const: 'search' },
      exact: { type: 'boolean' },
      where: {
        type: 'object',
        required: ['path', 'depth'],
        properties: { path: { type: 'string', default: '.' }, depth: { type: 'number' } },
      },
      tags: { type: 'array', items: { type: 'string' }, minItems: 2 },
      parent: {
        oneOf: [
          { properties: { type: { const: 'page' }, id: { type: 'string' } } },
          { properties: { type: { const: 'space' } } },
        ],
      },
    },
  };

  test('has known required values filled in; the rest is left to the server', () => {
    assert.deepEqual(new Filled(schema).value, {
      limit: 10,
      kind: 'search',
      exact: false,
      where: { path: '.' },
      tags: ['', ''],
      parent: { type: 'page' },
    });
  });

  test('for a question of a server has all defaults filled in', () => {
    const form = formFromSchema(schema);
    assert.equal((formToValue(form, newState(form, { fill: 'defaults' })) as any).page, 1);
  });

  test('for a schema that requires itself is finite', () => {
    const { value } = new Filled({ type: 'object', required: ['next'], properties: { next: { $ref: '#' } } });
    assert.ok(JSON.stringify(value).length < 1_000);
  });
});

describe('typing', () => {
  test('sets properties in the order of the schema, and creates the groups above', () => {
    const filled = new Filled({
      type: 'object',
      properties: {
        a: { type: 'string' },
        b: { type: 'object', properties: { c: { type: 'number' } } },
        d: { type: 'string' },
      },
    });
    filled.type('/d', 'last');
    filled.do(edit.addAt, '/b');
    filled.type('/b/c', '2.50');
    filled.type('/a', 'first');
    assert.equal(JSON.stringify(filled.value), '{"a":"first","b":{"c":2.5},"d":"last"}');
    filled.type('/d', '');
    filled.do(edit.clearAt, '/b');
    assert.deepEqual(filled.value, { a: 'first' });
  });

  test('an incomplete number is kept, reported, and not confused with a text', () => {
    const filled = new Filled({ type: 'object', properties: { n: { type: 'number' }, i: { type: 'integer' } } });
    filled.type('/n', '1e');
    filled.type('/i', '12345678901234567891');
    assert.deepEqual(filled.at('/n').state, { kind: 'number', text: '1e' });
    assert.deepEqual(stateProblems(filled.form, filled.state), [
      { path: '/n', message: 'must be a number' },
      { path: '/i', message: 'is too large to be sent exactly' },
    ]);
    const schema = { type: 'object', properties: { n: { type: 'number' } } };
    assert.deepEqual(
      allProblems(stateProblems(filled.form, filled.state), validate(schema, filled.value as never)).map(
        ({ path }) => path,
      ),
      ['/n', '/i'],
    );
  });

  test('a cleared field is not set, an empty text is set explicitly, the default can be restored', () => {
    const filled = new Filled({ type: 'object', properties: { a: { type: 'string', default: 'x' } } }, { a: 'y' });
    filled.type('/a', '');
    assert.deepEqual(filled.value, {});
    filled.do(edit.setAt, '/a', { kind: 'text', text: '' });
    assert.deepEqual(filled.value, { a: '' });
    filled.do(edit.resetAt, '/a');
    assert.deepEqual(filled.value, { a: 'x' });
    filled.do(edit.setAt, '/a', { kind: 'value', value: null });
    assert.deepEqual(filled.value, { a: null });
  });
});

describe('lists', () => {
  const schema = { type: 'array', items: { type: 'string' }, maxItems: 4 };

  test('items are added, duplicated, moved and removed, and keep their identity', () => {
    const filled = new Filled(schema, ['a', 'b', 'c']);
    const third = filled.at('/2').key;
    filled.do(edit.moveItem, '/2', 0);
    assert.deepEqual(filled.value, ['c', 'a', 'b']);
    assert.equal(filled.at('/0').key, third);
    filled.do(edit.duplicateItem, '/1');
    assert.deepEqual(filled.value, ['c', 'a', 'a', 'b']);
    assert.equal(canAddItem(filled.at('')), false);
    filled.do(edit.clearAt, '/1');
    filled.do(edit.addItem, '', filled.at('/0').address.at(-1) as number);
    assert.deepEqual(filled.value, ['c', '', 'a', 'b']);
    assert.equal(new Set(placesIn(filled.form, filled.at('')).map(({ key }) => key)).size, 4);
  });

  test('choices are checked in their order', () => {
    const filled = new Filled({ type: 'array', items: { enum: ['mo', 'tu', 'we'] } }, []);
    filled.do(edit.setChecked, '', 2, true);
    filled.do(edit.setChecked, '', 0, true);
    assert.deepEqual(filled.value, ['mo', 'we']);
    filled.do(edit.setChecked, '', 2, false);
    assert.deepEqual(filled.value, ['mo']);
    assert.equal(canShowCheckboxes(filled.form, filled.at('')), true);
    for (const value of [['mo', 'mo'], ['no day'], 'mo'])
      assert.equal(
        canShowCheckboxes(filled.form, new Filled({ type: 'array', items: { enum: ['mo', 'tu'] } }, value).at('')),
        false,
      );
  });

  test('the positions of a tuple exist from the start and are not items', () => {
    const filled = new Filled({
      type: 'array',
      prefixItems: [{ type: 'number' }, { type: 'string' }],
      items: { type: 'boolean' },
    });
    filled.do(edit.addItem, '');
    filled.type('/0', '1');
    assert.deepEqual(filled.value, [1, '', false]);
    assert.deepEqual(
      placesIn(filled.form, filled.at('')).map(({ role }) => role),
      ['prefix', 'prefix', 'item'],
    );
  });
});

describe('maps', () => {
  test('members are added, renamed and removed; a duplicate name is a problem', () => {
    const filled = new Filled(
      { type: 'object', additionalProperties: { type: 'number' }, propertyNames: { enum: ['s', 'm'] } },
      { s: 1 },
    );
    assert.deepEqual(freeNames(filled.at('')), ['m']);
    assert.equal(canAddMember(filled.at('')), true);
    filled.do(edit.addMember, '', 's');
    assert.deepEqual(
      stateProblems(filled.form, filled.state).map(({ message }) => message),
      ['is used more than once', 'must be a number'],
    );
    const added = placesIn(filled.form, filled.at('')).at(-1);
    filled.state = edit.renameMember(filled.form, filled.state, added?.address ?? [], '__proto__');
    filled.type('/__proto__', '2');
    assert.deepEqual(filled.value, JSON.parse('{"s":1,"__proto__":2}'));
    filled.do(edit.clearAt, '/s');
    assert.deepEqual(filled.value, JSON.parse('{"__proto__":2}'));
  });
});

describe('variants', () => {
  const common = { name: { type: 'string' } };
  const schema = {
    oneOf: [
      { title: 'File', type: 'object', properties: { kind: { const: 'file' }, ...common, path: { type: 'string' } } },
      { title: 'Link', type: 'object', properties: { kind: { const: 'link' }, ...common, url: { type: 'string' } } },
    ],
  };

  test('common values are kept, and selecting the first variant again restores all values', () => {
    const filled = new Filled(schema, { kind: 'file', name: 'n', path: 'p' });
    const choose = (index: number) => (filled.state = edit.chooseVariant(filled.form, filled.state, [], index));
    assert.equal(variantLabel(rootPlace(filled.form, filled.state)), 'File');
    choose(1);
    assert.deepEqual(filled.value, { kind: 'link', name: 'n' });
    filled.type('/url', 'u');
    choose(0);
    assert.deepEqual(filled.value, { kind: 'file', name: 'n', path: 'p' });
    choose(1);
    assert.deepEqual(filled.value, { kind: 'link', name: 'n', url: 'u' });
  });
});

describe('JSON and back', () => {
  const schema = {
    type: 'object',
    properties: { n: { type: 'number' }, list: { type: 'array', items: { type: 'string' } } },
  };

  test('without a change everything stays, incomplete numbers too', () => {
    const filled = new Filled(schema, { list: ['a'] });
    filled.type('/n', '1e');
    const before = filled.state;
    filled.do(edit.toJson, '');
    assert.equal((filled.state as any).text, '{\n  "n": "1e",\n  "list": [\n    "a"\n  ]\n}');
    filled.do(edit.toForm, '');
    assert.equal(filled.state, before);
  });

  test('with a change only the changed part is new', () => {
    const filled = new Filled(schema, { list: ['a', 'b'] });
    filled.type('/n', '1.50');
    filled.do(edit.moveItem, '/list/1', 0);
    const key = filled.at('/list/0').key;
    filled.do(edit.toJson, '');
    filled.state = { ...(filled.state as any), text: '{"n":1.5,"list":["b","c"]}' };
    filled.do(edit.toForm, '');
    assert.deepEqual(filled.value, { n: 1.5, list: ['b', 'c'] });
    assert.deepEqual(filled.at('/n').state, { kind: 'number', text: '1.50' });
    assert.equal(filled.at('/list/0').key, key);
  });

  test('invalid JSON stays, with its problem; values that do not match stay JSON', () => {
    const filled = new Filled(schema, {});
    filled.do(edit.setAt, '', { kind: 'json', text: '{"n":' });
    const half = filled.state;
    filled.do(edit.toForm, '');
    assert.deepEqual(filled.state, half);
    assert.deepEqual(stateProblems(filled.form, filled.state), [
      { path: '', message: 'is not valid JSON: it ends too early' },
    ]);
    filled.do(edit.setAt, '', { kind: 'json', text: '[ 1 ]' });
    filled.do(edit.toForm, '');
    assert.deepEqual(filled.state, { kind: 'json', text: '[ 1 ]' });
  });

  test('an external value does not change equal parts', () => {
    const filled = new Filled(schema, { n: 1, list: ['a'] });
    filled.type('/n', '1.0');
    filled.state = edit.setValue(filled.form, filled.state, { n: 1, list: [] });
    assert.deepEqual(filled.at('/n').state, { kind: 'number', text: '1.0' });
    assert.deepEqual(filled.value, { n: 1, list: [] });
  });

  test('a changed schema keeps the values', () => {
    const filled = new Filled(schema, { n: 1, list: ['a'] });
    const changed = formFromSchema({
      type: 'object',
      properties: { list: { type: 'string' } },
      additionalProperties: false,
    });
    const state = edit.carryOver(changed, filled.state);
    assert.deepEqual(formToValue(changed, state), { n: 1, list: ['a'] });
    assert.deepEqual(
      placesIn(changed, rootPlace(changed, state)).map(({ role, name, state: { kind } }) => `${role} ${name} ${kind}`),
      ['property list json', 'member n variant'],
    );
  });
});

describe('finding fields', () => {
  test('a problem leads to the innermost visible field', () => {
    const form = formFromSchema({
      type: 'object',
      properties: {
        a: { type: 'array', items: { type: 'object', properties: { b: { type: 'string' } } } },
        c: { type: 'string' },
      },
    });
    const state = valueToForm(form, { a: [{ b: 'x' }], c: { d: [1] } });
    const found = (path: string) => placeAt(form, state, path).path;
    assert.deepEqual(['/a/0/b', '/a/0/none', '/a/7/b', '/c/d/0', '/none', ''].map(found), [
      '/a/0/b',
      '/a/0',
      '/a',
      '/c',
      '',
      '',
    ]);
    assert.deepEqual(
      placesOnPath(form, state, placeAt(form, state, '/a/0/b').address).map(({ path }) => path),
      ['', '/a', '/a/0', '/a/0/b'],
    );
  });

  test('collapsed groups summarize their content in a line', () => {
    const form = formFromSchema({
      type: 'object',
      properties: { a: { type: 'object' }, b: { type: 'array', default: [1] }, c: {}, d: { type: 'string' } },
    });
    const state = valueToForm(form, { a: { name: 'report', size: 3, list: [1, 2] }, c: null, d: 'two\nlines' });
    const places = placesIn(form, rootPlace(form, state));
    assert.deepEqual(
      places.map((place) => summaryOf(place)),
      ['name: report, size: 3, list: 2 items', 'Not set. The default is 1 item', 'null', 'two lines'],
    );
    assert.deepEqual(places.map(needsLines), [false, false, false, true]);
    assert.equal(summaryOf(rootPlace(form, newState(form))), 'Empty');
  });
});

describe('for any schema and value', () => {
  test('each field has its own key, is found by its path, and can be restored unchanged', () => {
    fc.assert(
      fc.property(anySchema, anyJson, (schema, value) => {
        const form = formFromSchema(schema);
        const state = valueToForm(form, value);
        const places = allPlaces(form, state);
        assert.equal(new Set(places.map(({ key }) => key)).size, places.length);
        for (const place of places.slice(0, 60)) {
          assert.equal(placeAt(form, state, place.path).path, place.path);
          assert.deepStrictEqual(edit.setAt(form, state, place.address, place.state), state);
          assert.deepStrictEqual(edit.toForm(form, edit.toJson(form, state, place.address), place.address), state);
        }
      }),
      runs,
    );
  });

  test('every user action gives a state with a value, and does not change the old state', () => {
    fc.assert(
      fc.property(
        anySchema,
        anyJson,
        fc.array(fc.tuple(fc.nat(), fc.nat(9)), { maxLength: 12 }),
        (schema, value, steps) => {
          const form = formFromSchema(schema);
          let state = valueToForm(form, value);
          for (const [where, what] of steps) {
            const places = allPlaces(form, state);
            const { address, node } = places[where % places.length] ?? rootPlace(form, state);
            const before = structuredClone(state);
            const next =
              actions[what]?.(form, state, address, node.kind === 'variant' ? where % node.variants.length : where) ??
              state;
            assert.deepStrictEqual(state, before);
            state = next;
            const result = formToValue(form, state);
            assert.deepStrictEqual(formToValue(form, valueToForm(form, result)), result);
          }
        },
      ),
      runs,
    );
  });
});

const actions: ((form: Form, state: FormState, address: Place['address'], n: number) => FormState)[] = [
  edit.addAt,
  edit.clearAt,
  edit.resetAt,
  (form, state, address) => edit.addItem(form, state, address),
  edit.moveItem,
  (form, state, address, n) => edit.addMember(form, state, address, `m${n % 3}`),
  (form, state, address, n) => edit.renameMember(form, state, address, `m${n % 3}`),
  edit.chooseVariant,
  edit.toJson,
  edit.toForm,
];

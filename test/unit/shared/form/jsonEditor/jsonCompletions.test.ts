import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { formFromSchema } from '../../../../../src/core/formModel.js';
import { jsonCompletions } from '../../../../../src/shared/form/jsonEditor/jsonCompletions.js';

const form = formFromSchema({
  type: 'object',
  properties: {
    note: { type: 'string', description: 'Anything' },
    limit: { type: 'integer', default: 10 },
    mode: { enum: ['fast', 'exact'] },
    deep: { type: 'boolean' },
    filter: { type: 'object', properties: { field: { type: 'string' }, values: { type: 'array' } } },
    stops: { type: 'array', items: { type: 'object', properties: { city: { enum: ['Bern', 'Oslo'] } } } },
    query: { type: 'string' },
    target: {
      oneOf: [
        { type: 'object', properties: { kind: { const: 'file' }, path: { type: 'string' } }, required: ['kind'] },
        { type: 'object', properties: { kind: { const: 'url' }, href: { type: 'string' } }, required: ['kind'] },
      ],
    },
  },
  required: ['query', 'mode'],
});

function complete(marked: string) {
  const offset = marked.indexOf('|');
  const text = marked.replace('|', '');
  return jsonCompletions(form, form.root, text, offset).map((completion) => ({
    ...completion,
    after: `${text.slice(0, completion.from)}${completion.text}${text.slice(completion.to)}`,
  }));
}

/** The text with the cursor after the completion with this label. */
function take(marked: string, label: string): string | undefined {
  const completion = complete(marked).find((one) => one.label === label);
  return completion && `${completion.after.slice(0, completion.caret)}|${completion.after.slice(completion.caret)}`;
}

const labels = (marked: string) => complete(marked).map(({ label }) => label);

describe('completion of JSON by the schema', () => {
  test('required properties come first; used ones are not offered', () => {
    assert.deepEqual(labels('{|}'), ['mode', 'query', 'note', 'limit', 'deep', 'filter', 'stops', 'target']);
    assert.deepEqual(labels('{ "query": "x", "deep": true, | }'), [
      'mode',
      'note',
      'limit',
      'filter',
      'stops',
      'target',
    ]);
    assert.equal(complete('{|}')[0]?.detail, 'required');
  });

  test('a name is written with what belongs to its value', () => {
    assert.equal(take('{|}', 'query'), '{"query": "|"}');
    assert.equal(take('{"qu|"}', 'query'), '{"query": "|"}');
    assert.equal(take('{"qu|": "x"}', 'query'), '{"query"|: "x"}');
    assert.equal(take('{|}', 'stops'), '{"stops": [|]}');
    assert.equal(take('{|}', 'mode'), '{"mode": |}');
    assert.equal(take('{ "mode": "fast"\n  q|\n}', 'query'), '{ "mode": "fast",\n  "query": "|"\n}');
    assert.equal(take('{ | "mode": "fast" }', 'limit'), '{ "limit": |, "mode": "fast" }');
  });

  test('offers the values that the schema names', () => {
    assert.deepEqual(labels('{ "mode": | }'), ['"fast"', '"exact"']);
    assert.deepEqual(labels('{ "mode": "ex|" }'), ['"exact"']);
    assert.equal(take('{ "mode": "ex|" }', '"exact"'), '{ "mode": "exact"| }');
    assert.deepEqual(labels('{ "deep": | }'), ['true', 'false']);
    assert.deepEqual(
      complete('{ "limit": | }').map(({ label, detail }) => [label, detail]),
      [['10', 'default']],
    );
    assert.deepEqual(labels('{ "stops": [{ "city": "|" }] }'), ['"Bern"', '"Oslo"']);
    assert.deepEqual(labels('{ "filter": { | } }'), ['field', 'values']);
  });

  test('a property with a fixed value decides which variant is meant', () => {
    assert.deepEqual(labels('{ "target": { | } }'), ['kind', 'path', 'href']);
    assert.deepEqual(labels('{ "target": { "kind": "url", | } }'), ['href']);
    assert.deepEqual(labels('{ "target": { "kind": | } }'), ['"file"', '"url"']);
  });

  test('no text makes it fail, and each completion stays inside the text', () => {
    const part = fc.constantFrom('{', '}', '[', ']', ',', ':', '"mode"', '"stops"', '"', 'q', '1', ' ', '//', '\n');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 15 }), fc.nat(40), (parts, offset) => {
        const text = parts.join('');
        for (const { from, to, caret, text: put } of jsonCompletions(
          form,
          form.root,
          text,
          Math.min(offset, text.length),
        ))
          assert.ok(0 <= from && from <= to && to <= text.length && caret >= from && caret <= from + put.length);
      }),
      { numRuns: 1_000 },
    );
  });
});

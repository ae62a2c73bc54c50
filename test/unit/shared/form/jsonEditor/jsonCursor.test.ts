import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { JsonValue } from '../../../../../src/shared/json.js';
import { jsonCursor, rangesOf } from '../../../../../src/shared/form/jsonEditor/jsonCursor.js';
import { pointerOf, readJson } from '../../../../../src/shared/form/jsonEditor/jsonReader.js';

/** The cursor at `|` in a text. */
function at(marked: string) {
  const offset = marked.indexOf('|');
  const cursor = jsonCursor(marked.replace('|', ''), offset);
  return cursor && { ...cursor, names: [...cursor.names] };
}

describe('the cursor in JSON text', () => {
  test('names and values are found, with their place in the value', () => {
    const places = [
      ['|', 'value', ''],
      ['{|}', 'name', ''],
      ['{ "a": | }', 'value', '/a'],
      ['{ "a": { "b": [1, {"c|": 2}] } }', 'name', '/a/b/1'],
      ['{ "a": { "b": [1, | ] } }', 'value', '/a/b/1'],
      ['[{}, {}, {"x": tr|', 'value', '/2/x'],
      ['[1 |]', 'value', '/1'],
      ['{ "a/b~c": { "d": | } }', 'value', '/a~1b~0c/d'],
      ['{ "a": 1,\n  |', 'name', ''],
    ];
    for (const [text = '', expects, pointer] of places) {
      const cursor = at(text);
      assert.deepEqual([cursor?.expects, cursor?.pointer], [expects, pointer], text);
    }
  });

  test('nothing is suggested in comments, before colons and after the end', () => {
    for (const text of ['{ // |\n}', '{ /* | */ }', '{ "a" | }', '{} |', '// a comment |'])
      assert.equal(at(text), undefined, text);
  });

  test('the typed part, its range, and the other names of the object are found', () => {
    assert.deepEqual(at('{ "one": 1, "tw|o": 2, "three": { "four": 4 } }'), {
      expects: 'name',
      pointer: '',
      range: { from: 12, to: 17 },
      typed: 'tw',
      names: ['one', 'three'],
      hasColon: true,
      commaAt: undefined,
      needsCommaAfter: false,
    });
  });

  test('missing commas before and after are detected', () => {
    const cursor = at('{ "a": 1\n  |\n  "b": 2 }');
    assert.deepEqual([cursor?.commaAt, cursor?.needsCommaAfter, cursor?.expects], [8, true, 'name']);
    assert.equal(at('{ "a": 1, | }')?.commaAt, undefined);
  });

  test('any text and any position are read without an error', () => {
    const part = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"',
      '\\',
      '1',
      'tru',
      ' ',
      '\n',
      '//',
      '/*',
      '*/',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), fc.nat(40), (parts, offset) => {
        const text = parts.join('');
        const cursor = jsonCursor(text, Math.min(offset, text.length));
        if (!cursor) return;
        const { from, to } = cursor.range;
        assert.ok(from <= to && to <= text.length);
        assert.ok((cursor.commaAt ?? 0) <= from);
      }),
      { numRuns: 2_000 },
    );
  });

  test('the tokens of valid JSON have the places of their values', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.nat(2), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const meant = JSON.parse(text) as JsonValue;
        for (const { token, role, frame } of readJson(text)) {
          if (role !== 'value') continue;
          assert.deepEqual(JSON.parse(token.text), follow(meant, pointerOf(frame)));
        }
      }),
    );
  });

  test('each problem has a place: for a missing property, the place of its object', () => {
    const text = '{ "list": [{ "a": 1 }, { "a": "x" }] }';
    const [second, missing, whole] = rangesOf(text, ['/list/1/a', '/list/0/b', '']);
    assert.equal(text.slice(second?.from, second?.to), '"x"');
    assert.deepEqual(missing, { from: 11, to: 12 });
    assert.deepEqual(whole, { from: 0, to: 1 });
    assert.deepEqual(rangesOf('', ['/a']), [undefined]);
  });
});

function follow(value: JsonValue, pointer: string): JsonValue | undefined {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<JsonValue | undefined>(
      (inner, step) =>
        typeof inner === 'object' && inner !== null
          ? ((inner as Record<string, JsonValue>)[step] ?? (Object.hasOwn(inner, step) ? null : undefined))
          : undefined,
      value,
    );
}

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { JsonValue } from '../../../../src/shared/json.js';
import { jsonErrorAt, jsonProblem, parseJson } from '../../../../src/shared/form/formJson.js';
import { scanJson, strictJson } from '../../../../src/shared/form/looseJson.js';

describe('JSON as it is typed', () => {
  test('every JSON text is read, with commas before closing brackets or without', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(3), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const meant = JSON.parse(text) as JsonValue;
        assert.deepEqual(parseJson(text)?.value, meant);
        assert.equal(jsonProblem(text), undefined);
        // A comma after the last part of an object or array that has one.
        if (/[^[{\s]\s*[\]}]$/.test(text))
          assert.deepEqual(parseJson(text.replace(/\s*([\]}])$/, ' ,\n$1'))?.value, meant);
      }),
    );
    assert.deepEqual(parseJson('{"a": [1, 2,], "b": {"c": ",]",},}')?.value, { a: [1, 2], b: { c: ',]' } });
  });

  test('a text has an error exactly if the engine refuses it', () => {
    const part = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '1',
      '-',
      '0',
      'true',
      'nul',
      ' ',
      '\n',
      '"',
      '\\',
      '1.',
      'e5',
      '//',
      '/* x */',
      '/*',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        const { error, extras } = scanJson(text);
        let isJson = true;
        try {
          JSON.parse(strictJson(text, extras));
        } catch {
          isJson = false;
        }
        assert.equal(error === undefined, isJson, text);
      }),
      { numRuns: 3_000 },
    );
  });

  test('comments are allowed wherever spaces are', () => {
    const text = '// first\n{ /* a */ "a" /**/ : [1, // one\n 2 /* two */, ], "b": "// no /* comment */" } // last';
    assert.deepEqual(parseJson(text)?.value, { a: [1, 2], b: '// no /* comment */' });
    assert.equal(parseJson('{} /* open'), undefined);
    assert.equal(jsonErrorAt('{} /* open'), 3);
    assert.equal(jsonProblem('// nothing'), 'it ends too early');
  });

  test('an error has its place', () => {
    const at = (text: string) => [jsonErrorAt(text), jsonProblem(text)];
    assert.deepEqual(at('{"a": }'), [6, 'unexpected "}" at character 7']);
    assert.deepEqual(at('{\n  "a": 1\n  "b": 2\n}'), [13, 'unexpected """ at line 3, column 3']);
    assert.deepEqual(at('{"a": tru}'), [9, 'unexpected "}" at character 10']);
    assert.deepEqual(at('[,]'), [1, 'unexpected "," at character 2']);
    assert.deepEqual(at('[1,,]'), [3, 'unexpected "," at character 4']);
    assert.deepEqual(at('{"a": "x'), [8, 'it ends too early']);
    assert.deepEqual(at(' '), [1, 'it is empty']);
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parseEnvFile } from '../../../src/core/config/envFile.js';
import { assertGrowsLinearly, assertLinear } from '../../support/linearWork.js';

describe('an env file', () => {
  test('is parsed in linear time', () => {
    assertLinear(parseEnvFile, 'A=');
    assertGrowsLinearly((length) => parseEnvFile(`A=${' #'.repeat(length)}\u2028x`), 40_000, 'many comments');
  });

  test('[F9] has at most 10,000 variables', () => {
    assert.equal(
      Object.keys(parseEnvFile(Array.from({ length: 10_000 }, (_, index) => `A${index}=`).join('\n'))).length,
      10_000,
    );
    assert.throws(() => parseEnvFile('A=\n'.repeat(10_001)), { code: 'EFBIG' });
  });

  test('supports quotes, comments, export and several lines', () => {
    const text =
      '\ufeff# comment\r\nexport A=1\nB = two words # note\nC="x\\ty # no note"\nD=\'raw \\n\'\nE="first\nsecond"\nF=a=b\nG=\nnot a line\nH="open\nA=2\n';
    assert.deepEqual(parseEnvFile(text), {
      A: '2',
      B: 'two words',
      C: 'x\ty # no note',
      D: 'raw \\n',
      E: 'first\nsecond',
      F: 'a=b',
      G: '',
      H: '"open',
    });
  });

  test('returns quoted values', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const quoted = value
          .replace(/[\\"]/g, '\\$&')
          .replace(/\n/g, '\\n')
          .replace(/\r/g, '\\r')
          .replace(/\t/g, '\\t');
        assert.deepEqual(parseEnvFile(`K="${quoted}"`), { K: value });
      }),
    );
  });

  test('of any text is read without throwing', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => typeof parseEnvFile(text) === 'object'));
  });

  test('keeps dollar signs: nothing in it is expanded', () => {
    assert.deepEqual(parseEnvFile('A=1\nB=$A ${A} "$A"\n'), { A: '1', B: '$A ${A} "$A"' });
  });

  test('lets a quoted value be followed by a comment', () => {
    assert.deepEqual(parseEnvFile('A="x" # y\nB=\'z\' # y'), { A: 'x', B: 'z' });
  });

  test('treats names of object members as data', () => {
    const values = parseEnvFile('__proto__=x\nconstructor=y');
    assert.deepEqual(
      [Object.entries(values), Object.getPrototypeOf(values) === Object.prototype],
      [
        [
          ['__proto__', 'x'],
          ['constructor', 'y'],
        ],
        true,
      ],
    );
  });

  test('returns every list of names and values written line by line', () => {
    const name = fc.stringMatching(/^[A-Z_][A-Z0-9_]{0,8}$/);
    const plain = fc.stringMatching(/^[a-z0-9=:/.-]{0,20}$/);
    fc.assert(
      fc.property(
        fc.dictionary(name, plain, { noNullPrototype: true }),
        fc.boolean(),
        fc.constantFrom('\n', '\r\n'),
        fc.boolean(),
        (values, hasExport, end, hasMark) => {
          const lines = Object.entries(values).map(([key, value]) => `${hasExport ? 'export ' : ''}${key}=${value}`);
          assert.deepEqual(parseEnvFile(`${hasMark ? '\ufeff' : ''}${lines.join(end)}`), values);
        },
      ),
    );
  });

  test('returns text between single quotes', () => {
    fc.assert(
      fc.property(
        fc.string().map((value) => value.replace(/['\r]/g, '')),
        (value) => assert.deepEqual(parseEnvFile(`K='${value}'`), { K: value }),
      ),
    );
  });
});

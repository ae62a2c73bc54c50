import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseChallenges, readHints, splitScopes } from '../../../src/core/auth/wwwAuthenticate.js';

const flat = (values: string[]) =>
  parseChallenges(values).map(({ scheme, params, token68 }) => [scheme, Object.fromEntries(params), token68]);

const cases: [name: string, values: string[], expected: unknown[]][] = [
  ['one challenge', ['Bearer realm="a", scope="x y"'], [['bearer', { realm: 'a', scope: 'x y' }, undefined]]],
  [
    'several in one value',
    ['Basic realm="b", DPoP algs="ES256", Bearer error=invalid_token'],
    [
      ['basic', { realm: 'b' }, undefined],
      ['dpop', { algs: 'ES256' }, undefined],
      ['bearer', { error: 'invalid_token' }, undefined],
    ],
  ],
  [
    'several values',
    ['Negotiate', 'Bearer'],
    [
      ['negotiate', {}, undefined],
      ['bearer', {}, undefined],
    ],
  ],
  [
    'token68',
    ['Negotiate YWJj==, Bearer a=b'],
    [
      ['negotiate', {}, 'YWJj=='],
      ['bearer', { a: 'b' }, undefined],
    ],
  ],
  [
    'escapes in quotes',
    ['Bearer realm="a \\"quoted\\" \\\\ one"'],
    [['bearer', { realm: 'a "quoted" \\ one' }, undefined]],
  ],
  [
    'commas and schemes inside quotes',
    ['Bearer realm="a, Basic realm=b", x=1'],
    [['bearer', { realm: 'a, Basic realm=b', x: '1' }, undefined]],
  ],
  ['spaces around the equals sign', ['Bearer realm = "a" , x= 1'], [['bearer', { realm: 'a', x: '1' }, undefined]]],
  ['names and schemes in any case', ['BEARER Scope="x"'], [['bearer', { scope: 'x' }, undefined]]],
  [
    'a URL without quotes',
    ['Bearer resource_metadata=https://a.example/x?y=1'],
    [['bearer', { resource_metadata: 'https://a.example/x?y=1' }, undefined]],
  ],
  ['the first of two equal names', ['Bearer a=1, a=2'], [['bearer', { a: '1' }, undefined]]],
  [
    'an open quotation',
    ['Bearer realm="a, resource_metadata=http://[::bad, scope=,,,,"'],
    [['bearer', { realm: 'a, resource_metadata=http://[::bad, scope=,,,,' }, undefined]],
  ],
  ['an unclosed quotation to the end', ['Bearer realm="a\\'], [['bearer', { realm: 'a' }, undefined]]],
  ['empty values and commas', ['', ',, ,', ' , Bearer'], [['bearer', {}, undefined]]],
  [
    'names of the object prototype',
    ['Bearer __proto__="x", constructor="y"'],
    [['bearer', JSON.parse('{"__proto__":"x","constructor":"y"}'), undefined]],
  ],
  ['a parameter before any scheme', ['a=1, Bearer b=2'], [['bearer', { b: '2' }, undefined]]],
];
for (const [name, values, expected] of cases)
  test(`[A3] reads ${name}`, () => assert.deepEqual(flat(values), expected));

const token = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_-]{0,12}$/);
const text = fc.string({ unit: fc.constantFrom(...'abc "\\,= \t:/'), maxLength: 20 });

test('[A3] any challenges survive being written and read', () => {
  const challenge = fc.record({
    scheme: token,
    params: fc.uniqueArray(fc.tuple(token, text), { selector: ([name]) => name.toLowerCase(), maxLength: 5 }),
  });
  fc.assert(
    fc.property(fc.array(challenge, { maxLength: 5 }), (challenges) => {
      const value = challenges
        .map(
          ({ scheme, params }) =>
            `${scheme} ${params.map(([name, content]) => `${name}="${content.replace(/["\\]/g, '\\$&')}"`).join(', ')}`,
        )
        .join(', ');
      const expected = challenges.map(({ scheme, params }) => [
        scheme.toLowerCase(),
        Object.fromEntries(params.map(([name, content]) => [name.toLowerCase(), content])),
        undefined,
      ]);
      assert.deepEqual(flat([value]), expected);
    }),
  );
});

test('[A3] nothing that a server sends makes it throw or return unbounded output', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 200 })), (values) => {
      const challenges = parseChallenges(values);
      assert.ok(challenges.length <= values.join(',').length);
      readHints(values);
    }),
  );
  assert.ok(parseChallenges(['a, '.repeat(1_000_000)]).length <= 32);
});

test('hints come only from the Bearer and DPoP challenges', () => {
  assert.deepEqual(
    readHints([
      'Basic scope="no", resource_metadata="no"',
      'DPoP error="use_dpop_nonce"',
      'Bearer scope="a  b a", resource_metadata="https://r.example"',
    ]),
    {
      schemes: new Set(['basic', 'dpop', 'bearer']),
      resourceMetadata: 'https://r.example',
      scopes: ['a', 'b'],
      error: 'use_dpop_nonce',
    },
  );
});

test('scopes with illegal characters are left out', () => {
  assert.deepEqual(splitScopes('ok a"b \u202eevil x\\y fine:read'), ['ok', 'fine:read']);
});

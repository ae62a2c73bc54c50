import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { expandTemplate, malformedExpressions, templateVariables } from '../../../src/core/protocol/uriTemplate.js';

/** The values of RFC 6570 section 3.2. */
const values = {
  count: ['one', 'two', 'three'],
  dom: ['example', 'com'],
  dub: 'me/too',
  hello: 'Hello World!',
  half: '50%',
  var: 'value',
  who: 'fred',
  base: 'http://example.com/home/',
  path: '/foo/bar',
  list: ['red', 'green', 'blue'],
  keys: { semi: ';', dot: '.', comma: ',' },
  v: '6',
  x: '1024',
  y: '768',
  empty: '',
  empty_keys: {},
};

/** Examples of RFC 6570 sections 3.2.2 to 3.2.9. */
const cases: [string, string][] = [
  ['{var}', 'value'],
  ['{hello}', 'Hello%20World%21'],
  ['{half}', '50%25'],
  ['O{empty}X', 'OX'],
  ['O{undef}X', 'OX'],
  ['{x,y}', '1024,768'],
  ['?{x,undef}', '?1024'],
  ['{var:3}', 'val'],
  ['{list}', 'red,green,blue'],
  ['{list*}', 'red,green,blue'],
  ['{keys}', 'semi,%3B,dot,.,comma,%2C'],
  ['{keys*}', 'semi=%3B,dot=.,comma=%2C'],
  ['{+half}', '50%25'],
  ['{base}index', 'http%3A%2F%2Fexample.com%2Fhome%2Findex'],
  ['{+base}index', 'http://example.com/home/index'],
  ['{+path,x}/here', '/foo/bar,1024/here'],
  ['{+keys*}', 'semi=;,dot=.,comma=,'],
  ['{#path:6}here', '#/foo/bhere'],
  ['{#x,hello,y}', '#1024,Hello%20World!,768'],
  ['X{.var:3}', 'X.val'],
  ['www{.dom*}', 'www.example.com'],
  ['X{.empty_keys}', 'X'],
  ['{/var,x}/here', '/value/1024/here'],
  ['{/list*,path:4}', '/red/green/blue/%2Ffoo'],
  ['{;x,y,empty}', ';x=1024;y=768;empty'],
  ['{;hello:5}', ';hello=Hello'],
  ['{;list*}', ';list=red;list=green;list=blue'],
  ['{;keys*}', ';semi=%3B;dot=.;comma=%2C'],
  ['{?x,y,empty}', '?x=1024&y=768&empty='],
  ['{?list}', '?list=red,green,blue'],
  ['{?keys*}', '?semi=%3B&dot=.&comma=%2C'],
  ['?fixed=yes{&x}', '?fixed=yes&x=1024'],
  ['{&var:3}', '&var=val'],
];

describe('[resources.templates] a template is expanded as RFC 6570 specifies', () => {
  for (const [template, expected] of cases)
    test(`${template} becomes ${expected}`, () => assert.equal(expandTemplate(template, values), expected));
});

test('variables are named once, in order, with the properties needed to fill them in', () => {
  assert.deepEqual(templateVariables('demo://{type}/{+path*}{?q:3,type,tags*}{&q:5}'), [
    { name: 'type', isExpected: true, isExploded: false },
    { name: 'path', isExpected: true, isExploded: true },
    { name: 'q', isExpected: false, isExploded: false, maxLength: 5 },
    { name: 'tags', isExpected: false, isExploded: true },
  ]);
  assert.deepEqual(templateVariables('{a:3}{/a}{#b*}{b}'), [
    { name: 'a', isExpected: true, isExploded: false },
    { name: 'b', isExpected: true, isExploded: false },
  ]);
});

test('an invalid expression is reported', () => {
  assert.deepEqual(malformedExpressions('x://{a}/{}/{!x}{?b,c}{a b}{x:0}'), ['{}', '{!x}', '{a b}', '{x:0}']);
});

test('an invalid expression stays unchanged', () => {
  for (const odd of ['{', '}', '{}', '{!x}', '{a b}', '{x:0}']) assert.equal(expandTemplate(odd, values), odd);
});

test('a value never breaks out of a plain expression', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (value) => {
      const expanded = expandTemplate('x:/{v}/end', { v: value });
      assert.match(expanded, /^x:\/[A-Za-z0-9\-._~%]*\/end$/);
      assert.equal(decodeURIComponent(expanded.slice(3, -4)), value.replace(/[\ud800-\udfff]/gu, '\ufffd'));
    }),
  );
});

test('any template and value expand without throwing', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.string(),
      (template, value) => typeof expandTemplate(template, { a: value, b: [value] }) === 'string',
    ),
  );
});

test('[template.bounded] an expansion above 1,000,000 characters fails with the limit', () => {
  const many = '{+long}'.repeat(10_000);
  assert.throws(() => expandTemplate(many, { long: 'x'.repeat(100_000) }), {
    code: 'invalid-arguments',
    message: /longer than the limit of 1000000 characters/,
  });
  assert.throws(
    () => expandTemplate('{?list*}', { list: Array.from({ length: 600_000 }, () => '') }),
    /limit of 1000000/,
  );
  assert.equal(expandTemplate('x:{+long}', { long: 'y'.repeat(900_000) }).length, 900_002);
});

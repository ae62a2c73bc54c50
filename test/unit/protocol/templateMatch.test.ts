import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitsTemplate, literalStart } from '../../../src/core/protocol/templateMatch.js';
import { expandTemplate } from '../../../src/core/protocol/uriTemplate.js';

const templates = [
  'a:x',
  'a:{b}',
  'a:{b}/c',
  'a:{b}/{c}',
  'a:{+b}/c',
  'a:{/b,c}',
  'a:x{?b,c}',
  'a:x?d=1{&b}',
  'a:{b}{#c}',
  'a:{b}{.c}{;b}',
  'a:{not valid}/{b}',
];
const values = [{}, { b: 'v' }, { b: 'v/w?x#y', c: 'é c' }, { b: '', c: '/' }];

test('every address from a template fits the template', () => {
  for (const template of templates)
    for (const value of values) {
      const uri = expandTemplate(template, value);
      assert.ok(fitsTemplate(template, uri), `${uri} from ${template}`);
    }
});

test('an address with other literal parts, or with a slash in a simple value, does not fit', () => {
  for (const [template, uri] of [
    ['a:x', 'a:xy'],
    ['a:{b}', 'b:v'],
    ['a:{b}', 'a:v/w'],
    ['a:{b}/c', 'a:v/d'],
    ['a:{b}/c', 'a:v/c/c/d'],
    ['a:x{?b}', 'a:x/y'],
  ] as const)
    assert.ok(!fitsTemplate(template, uri), `${uri} and ${template}`);
});

test('the literal start ends at the first valid expression', () => {
  assert.equal(literalStart('a:{not valid}/{b}'), 'a:{not valid}/');
  assert.equal(literalStart('a:x'), 'a:x');
});

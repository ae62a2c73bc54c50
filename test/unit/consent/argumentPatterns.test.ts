import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { argumentPlaces, patternProblem, testOf } from '../../../src/core/consent/argumentPatterns.js';
import { readRules } from '../../../src/core/consent/readRules.js';
import type { CallFacts } from '../../../src/core/consent/ruleSet.js';
import { RuleSet } from '../../../src/core/consent/ruleSet.js';

const facts = (values: Readonly<Record<string, unknown>>): CallFacts => ({
  server: 's',
  origin: 'user',
  hasTrustedAnnotations: false,
  tool: 't',
  arguments: values,
  caller: 'model',
  approval: 'a',
});
const decide = (tests: object, values: Readonly<Record<string, unknown>>) =>
  new RuleSet(readRules([{ effect: 'allow', tool: 't', arguments: tests }], 'session')).decide(facts(values)).effect;

describe('a pattern made from a call', () => {
  test('without edits allows exactly this value, including its stars', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1, maxKeys: 4 }), (values) => {
        const tests = Object.fromEntries(
          argumentPlaces(values).map((place) => [place.pointer, testOf(place, place.text)]),
        );
        assert.equal(decide(tests, values), 'allow');
        const [first = ''] = Object.keys(values);
        assert.equal(decide(tests, { ...values, [first]: { another: 'value' } }), 'ask');
      }),
    );
  });

  test('allows matching values and asks about all others', () => {
    const [place] = argumentPlaces({ 'a/b~c': 'docs/a.md' });
    assert.ok(place);
    const tests = { [place.pointer]: testOf(place, 'docs/*') };
    assert.deepEqual(
      ['docs/b.md', 'src/b.ts', 'docs/../../etc/passwd', ['docs/b.md']].map((value) =>
        decide(tests, { 'a/b~c': value }),
      ),
      ['allow', 'ask', 'ask', 'ask'],
    );
  });

  test('must match the call that it is made from', () => {
    assert.equal(patternProblem('docs/*', 'docs/a.md'), undefined);
    assert.deepEqual(patternProblem('src/*', 'docs/a.md'), { kind: 'no-match' });
    assert.deepEqual(patternProblem('*', 'x/../y'), undefined);
    assert.deepEqual(patternProblem('x*', 'x/../y'), { kind: 'no-match' });
    assert.equal(patternProblem('x'.repeat(501), 'x')?.kind, 'unusable');
  });

  test('compares lists and objects as a whole', () => {
    const [list] = argumentPlaces({ of: [1, 2] });
    assert.ok(list);
    assert.equal(list.text, undefined);
    assert.deepEqual(testOf(list), { equals: [1, 2] });
  });
});

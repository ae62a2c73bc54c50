import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planArguments } from '../../../../src/core/present/form/argumentSteps.js';
import {
  placeOf,
  problemLine,
  problemLines,
  problemOfStep,
  stepOfProblems,
} from '../../../../src/core/present/form/schemaProblems.js';

const { required } = planArguments({
  type: 'object',
  properties: { city: { type: 'string', title: 'City' }, 'a/b': { type: 'object' } },
  required: ['city', 'a/b'],
});
const [city, slashed] = required;
assert.ok(city && slashed);

test('paths are shown in a readable form', () => {
  assert.deepEqual(['', '/city', '/filters/0/name', '/a~1b/~0', '/0'].map(placeOf), [
    '',
    'city',
    'filters[0].name',
    'a/b.~',
    '[0]',
  ]);
  assert.equal(placeOf('/a\u202eb'), 'a\\u{202e}b');
});

test('a problem is a sentence, several are one line', () => {
  const problem = { path: '/city', message: 'is required' };
  assert.equal(problemLine({ path: '', message: 'must be an object' }), 'The value must be an object');
  assert.equal(problemLines([problem, problem, problem], 2), 'city is required; city is required; and 1 more');
});

test('a step gets only its own problems', () => {
  const problems = [
    { path: '/other', message: 'is required' },
    { path: '/a~1b/x', message: 'must be text' },
    { path: '/city', message: 'must not be empty' },
  ];
  assert.deepEqual(
    [problemOfStep(city, problems), problemOfStep(slashed, problems)],
    ['City must not be empty', 'a/b.x must be text'],
  );
  assert.equal(problemOfStep(city, problems.slice(0, 1)), undefined);
  assert.deepEqual(
    [stepOfProblems(required, problems), stepOfProblems(required, problems.slice(0, 1))],
    [0, undefined],
  );
});

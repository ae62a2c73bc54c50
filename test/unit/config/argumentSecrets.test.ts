import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secretsOfArguments } from '../../../src/core/config/argumentSecrets.js';
import { assertGrowsLinearly, assertLinear } from '../../support/linearWork.js';

for (const [value, part] of [
  ['Bearer abc', 'abc'],
  ['Bearer: abc def', 'abc def'],
  ['user:: abc', 'abc'],
  ['user:pass:word', 'pass:word'],
  ['user:abc\u2028def', 'abc\u2028def'],
  ['abc def', 'abc'],
  ['user:', 'user:'],
])
  test(`the part ${JSON.stringify(part)} of the secret ${JSON.stringify(value)} is a secret, too`, () => {
    assert.deepEqual(secretsOfArguments(['--token', value ?? '']), [value, part]);
  });

for (const part of [':', ' ', ': '])
  test(`[F9] the secrets of a long argument are found in linear time: ${JSON.stringify(part)}`, () => {
    assertGrowsLinearly(
      (length) => secretsOfArguments(['--token', `a:${part.repeat(length / part.length)}\u2028x`]),
      40_000,
      'the parts of a secret',
    );
  });

test('[F9] the secrets of hostile arguments are found in linear time', () => {
  assertLinear((text) => secretsOfArguments(['--token', text]), 'a');
  assertLinear((text) => secretsOfArguments([text]), '-H ');
});

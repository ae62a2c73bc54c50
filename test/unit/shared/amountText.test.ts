import assert from 'node:assert/strict';
import { test } from 'node:test';
import { durationText } from '../../../src/shared/amountText.js';

test('a duration below a second is shown in milliseconds, never as 0 s', () => {
  assert.deepEqual([0, 250.4, 999, 1_000, 2_540, 60_000].map(durationText), [
    '0 ms',
    '250 ms',
    '999 ms',
    '1 s',
    '2.5 s',
    '60 s',
  ]);
});

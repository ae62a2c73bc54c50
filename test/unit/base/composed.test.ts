import assert from 'node:assert/strict';
import { test } from 'node:test';
import { composedText, isComposed } from '../../../src/core/base/composed.js';
import { assertGrowsLinearly } from '../../support/linearWork.js';

test('a run of more than 30 characters that join one is written as codes, in linear time', () => {
  const marks = (count: number) => `a${'\u0301\u0323\u0327\u05b0'.repeat(count / 4)}`;
  assert.equal(isComposed(`a${'\u0316'.repeat(30)}`), true);
  assert.equal(isComposed(`a${'\u0316'.repeat(31)}`), false);
  assert.equal(composedText(`a${'\u0316'.repeat(31)}`), `a${'\\u{316}'.repeat(31)}`);
  assertGrowsLinearly((count) => void composedText(marks(count)), 200_000, 'combining marks');
});

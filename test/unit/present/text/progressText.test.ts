import assert from 'node:assert/strict';
import { test } from 'node:test';
import { progressText } from '../../../../src/core/present/text/progressText.js';

test('progress is one line with the count, the total where there is one, and the words of the server', () => {
  assert.equal(progressText({ progress: 3 }), '3');
  assert.equal(progressText({ progress: 3, total: 10 }), '3 / 10');
  assert.equal(progressText({ progress: 3, total: 10, message: 'indexing' }), '3 / 10 · indexing');
  assert.equal(progressText({ progress: 3, message: '' }), '3');
});

test('what a server says of its progress is bounded, and cannot start a line of its own or steer a terminal', () => {
  const text = progressText({ progress: 1, message: `a\r\nb\u001b[31m${'x'.repeat(5_000)}` });
  assert.ok(text.length < 250);
  assert.doesNotMatch(text, /[\u0000-\u001f]/);
});

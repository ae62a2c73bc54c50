import assert from 'node:assert/strict';
import { test } from 'node:test';
import { progressText } from '../../../../src/core/present/text/runTexts.js';

test('progress is one line with the count, the total if there is one, and the message of the server', () => {
  assert.equal(progressText({ progress: 3 }), '3');
  assert.equal(progressText({ progress: 3, total: 10 }), '3 / 10');
  assert.equal(progressText({ progress: 3, total: 10, message: 'indexing' }), '3 / 10 · indexing');
  assert.equal(progressText({ progress: 3, message: '' }), '3');
});

test('the progress message of a server is limited, and cannot start a new line or control a terminal', () => {
  const text = progressText({ progress: 1, message: `a\r\nb\u001b[31m${'x'.repeat(5_000)}` });
  assert.ok(text.length < 250);
  assert.doesNotMatch(text, /[\u0000-\u001f]/);
});

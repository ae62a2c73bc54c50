import assert from 'node:assert/strict';
import { test } from 'node:test';
import { presetEditQuestion } from '../../../../src/core/present/questions/presetEditQuestion.js';

const preset = (servers: string[], tools: Record<string, string[]> = {}) => ({ name: 'review', servers, tools });

test('[C26] different edits of a preset make different questions', () => {
  const details = [
    preset(['a', 'b, bank']),
    preset(['a', 'b', 'bank']),
    preset(['a" "b', 'bank']),
    preset([`${'x'.repeat(70)}1`]),
    preset([`${'x'.repeat(70)}2`]),
  ].map((edit) => presetEditQuestion(preset(['a']), edit).detail);
  assert.equal(new Set(details).size, details.length);
});

test('[C11] an edit of a preset that a dialog cannot show has a text with everything', () => {
  assert.equal(presetEditQuestion(preset(['a']), preset(['a', 'b'])).whole, undefined);
  const tools = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`s${index}`, ['read']]));
  const { detail, whole } = presetEditQuestion(preset(['a']), preset(['a'], tools));
  assert.ok(detail.split('\n').length <= 30);
  assert.ok(whole?.includes('"s149"'));
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countHidden, escapeHiddenInJson, visibleText } from '../../../src/core/base/hostileText.js';

const hidden: readonly [string, string, number][] = [
  ['ANSI', '\u001b[31m', 1],
  ['C1', '\u009b31m', 1],
  ['bidirectional overrides and isolates', '\u202e\u2066\u2069', 3],
  ['zero-width', '\u200b\u200c\u2060\ufeff', 4],
  ['all Unicode tags', '\u{e0000}\u{e0001}\u{e0002}\u{e001f}\u{e0041}\u{e007f}', 6],
  ['a joiner that joins no pictures', 'a\u200db', 1],
  ['bytes in variation selectors', 'a\ufe01\ufe02\u{e0100}\u{e01ef}', 3],
  ['half of a pair', 'a\ud800b', 1],
];

for (const [what, text, count] of hidden) {
  test(`[L2] ${what}: counted, and written out`, () => {
    assert.equal(countHidden(text), count);
    assert.equal(countHidden(visibleText(text)), 0);
    const json = escapeHiddenInJson(JSON.stringify(text));
    assert.equal(countHidden(json), 0);
    assert.equal(JSON.parse(json), text);
  });
}

test('emoji and the marks of other scripts are text like any other', () => {
  for (const text of ['❤️', '👩‍❤️‍👨', '👨🏽‍💻', 'e\u0301', 'Ωμέγα', '日本語', 'two\nlines\tand a tab']) assert.equal(countHidden(text), 0, text);
});

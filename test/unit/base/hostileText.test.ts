import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertLinear } from '../../support/linearWork.js';
import {
  countHidden,
  countWritten,
  escapeHiddenInJson,
  logLine,
  visibleText,
  withoutIcons,
} from '../../../src/core/base/hostileText.js';

/** Words in the tag characters of black flags. */
const flags = (...words: string[]) =>
  words
    .map(
      (word) =>
        `\u{1f3f4}${Array.from(word, (one) => String.fromCodePoint(0xe0000 + (one.codePointAt(0) ?? 0))).join('')}\u{e007f}`,
    )
    .join('');

const hidden: readonly [string, string, number][] = [
  ['ANSI', '\u001b[31m', 1],
  ['C1', '\u009b31m', 1],
  ['bidirectional overrides and isolates', '\u202e\u2066\u2069', 3],
  ['zero-width', '\u200b\u200c\u2060\ufeff', 4],
  ['all Unicode tags', '\u{e0000}\u{e0001}\u{e0002}\u{e001f}\u{e0041}\u{e007f}', 6],
  ['a joiner without emoji', 'a\u200db', 1],
  ['bytes in variation selectors', 'a\ufe01\ufe02\u{e0100}\u{e01ef}', 4],
  [
    'one variation selector after each letter',
    [...'an innocent text'].map((letter, index) => letter + String.fromCodePoint(0xe0100 + index)).join(''),
    16,
  ],
  ['a variation selector after a letter, and a second one after an emoji', 'a\ufe0f❤\ufe0f\ufe0f', 2],
  ['a keycap sequence without its end', '1\ufe0f', 1],
  [
    'controls of musical notation, shorthand and hieroglyphs',
    '\u{1d173}\u{1d17a}\u{1bca0}\u{1bca3}\u{13430}\u{13440}',
    5,
  ],
  ['invisible vowels, Mongolian variation selectors, fillers', '\u17b4\u17b5\u180b\u180f\u115f\u3164\uffa0', 7],
  ['tags that do not end a flag', '\u{1f3f4}\u{e0067}\u{e0062}', 2],
  ['tags after another emoji', '\u{1f600}\u{e0067}\u{e0062}\u{e0065}\u{e007f}', 4],
  ['words in the tags of flags that do not exist', flags('ignore', 'user', 'rsa'), 16],
  ['more tags than a flag has', `\u{1f3f4}${'\u{e0061}'.repeat(8)}\u{e007f}`, 9],
  ['a note without a head, and the filler of Khitan script', 'a\u{1d159}b\u{16fe4}', 2],
  ['half of a surrogate pair', 'a\ud800b', 1],
];

for (const [what, text, count] of hidden) {
  test(`[L2] ${what}: counted and escaped`, () => {
    assert.equal(countHidden(text), count);
    assert.equal(countHidden(visibleText(text)), 0);
    const json = escapeHiddenInJson(JSON.stringify(text));
    assert.equal(countHidden(json), 0);
    assert.equal(JSON.parse(json), text);
  });
}

test('emoji and the marks of other scripts are ordinary text', () => {
  for (const text of [
    '☺︎',
    '1️⃣',
    '#️⃣',
    '🏴󠁧󠁢󠁥󠁮󠁧󠁿',
    '🏴󠁧󠁢󠁷󠁬󠁳󠁿!',
    '🏳️‍🌈',
    '🇨🇭',
    '🧑🏿‍🤝‍🧑🏻',
    '؀١٢',
    '❤️',
    '👩‍❤️‍👨',
    '👨🏽‍💻',
    'e\u0301',
    'Ωμέγα',
    '日本語',
    'two\nlines\tand a tab',
  ])
    assert.equal(countHidden(text), 0, text);
});

describe('where VS Code draws icons', () => {
  for (const [text, expected] of [
    ['sh -c $(whoami)', 'sh -c \\$(whoami)'],
    ['$(sync~spin)', '\\$(sync~spin)'],
    ['$(cat file)', '$(cat file)'],
    ['\\$(a)', '\\\\$(a)'],
  ] as const)
    test(`[L2] ${JSON.stringify(text)} appears as it is`, () => assert.equal(withoutIcons(text), expected));
});

test('[L2] counting ends early in a text of hidden characters, and a single one is found in a long text', () => {
  assert.equal(countHidden('\u200b'.repeat(5_000_000)), 10_000);
  assert.equal(countWritten('\\u{200b}'.repeat(1_000_000)), 10_000);
  assert.equal(countHidden(`${'x'.repeat(5_000_000)}\u200b`), 1);
});

test('[L2] the final line breaks of a log line are removed in linear time', () => {
  assert.equal(logLine('a\r\n\n'), 'a');
  assertLinear((text) => logLine(text, 1_000_000));
});

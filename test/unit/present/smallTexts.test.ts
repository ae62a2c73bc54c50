import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { t } from '@vscode/l10n';
import { elapsedText, favouriteName } from '../../../src/core/present/text/runTexts.js';
import { firstSentence, plainSentence } from '../../../src/core/present/text/lines.js';
import { withoutMarkup } from '../../../src/core/present/text/markdown.js';

test('a duration is shown in at most two units', () => {
  const spans = [-5, 0, 999, 3_200, 59_999, 60_000, 3_600_000, 5_400_000, 86_400_000, 90_000_000];
  assert.deepEqual(
    spans.map((ms) => elapsedText(ms)),
    ['0 s', '0 s', '0 s', '3 s', '59 s', '1 min', '1 h', '1 h 30 min', '1 d', '1 d 1 h'],
  );
});

test('a description is cut after its first sentence', () => {
  assert.deepEqual(
    [
      firstSentence('Find files by pattern. Uses globs.'),
      firstSentence('Reads e.g. a file. Then more.'),
      firstSentence('Uses Node.js 20 and v1.2 of it'),
      firstSentence('Is it there? Perhaps.'),
      firstSentence('First line\ngoes on.\n\nSecond paragraph'),
      firstSentence('   \n '),
      firstSentence(undefined),
      firstSentence('x'.repeat(200))?.length,
    ],
    [
      'Find files by pattern',
      'Reads e.g. a file',
      'Uses Node.js 20 and v1.2 of it',
      'Is it there?',
      'First line goes on',
      undefined,
      undefined,
      120,
    ],
  );
});

test('placeholders in a text are filled, and unknown ones are unchanged', () => {
  assert.equal(t('{1} of {0} {2}', 3, 'a'), 'a of 3 {2}');
});

describe('a description in a tree or a list', () => {
  test('has the words of Markdown without its marks', () => {
    assert.equal(
      plainSentence('**Note:** use `find` and [the docs](https://acme.test/x). More.'),
      'Note: use find and the docs',
    );
    assert.equal(plainSentence('## Title\ntext'), 'Title text');
    assert.equal(withoutMarkup('see [here](https://a.test) ![p](b.png)', true), 'see here (https://a.test) p (b.png)');
  });

  test('keeps names and numbers that only look like Markdown', () => {
    for (const text of ['a * b ** c', 'my_tool__name and __init', '2**3**4', '[x] done', 'a `b'])
      assert.equal(withoutMarkup(text), text);
  });

  test('takes linear time', () => {
    for (const piece of ['[', '](', '**', '__', '`', '#', '![a](b'])
      assert.ok(withoutMarkup(piece.repeat(Math.floor(20_000 / piece.length))).length <= 20_000, piece);
  });
});

test('the suggested name of a favorite has the title and the arguments, and is free', () => {
  assert.equal(favouriteName('List Orders', { customer: 'Ada' }, new Set()), 'List Orders · customer: Ada');
  assert.equal(favouriteName('List Orders', {}, new Set(['List Orders'])), 'List Orders-2');
  assert.ok(favouriteName('x'.repeat(200), { a: 'y'.repeat(200) }, new Set()).length <= 100);
});

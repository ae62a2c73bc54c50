import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { csvFile, csvRows, isTabular } from '../../../../src/core/present/text/csv.js';
import { assertGrowsLinearly } from '../../../support/linearWork.js';

/** A reader of RFC 4180, written for this test. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  for (let at = 0; at < text.length;) {
    let cell = '';
    if (text[at] === '"') {
      for (at++; ; at++) {
        if (text[at] !== '"') cell += text[at];
        else if (text[at + 1] === '"') {
          cell += '"';
          at++;
        } else break;
      }
      at++;
    } else while (at < text.length && text[at] !== ',' && text[at] !== '\r') cell += text[at++];
    rows.at(-1)?.push(cell);
    if (text[at] === ',') {
      at++;
      if (at >= text.length || text[at] === '\r') rows.at(-1)?.push('');
    }
    if (text[at] === '\r') {
      at += 2;
      if (at < text.length) rows.push([]);
    }
  }
  return rows;
}

describe('tables for other programs', () => {
  test('every cell survives the round trip', () => {
    const cell = fc
      .string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r\n', ' ', '\t', 'é'), minLength: 1 })
      .map((text) => `x${text}`);
    fc.assert(
      fc.property(fc.array(fc.record({ one: cell, two: cell }), { minLength: 1 }), (items) => {
        assert.deepEqual(readCsv([...csvRows(items)].join('')), [
          ['one', 'two'],
          ...items.map(({ one, two }) => [one, two]),
        ]);
      }),
    );
  });

  test('columns are the names of all objects; missing and null values are empty, nested values are JSON', () => {
    const items = [{ a: 1, b: null }, { b: true, c: { d: [1, 'x'] } }, 7];
    assert.equal([...csvRows(items)].join(''), 'a,b,c\r\n1,,\r\n,true,"{""d"":[1,""x""]}"\r\n,,\r\n');
  });

  test('formulas become text, numbers stay numbers', () => {
    const items = ['=1+1', '+cmd|x', '-2', '-1.5', '@SUM(A1)', '-x'].map((cell) => ({ cell }));
    assert.equal([...csvRows(items)].join(''), "cell\r\n'=1+1\r\n'+cmd|x\r\n-2\r\n-1.5\r\n'@SUM(A1)\r\n'-x\r\n");
  });

  test('a formula is also found after characters that a spreadsheet may remove', () => {
    for (const before of ['\u200b', '\u00ad', '\u2060\u180e', '\0', '\x1f', ' "', '\ufeff '])
      assert.match([...csvRows([{ cell: `${before}=1+1` }])].join(''), /^cell\r\n"?'/, JSON.stringify(before));
    assert.match([...csvRows([{ cell: '\u22121' }])].join(''), /^cell\r\n'/);
  });

  test('for the clipboard, tabs separate the cells, and no cell contains one', () => {
    assert.equal([...csvRows([{ a: 'x\ty\nz', b: 'q"' }], { separator: '\t' })].join(''), 'a\tb\r\nx y z\tq"\r\n');
  });

  test('a table with too many cells is not a file, however small the result is', () => {
    const rows = (count: number) => Array.from({ length: count }, (_, index) => ({ [`c${index}`]: 1 }));
    assert.equal([...csvFile(rows(1_000))].length, 1_001);
    assert.throws(() => csvFile(rows(4_000)), {
      message:
        'This table is too large for a CSV file: it has 4000 rows and 4000 columns. Save the result as a file instead.',
    });
  });

  test('names of prototype members are columns, and nothing is inherited', () => {
    assert.equal(
      [...csvRows(JSON.parse('[{"__proto__":1,"a":2},{"a":3}]') as unknown[])].join(''),
      '__proto__,a\r\n1,2\r\n,3\r\n',
    );
  });

  test('only lists of objects are tables', () => {
    assert.deepEqual([[{ a: 1 }], [], [1, 2], { a: 1 }, 'x', undefined].map(isTabular), [
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
  });

  test('a cell of combining characters takes linear time', () => {
    const rows = (count: number) => [...csvRows([{ a: `a${'\u0301\u0323'.repeat(count / 2)}` }])];
    assertGrowsLinearly((count) => void rows(count), 200_000, 'combining characters');
  });

  test('[text.csv] no cell starts a formula, whatever precedes the sign', () => {
    for (const text of [
      '=1+1',
      '=\u0338cmd',
      ' =1+1',
      '\n=1',
      '\u00a0@sum(1)',
      '\u3000-cmd',
      '\uff1d1',
      '\uff0b1',
      '\ufe62x',
      '\uff20a',
    ]) {
      const [, row = ''] = csvRows([{ a: text }]);
      assert.match(row, /^"?'/, JSON.stringify(text));
    }
    for (const text of ['a;=1+1', ';=1', 'a\t=1']) {
      const [, row = ''] = csvRows([{ a: text }]);
      assert.equal(row, `"${text}"\r\n`);
    }
    assert.deepEqual([...csvRows([{ a: '-1.5' }])], ['a\r\n', '-1.5\r\n']);
  });

  test('[values.deep] a deeply nested value is an ordinary cell', () => {
    let deep: unknown = 1;
    for (let i = 0; i < 200_000; i++) deep = [deep];
    assert.equal([...csvRows([{ a: deep, b: 1 }])][1], `${'['.repeat(200_000)}1${']'.repeat(200_000)},1\r\n`);
  });
});

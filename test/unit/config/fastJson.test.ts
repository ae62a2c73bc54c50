import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Node, ParseError } from 'jsonc-parser';
import { parseTree } from 'jsonc-parser';
import { readWellFormed } from '../../../src/core/config/fastJson.js';

/** Random numbers determined only by the seed. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

function known(text: string): { tree: Node | undefined; errors: ParseError[] } {
  const errors: ParseError[] = [];
  return { tree: parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true }), errors };
}

/** Without `parent`, which is circular. */
function plain(node: Node | undefined): unknown {
  return (
    node && {
      type: node.type,
      offset: node.offset,
      length: node.length,
      colonOffset: node.colonOffset,
      value: node.value as unknown,
      children: node.children?.map(plain),
    }
  );
}

function isLinked(node: Node): boolean {
  return (node.children ?? []).every((child) => child.parent === node && isLinked(child));
}

const pieces = [
  '{',
  '}',
  '[',
  ']',
  ':',
  ',',
  '"a"',
  '"b\\n\\u00e9"',
  '""',
  '1',
  '-2.5e3',
  'true',
  'null',
  ' ',
  '\n',
  '\r\n',
  '// c\n',
  '/* c */',
  '/**/',
  '/* * */',
];

function written(next: (below: number) => number, depth: number): string {
  const gap = () => ['', ' ', '\n', '// c "x" {\n', '/* c\n * } */', '\t'][next(6)] ?? '';
  const list = (open: string, close: string, item: () => string) => {
    const items = Array.from({ length: next(4) }, item);
    return `${open}${gap()}${items.join(`${gap()},${gap()}`)}${items.length > 0 && next(3) === 0 ? `${gap()},` : ''}${gap()}${close}`;
  };
  switch (next(depth > 4 ? 2 : 4)) {
    case 0:
      return ['"text"', '"\\"\\\\\\u20ac"', '"ünï"', '0', '-1', '3.25', '1e3', 'true', 'false', 'null'][next(10)] ?? '';
    case 1:
      return '"x"';
    case 2:
      return list('[', ']', () => written(next, depth + 1));
    default:
      return list(
        '{',
        '}',
        () => `"${['a', 'b', '__proto__', 'c\\td'][next(4)] ?? ''}"${gap()}:${gap()}${written(next, depth + 1)}`,
      );
  }
}

test('property: well-formed text gives the tree of jsonc-parser, comments and trailing commas included', () => {
  for (let seed = 1; seed <= 2_000; seed++) {
    const next = randomNumbers(seed);
    const text = `${next(2) === 0 ? '// head\n' : ''}${written(next, 0)}${next(2) === 0 ? ' ' : ''}`;
    const tree = readWellFormed(text);
    const { tree: expected, errors } = known(text);
    assert.deepEqual(errors, [], text);
    assert.deepEqual(plain(tree), plain(expected), text);
    assert.ok(tree && isLinked(tree));
  }
});

test('property: jsonc-parser reads the same text without an error and with the same result', () => {
  let read = 0;
  for (let seed = 1; seed <= 20_000; seed++) {
    const next = randomNumbers(seed);
    const text = Array.from({ length: 1 + next(9) }, () => pieces[next(pieces.length)] ?? '').join('');
    const tree = readWellFormed(text);
    if (!tree) continue;
    read++;
    const { tree: expected, errors } = known(text);
    assert.deepEqual(errors, [], text);
    assert.deepEqual(plain(tree), plain(expected), text);
  }
  assert.ok(read > 500);
});

test('malformed text is left to the other reader', () => {
  for (const text of [
    '',
    '  ',
    '{',
    '{"a" 1}',
    '{"a":1,,}',
    '{,}',
    '[,]',
    '[1 2]',
    '01',
    '1.',
    '.5',
    '+1',
    'tru',
    'truex',
    '-',
    '1a',
    '{a:1}',
    "{'a':1}",
    '"a\nb"',
    '"\\x"',
    '"\\u12"',
    '"a',
    '1 2',
    '/* open',
    '{"a":1} x',
    '[NaN]',
    '\ufeff{}',
    '['.repeat(200) + ']'.repeat(200),
  ])
    assert.equal(readWellFormed(text), undefined, text);
});

test('a file of 5 MiB is read at once, with any content', () => {
  const fill = (piece: string) => piece.repeat(Math.floor((5 << 20) / piece.length));
  for (const [text, isRead] of [
    [`"${fill('a')}"`, true],
    [`"${fill('\\\\')}"`, true],
    [`[${fill('1,')}]`, true],
    [`${fill('/')}`, false],
    [`/*${fill('*')}*/1`, true],
    [`/*${fill('* ')}`, false],
    [`${fill('//\n')}1`, true],
    [`${fill(' ')}1`, true],
    [fill('['), false],
  ] as const) {
    assert.equal(readWellFormed(text) !== undefined, isRead, text.slice(0, 20));
  }
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { jsonNodesOf } from '../../../../src/core/present/result/jsonNodes.js';
import { presentToolResult } from '../../../../src/core/present/result/toolResult.js';
import { assertGrowsLinearly } from '../../../support/linearWork.js';
import type { JsonNode } from '../../../../src/shared/result/resultModel.js';

/** The value that a tree displays. */
function valueOf(node: JsonNode): unknown {
  switch (node.kind) {
    case 'object':
      return Object.fromEntries(node.entries.map(({ key, value }) => [key, valueOf(value)]));
    case 'array':
      return node.items.map(valueOf);
    case 'string':
      return node.text;
    default:
      return JSON.parse(node.text);
  }
}

function countNodes(node: JsonNode): number {
  if (node.kind === 'object') return node.entries.reduce((sum, { value }) => sum + countNodes(value), 1);
  return node.kind === 'array' ? node.items.reduce((sum, item) => sum + countNodes(item), 1) : 1;
}

/** JSON whose texts contain no hidden characters. */
const plainJson = fc.jsonValue({ stringUnit: fc.constantFrom(...'abc {}[]",:\\/é😀') as never, maxDepth: 6 });
const indent = fc.constantFrom(undefined, 1, '\t');

describe('JSON as a tree', () => {
  test('a text within the limit is shown as exactly its value', () => {
    fc.assert(
      fc.property(plainJson, indent, (value, space) => {
        const read = jsonNodesOf(JSON.stringify(value, undefined, space));
        assert.ok(read?.isWhole);
        assert.deepEqual(valueOf(read.root), JSON.parse(JSON.stringify(value)));
        assert.equal(read.nodes, countNodes(read.root));
      }),
    );
  });

  test('for a truncated text, the tree shows its beginning and a note', () => {
    fc.assert(
      fc.property(fc.array(plainJson, { minLength: 1 }), indent, fc.nat(), (value, space, seed) => {
        const text = JSON.stringify(value, undefined, space);
        const maxLength = 1 + (seed % Math.max(1, text.length - 1));
        if (maxLength >= text.length) return;
        const read = jsonNodesOf(text, { maxLength });
        assert.ok(read, `nothing of ${JSON.stringify(text.slice(0, maxLength))}`);
        assert.equal(read.isWhole, false);
        assert.ok(read.root.kind === 'array' && read.root.isCut);
      }),
    );
  });

  test('no more nodes are created than requested', () => {
    fc.assert(
      fc.property(plainJson, fc.integer({ min: 1, max: 20 }), (value, maxNodes) => {
        const read = jsonNodesOf(JSON.stringify([value]), { maxNodes });
        assert.ok(read && countNodes(read.root) <= maxNodes);
      }),
    );
  });

  test('invalid JSON of any kind gives no tree', () => {
    const broken = [
      '',
      ' ',
      '{',
      '[1,]',
      '{"a":1,}',
      '{a:1}',
      '[1 2]',
      '01',
      '[01]',
      '"a',
      '[tru]',
      '{"a"}',
      '[1]]',
      "['a']",
      '["\u0001"]',
      '["\\x"]',
      '[1],',
      '[+1]',
      '[1.]',
      '[NaN]',
    ];
    assert.deepEqual(
      broken.filter((text) => jsonNodesOf(text) !== undefined),
      [],
    );
  });

  test('any text is accepted or refused as JSON.parse does', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom(
            '{',
            '}',
            '[',
            ']',
            ',',
            ':',
            '"',
            '1',
            '-',
            'e',
            '.',
            ' ',
            'true',
            'null',
            '\\',
            '"a"',
          ),
        }),
        (text) => {
          let isJson = true;
          try {
            JSON.parse(text);
          } catch {
            isJson = false;
          }
          assert.equal(jsonNodesOf(text) !== undefined, isJson);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('numbers keep every digit; names may be any text, and duplicates are kept', () => {
    const read = jsonNodesOf('{"id":12345678901234567890,"__proto__":{"a":1},"x":1e400,"x":-0.10}');
    assert.deepEqual(read?.root, {
      kind: 'object',
      entries: [
        { key: 'id', value: { kind: 'number', text: '12345678901234567890' } },
        { key: '__proto__', value: { kind: 'object', entries: [{ key: 'a', value: { kind: 'number', text: '1' } }] } },
        { key: 'x', value: { kind: 'number', text: '1e400' } },
        { key: 'x', value: { kind: 'number', text: '-0.10' } },
      ],
    });
  });

  test('hidden characters become visible and are counted', () => {
    const read = jsonNodesOf('{"a\\u202eb":"x\\u001b[31m","lone":"\\ud800"}');
    assert.deepEqual(read, {
      root: {
        kind: 'object',
        entries: [
          { key: 'a\u202eb', label: 'a\\u{202e}b', value: { kind: 'string', text: 'x\\u{1b}[31m' } },
          { key: 'lone', value: { kind: 'string', text: '\\u{d800}' } },
        ],
      },
      isWhole: true,
      nodes: 3,
      hidden: 3,
    });
  });

  test('a hundred thousand brackets cause no stack overflow and no tree', () => {
    const read = jsonNodesOf(`{"deep":${'['.repeat(100_000)}${']'.repeat(100_000)},"after":1}`);
    assert.ok(read && !read.isWhole);
    assert.deepEqual(read.root.kind === 'object' && read.root.entries.map(({ key }) => key), ['deep', 'after']);
  });

  test('a long text is cut with a count of the missing characters', () => {
    assert.deepEqual(jsonNodesOf(JSON.stringify(['x'.repeat(50)]), { maxStringLength: 10 })?.root, {
      kind: 'array',
      items: [{ kind: 'string', text: 'xxxxxxxxxx', more: 40 }],
    });
  });
});

test('[L2] a large text that is not JSON is recognized in linear time, also with many blanks after a name', () => {
  const text = (length: number) => `{"a"${' '.repeat(length)}x${'y'.repeat(400_000)}`;
  const run = (length: number) => void presentToolResult({ content: [{ type: 'text', text: text(length) }] }, names);
  assertGrowsLinearly(run, 60_000, 'blanks after a name');
});
const names = { server: 's', tool: 't' };

/** The estimate of tokens, against counts of the encoding o200k_base. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Tool } from '../../../src/core/protocol/mcp.js';
import { estimateTokens, toolsTokens, toolTokens } from '../../../src/core/present/text/tokenEstimate.js';

/** Texts with their number of tokens in o200k_base. */
const counted: [string, number][] = [
  ['Reads a page of the manual and returns its text.', 11],
  [
    '{"type":"object","properties":{"page":{"type":"integer","description":"The number of the page."}},"required":["page"]}',
    28,
  ],
  ['Gibt den Text einer Seite des Handbuchs als Markdown zurück.', 14],
  ['https://example.com/a/b?c=1234567890', 13],
  ['マニュアルのページを読み、そのテキストを返します。', 15],
  ['getUserProfile update_user-profile HTTPServer', 8],
  [
    'Searches for files. Use the pattern "**/*.ts" to match TypeScript files, or "src/**" to match everything below a folder.\n\nExamples:\n- find_files {"pattern": "*.md"}\n- find_files {"pattern": "docs/**"}',
    51,
  ],
];
for (const [text, tokens] of counted) {
  test(`the estimate of "${text.slice(0, 40)}" is within a fifth of ${tokens}`, () => {
    const estimate = estimateTokens(text);
    assert.ok(Math.abs(estimate - tokens) <= Math.max(3, tokens / 5), String(estimate));
  });
}

test('a tool costs its name, description, and input schema, and hostile texts are counted in time', () => {
  const tool: Tool = { name: 'read', description: 'Reads.', inputSchema: { type: 'object' } };
  assert.ok(toolTokens(tool) > 10);
  const long = 'ab '.repeat(3_000_000);
  assert.ok(Math.abs(estimateTokens(long) - 3_000_000) < 300_000);
});

test('the tokens of very many or very large tools are extrapolated', () => {
  const text = 'word '.repeat(20_000);
  const large = (at: number) => ({ name: `t${at}`, description: text, inputSchema: { type: 'object' as const } });
  const one = toolsTokens([large(0)]);
  const many = toolsTokens(Array.from({ length: 1_000 }, (_, at) => large(at)));
  assert.ok(Math.abs(many / (one * 1_000) - 1) < 0.01, `${one} ${many}`);
  const properties = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`p${at}`, { type: 'string' }]));
  assert.equal(toolsTokens([{ name: 'x', inputSchema: { type: 'object', properties } }]), 1_000_000);
});

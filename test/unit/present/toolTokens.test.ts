/** Tokens of o200k_base, against counts of the reference implementation; and the worker of the window. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { countTokens } from '../../../src/core/present/text/o200k.js';
import { countTools, knownTokens } from '../../../src/core/present/text/toolTokens.js';
import { TokenCounter } from '../../../src/vscode/ui/tokenCounter.js';
import { tool } from '../../support/serverViews.js';

/** Texts with their number of tokens. */
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
  ['', 0],
];

test('texts have the number of tokens of the encoding, and special tokens are text', () => {
  for (const [text, tokens] of counted) assert.equal(countTokens(text), tokens, text);
  assert.ok(countTokens('<|endoftext|>') > 1);
  // The time of the encoding is quadratic in the length of a word. This text took minutes.
  assert.ok(countTokens('a'.repeat(200_000)) > 10_000);
  assert.ok(Math.abs(countTokens('ab '.repeat(3_000_000)) - 3_000_000) < 300_000);
});

test('tools are counted once, by name, description, and input schema', async () => {
  const [one, two] = [tool('one', { description: 'Reads.' }), tool('two')];
  const asked: string[] = [];
  const count = (texts: readonly string[]) => {
    asked.push(...texts);
    return Promise.resolve(texts.map(({ length }) => length));
  };
  assert.equal(knownTokens([one]), undefined);
  await countTools([one], count);
  await countTools([one, two], count);
  assert.equal(asked.length, 2);
  assert.equal(knownTokens([one, two]), asked.join('').length);
  assert.match(asked[0] ?? '', /"name":"one","description":"Reads\.","parameters":/);
});

test('the tokens of very many or very large tools are extrapolated', async () => {
  const count = (texts: readonly string[]) => Promise.resolve(texts.map(({ length }) => length));
  const many = Array.from({ length: 1_000 }, (_, at) => tool(`t${at + 1_000}`, { description: 'x'.repeat(10_000) }));
  await countTools(many, count);
  assert.equal(knownTokens(many), 1_000 * (knownTokens(many.slice(0, 1)) ?? 0));
  assert.equal(knownTokens(many.slice(999)), undefined);
  await countTools(many, count, true);
  assert.notEqual(knownTokens(many.slice(999)), undefined);
  const properties = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`p${at}`, { type: 'string' }]));
  const huge = tool('x', { inputSchema: { type: 'object', properties } });
  await countTools([huge], () => assert.fail('It is too large.'));
  assert.equal(knownTokens([huge]), 1_000_000);
});

test('a window counts in a worker, which starts again after a failure', async (t) => {
  const counter = new TokenCounter(path.resolve('dist/lib/tokens.js'));
  t.after(() => counter.dispose());
  assert.deepEqual(
    await counter.count(counted.map(([text]) => text)),
    counted.map(([, tokens]) => tokens),
  );
  const broken = new TokenCounter(path.resolve('dist/lib/no-such-file.js'));
  t.after(() => broken.dispose());
  await assert.rejects(broken.count(['a']), /no-such-file/);
  await assert.rejects(broken.count(['a']), /no-such-file/);
});

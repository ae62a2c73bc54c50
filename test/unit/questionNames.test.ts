/** Names inside the quotes of a question must not end the quotes (security requirement C26). */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

/** The questions of a file that put a text into quotes without escaping its quotes. Calls are at most 1,000 long. */
function openQuestions(code: string): string[] {
  return [...code.matchAll(/\bt\(\s*(['`])([^\n]*"\{\d+\}"[^\n]*\?)\1,/g)]
    .filter((match) => /\bvisibleLine\(/.test(argumentsOf(code.slice(match.index, match.index + 1_000))))
    .map(([, , text = '']) => text);
}

/** The beginning of a text up to the end of its first call. */
function argumentsOf(text: string): string {
  let depth = 0;
  for (const [index, char] of Array.from(text).entries()) {
    depth += char === '(' ? 1 : char === ')' ? -1 : 0;
    if (char === ')' && depth === 0) return text.slice(0, index);
  }
  return text;
}

test('[C26] every name in quotes of a question is escaped by visibleName', () => {
  assert.deepEqual(openQuestions(`t('Remove "{0}"?', visibleLine(name))`), ['Remove "{0}"?']);
  const found = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('webview'))
    .flatMap((file) => openQuestions(readFileSync(path.join('src', file), 'utf8')));
  assert.deepEqual(found, []);
});

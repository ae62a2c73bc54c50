/** Names inside the quotes of a question must not end the quotes (security requirement C26). */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import ts from 'typescript';

/** The questions of a file that put a text into quotes whose quotes are not escaped. */
function openQuestions(name: string, code: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const [text] = ts.isCallExpression(node) ? node.arguments : [];
    if (
      text &&
      ts.isStringLiteralLike(text) &&
      /"\{\d+\}".*\?$/.test(text.text) &&
      /\bvisibleLine\(/.test(node.getText())
    )
      found.push(text.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(name, code, ts.ScriptTarget.Latest, true));
  return found;
}

test('[C26] every name in quotes of a question is escaped by visibleName', () => {
  assert.deepEqual(openQuestions('a.ts', `t('Remove "{0}"?', visibleLine(name))`), ['Remove "{0}"?']);
  const found = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('webview'))
    .flatMap((file) => openQuestions(file, readFileSync(path.join('src', file), 'utf8')));
  assert.deepEqual(found, []);
});

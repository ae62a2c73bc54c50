// Collects all user-visible texts in l10n/bundle.l10n.json, for translators and VS Code:
//   node l10n.mjs            writes the file
//   node l10n.mjs --check    fails if the file does not match the code
// A text is the first argument of a call to `t` or `….l10n.t`. Core and the VS Code layer both localize this way.
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const bundle = 'l10n/bundle.l10n.json';

/**
 * The texts of one file. A call whose first argument is not a literal cannot be translated and is reported as a
 * problem.
 */
function textsOf(file, problems) {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const texts = [];
  const visit = (node) => {
    if (ts.isCallExpression(node) && isLocalizer(node.expression) && node.arguments.length > 0) {
      for (const text of literals(node.arguments[0])) {
        if (text !== undefined) texts.push(text);
        else
          problems.push(
            `${file}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}: the text is not a literal: ${node.getText().slice(0, 80)}`,
          );
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return texts;
}

function isLocalizer(callee) {
  if (ts.isIdentifier(callee)) return callee.text === 't';
  return ts.isPropertyAccessExpression(callee) && callee.name.text === 't';
}

/** A text literal, or both literals of a conditional expression. */
function literals(node) {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isConditionalExpression(node)) return [...literals(node.whenTrue), ...literals(node.whenFalse)];
  if (ts.isParenthesizedExpression(node)) return literals(node.expression);
  return [undefined];
}

const problems = [];
const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const texts = [...new Set(files.flatMap((file) => textsOf(path.join('src', file), problems)))].sort((a, b) =>
  a < b ? -1 : 1,
);
const wanted = `${JSON.stringify(Object.fromEntries(texts.map((text) => [text, text])), null, 2)}\n`;
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exitCode = 1;
} else if (process.argv.includes('--check')) {
  if (!existsSync(bundle) || readFileSync(bundle, 'utf8') !== wanted) {
    console.error(`${bundle} does not match the code: run "npm run l10n"`);
    process.exitCode = 1;
  }
} else {
  mkdirSync(path.dirname(bundle), { recursive: true });
  writeFileSync(bundle, wanted);
  console.log(`${texts.length} texts`);
}

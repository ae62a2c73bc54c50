/** docs/security.md cites a test for each defense: its statements hold as long as those tests exist and pass. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { testTitles } from '../support/testTitles.js';

const page = readFileSync('docs/security.md', 'utf8');
const requirements = new Set(
  (JSON.parse(readFileSync('test/requirements.json', 'utf8')) as { id: string }[]).map(({ id }) => id),
);

/** The tests that a text cites, each in backquotes as `path below test/ › title`. */
function cited(text: string): { file: string; title: string }[] {
  return [...text.matchAll(/`([^`\n]+?) › ([^`\n]+)`/g)].map(([, file = '', title = '']) => ({ file, title }));
}

/** The cited tests that do not exist. */
function missing(text: string): string[] {
  return cited(text)
    .filter(
      ({ file, title }) =>
        !existsSync(path.join('test', file)) ||
        !testTitles(readFileSync(path.join('test', file), 'utf8')).includes(title),
    )
    .map(({ file, title }) => `${file} › ${title}`);
}

test('every test that docs/security.md cites exists, under that title and in that file', () => {
  assert.deepEqual(missing(page), []);
});

test('a test that is renamed, moved or deleted is missing', () => {
  const here = 'unit/securityPage.test.ts';
  assert.deepEqual(missing(`\`${here} › a test that is renamed, moved or deleted is missing\``), []);
  assert.deepEqual(missing(`\`${here} › no such title\` \`unit/nowhere.test.ts › no such file\``), [
    `${here} › no such title`,
    'unit/nowhere.test.ts › no such file',
  ]);
});

test('every requirement that docs/security.md cites exists', () => {
  const ids = [...page.matchAll(/\[([A-Z]+\d+(?:, [A-Z]+\d+)*)\]/g)].flatMap(([, list = '']) => list.split(', '));
  assert.ok(ids.length > 0);
  assert.deepEqual(
    ids.filter((id) => !requirements.has(id)),
    [],
  );
});

test('every row of the table in docs/security.md cites a test', () => {
  const rows = page
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2);
  assert.ok(rows.length >= 10, `${rows.length} rows`);
  assert.deepEqual(
    rows.filter((row) => cited(row.split(' | ').at(-1) ?? '').length === 0),
    [],
  );
});

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { legacyRevisions, modernRevisions } from '../../src/core/protocol/revisions.js';
import { testTitles } from '../support/testTitles.js';

/**
 * Every requirement of test/requirements.json has the link of its source, and is cited by a test: its id is in square
 * brackets in the title of a test, suite or step, or in the title of a row in a table of cases, for example `[H2] a
 * lost session is opened again once`. A comment does not count.
 */
const requirements = JSON.parse(readFileSync('test/requirements.json', 'utf8')) as {
  id: string;
  spec: string;
  behaviour: string;
}[];

const citation = /\[([A-Za-z][\w.]*(?:, [A-Za-z][\w.]*)*)\]/g;

function citedIn(text: string): string[] {
  return testTitles(text).flatMap((words) =>
    [...words.matchAll(citation)].flatMap(([, list = '']) => list.split(', ')),
  );
}

function cited(): Set<string> {
  const files = readdirSync('test', { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.(ts|mjs)$/.test(file) && file !== path.join('unit', 'requirements.test.ts'),
  );
  return new Set(files.flatMap((file) => citedIn(readFileSync(path.join('test', file), 'utf8'))));
}

test('every requirement is cited by a test', () => {
  const ids = cited();
  assert.deepEqual(
    requirements.map(({ id }) => id).filter((id) => !ids.has(id)),
    [],
  );
});

test('only titles cite requirements', () => {
  assert.deepEqual(
    citedIn(
      "test('[A1, B.c] does', () => undefined);\n  { name: 'a row', ids: '[C2] [D3]' },\ntest(`[E4] ${kind}`, run);",
    ),
    ['A1', 'B.c', 'C2', 'D3', 'E4'],
  );
  assert.deepEqual(
    citedIn(
      "// [A1] in a comment\nconst a = list[A1];\n/** test [A1] */\nconsole.log('[A1] said');\nregistry.test('[A1] of another')",
    ),
    [],
  );
});

test('every requirement links to its source', () => {
  const revisions: readonly string[] = [...legacyRevisions, ...modernRevisions];
  const wrong = requirements.filter(({ spec }) => {
    if (!URL.canParse(spec) || new URL(spec).protocol !== 'https:') return true;
    const [, revision] = /^https:\/\/modelcontextprotocol\.io\/specification\/([^/]+)\//.exec(spec) ?? [];
    return spec.includes('modelcontextprotocol.io/specification') && !revisions.includes(revision ?? '');
  });
  assert.deepEqual(
    wrong.map(({ id }) => id),
    [],
  );
});

test('requirement ids are unique', () => {
  assert.equal(new Set(requirements.map(({ id }) => id)).size, requirements.length);
});

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

/**
 * Every requirement of test/requirements.json is cited by a test: its id stands in square brackets in the name of a test
 * or suite, or in a table of cases, e.g. `[H2] a lost session is opened anew once`.
 */
const requirements = JSON.parse(readFileSync('test/requirements.json', 'utf8')) as { id: string; behaviour: string }[];

function cited(): Set<string> {
  const ids = new Set<string>();
  for (const entry of readdirSync('test', { recursive: true, encoding: 'utf8' })) {
    if (!/\.(ts|mjs)$/.test(entry)) continue;
    for (const [, list] of readFileSync(path.join('test', entry), 'utf8').matchAll(/\[([A-Za-z][\w.]*(?:, [A-Za-z][\w.]*)*)\]/g)) {
      for (const id of list?.split(', ') ?? []) ids.add(id);
    }
  }
  return ids;
}

test('every requirement is cited by a test', () => {
  const ids = cited();
  assert.deepEqual(requirements.map(({ id }) => id).filter((id) => !ids.has(id)), []);
});

test('requirement ids are unique', () => {
  assert.equal(new Set(requirements.map(({ id }) => id)).size, requirements.length);
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { framingCases, modernCases, processCases, protocolCases, requestCases, toolCases } from './stdioCases.js';

/** Nothing of the tables is forgotten: each mode of the fixtures has its case, each case its mode and its requirements. */

const cases = [...framingCases, ...protocolCases, ...requestCases, ...toolCases, ...processCases, ...modernCases];
/** Played elsewhere: the well-behaved server, and the one that a test of its own drives. */
const without = ['ok', 'crash-loop'];

test('every way to misbehave over stdio has a case, and none has two', async () => {
  const fixture: unknown = await import(pathToFileURL(path.resolve('test/fixtures/servers/hostile/stdio.mjs')).href);
  const { stdioModes } = fixture as { stdioModes: object };
  assert.deepEqual(cases.map(({ mode }) => mode).sort(), Object.keys(stdioModes).filter((mode) => !without.includes(mode)).sort());
});

test('every case names the requirements that it proves', () => {
  const requirements = new Set((JSON.parse(readFileSync('test/requirements.json', 'utf8')) as { id: string }[]).map(({ id }) => id));
  for (const { mode, proves } of cases) {
    assert.match(proves, /^\[[A-Z]\d+(, [A-Z]\d+)*\]$/, mode);
    for (const id of proves.slice(1, -1).split(', ')) assert.ok(requirements.has(id), `${mode}: ${id}`);
  }
});

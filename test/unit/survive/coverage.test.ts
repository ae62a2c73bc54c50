import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { authCases } from './authCases.js';
import { lineCases } from './lineCases.js';
import { eventCases, httpCases, socketCases } from './netCases.js';
import { framingCases, modernCases, processCases, protocolCases, requestCases, toolCases } from './stdioCases.js';

/** The tables are complete: each mode of the fixtures has a case, and each case has a mode and requirements. */

const stdioCases = [...framingCases, ...protocolCases, ...requestCases, ...toolCases, ...processCases, ...modernCases];
const netCases = [...httpCases, ...eventCases, ...socketCases, ...authCases];
/** Modes without a case in a table: the well-behaved server, and those with their own tests. */
const without = ['ok', 'crash-loop', 'ws-mute', 'line-ok', 'line-mute'];

async function modesOf(file: string, name: string): Promise<string[]> {
  const fixture = (await import(pathToFileURL(path.resolve('test/fixtures/servers/hostile', file)).href)) as Record<
    string,
    object
  >;
  return Object.keys(fixture[name] ?? {})
    .filter((mode) => !without.includes(mode))
    .sort();
}

test('every way to misbehave over stdio has exactly one case', async () => {
  assert.deepEqual(stdioCases.map(({ mode }) => mode).sort(), await modesOf('stdio.mjs', 'stdioModes'));
});

test('every way to misbehave in the network has exactly one case', async () => {
  assert.deepEqual(netCases.map(({ mode }) => mode).sort(), await modesOf('net.mjs', 'netModes'));
});

test('every way to misbehave behind a raw socket has exactly one case', async () => {
  assert.deepEqual(lineCases.map(({ mode }) => mode).sort(), await modesOf('lineSockets.mjs', 'lineModes'));
});

test('every case names the requirements that it proves', () => {
  const requirements = new Set(
    (JSON.parse(readFileSync('test/requirements.json', 'utf8')) as { id: string }[]).map(({ id }) => id),
  );
  for (const { mode, proves } of [...stdioCases, ...netCases, ...lineCases]) {
    assert.match(proves, /^\[[A-Z]\d+(, [A-Z]\d+)*\]$/, mode);
    for (const id of proves.slice(1, -1).split(', ')) assert.ok(requirements.has(id), `${mode}: ${id}`);
  }
});

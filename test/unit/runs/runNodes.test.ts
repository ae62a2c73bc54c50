import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunRecord } from '../../../src/core/runs/runRecord.js';
import { drawNodes } from '../../../src/core/present/tree/treeNode.js';
import { filterRuns, runLine, runNodes } from '../../../src/core/runs/runNodes.js';
import { runTime } from '../../../src/core/present/text/runTexts.js';

const now = new Date(2026, 10, 21, 15, 0, 0).getTime();
const at = (day: number, hour: number) => new Date(2026, 10, day, hour, 4, 5).getTime();
const record = (id: string, parts: Partial<RunRecord> = {}): RunRecord => ({
  id,
  server: 'demo',
  tool: 'echo',
  arguments: { message: 'hi' },
  omitted: [],
  startedAt: at(21, 10),
  durationMs: 84,
  outcome: 'done',
  summary: 'Echo: hi',
  textLength: 8,
  ...parts,
});

const lists = {
  favourites: [{ id: 'f', name: 'Say hi', server: 'demo', tool: 'echo', arguments: {}, omitted: ['password'] }],
  runs: [
    record('a'),
    record('b', { outcome: 'error', tool: 'fail', summary: 'no\nsuch \u202ething', durationMs: 65_000 }),
    record('c', { outcome: 'cancelled', startedAt: at(20, 9), summary: '' }),
    record('d', { outcome: 'failed', startedAt: at(3, 9) }),
  ],
};

test('favorites come first, then the days with their runs, newest first', () => {
  assert.equal(
    drawNodes(runNodes(lists, now, 'en-GB')),
    [
      '(star-full) Favorites  1',
      '  (star-empty) Say hi  demo · echo',
      '(history) Today  2',
      '  (pass) echo  demo · message: hi · 84 ms · Echo: hi',
      '  (error) fail  demo · message: hi · no such \\u{202e}thing · 1 min',
      '(history) Yesterday  1',
      '  (circle-slash) echo  demo · message: hi · 84 ms',
      '(history) 3 Nov 2026  1',
      '  (error) echo  demo · message: hi · Echo: hi · 84 ms',
    ].join('\n'),
  );
});

test('every line has an accessible label for what its icon shows', () => {
  const spoken = runNodes(lists, now, 'en-GB').flatMap((group) => group.children?.().map((node) => node.spokenLabel));
  assert.deepEqual(spoken.slice(0, 4), [
    'Say hi, favorite: echo of demo',
    'echo of demo, done, 10:04:05, took 84 ms, message: hi',
    'fail of demo, the tool reported an error, 10:04:05, took 1 min, message: hi',
    'echo of demo, canceled, 09:04:05, took 84 ms, message: hi',
  ]);
});

test('the tooltip shows the call, and names the values that were not stored', () => {
  const [favourites, today] = runNodes(lists, now, 'en-GB');
  assert.match(
    favourites?.children?.()[0]?.tooltip?.(now) ?? '',
    /These arguments are not stored, so you are asked for them again: `password`/,
  );
  assert.match(today?.children?.()[0]?.tooltip?.(now) ?? '', /`\{ "message": "hi" \}`/);
});

test('a time of another day has its date', () => {
  assert.deepEqual(
    [runTime(at(21, 10), now, 'en-GB'), runTime(at(20, 10), now, 'en-GB')],
    ['10:04:05', '20/11/2026, 10:04:05'],
  );
});

test('the view is empty before the first run, so that its welcome text appears', () => {
  assert.deepEqual(runNodes({ runs: [], favourites: [] }, now, 'en'), []);
});

test('a filter keeps the runs that contain every word in the server, tool, outcome, arguments or result', () => {
  const ids = (filter: string) => {
    const { runs, favourites } = filterRuns(lists, filter);
    return [...favourites, ...runs].map(({ id }) => id).join('');
  };
  assert.deepEqual(['', 'FAIL demo', 'canceled', 'error tool', 'hi echo', 'say', 'nothing'].map(ids), [
    'fabcd',
    'bd',
    'c',
    'b',
    'facd',
    'f',
    '',
  ]);
});

test('a line in the panel of a tool has the time, and a detail with the outcome and the time', () => {
  assert.deepEqual(runLine(record('a', { outcome: 'error' }), now, 'en-GB'), {
    label: 'message: hi',
    detail: 'the tool reported an error · 10:04:05',
    time: '10:04:05',
    icon: 'error',
  });
});

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { Snapshots } from '../../../src/core/testing/snapshots.js';

function place(t: TestContext): { file: string; stored: string } {
  const folder = mkdtempSync(path.join(tmpdir(), 'mcp-deck-snapshots-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return { file: path.join(folder, 'a.mcptest.yaml'), stored: path.join(folder, 'a.snap.json') };
}

test('a snapshot has sorted names, no ignored values, no secrets, and no fields of one era', async (t) => {
  const { file, stored } = place(t);
  const updating = await Snapshots.open(file, true, () => ['geheim']);
  const result = JSON.parse(
    '{"b":[1,{"time":2,"z":3},"a geheim text"],"a":{"__proto__":{"time":1,"kept":true}},"_meta":{},"geheim":null}',
  ) as object;
  assert.equal(await updating.compare('one', result, ['$..time', '$.b[0]']), undefined);
  await updating.save(true);
  const [value] = Object.values(JSON.parse(readFileSync(stored, 'utf8')) as object) as [object];
  assert.equal(JSON.stringify(value), '{"a":{"__proto__":{"kept":true}},"b":[{"z":3},"a ••• text"],"•••":null}');
  const reading = await Snapshots.open(file, false, () => ['geheim']);
  assert.equal(await reading.compare('one', result, ['$..time', '$.b[0]']), undefined);
  assert.match((await reading.compare('one', result, ['$..time']))?.message ?? '', /differs/);
  assert.match((await reading.compare('two', result, []))?.message ?? '', /There is no snapshot/);
});

test('[CLI2] a large result is read in turns and only up to the limit, and can be stored without its large part', async (t) => {
  const { file } = place(t);
  const snapshots = await Snapshots.open(file, true, () => ['geheim']);
  const rows = Array.from({ length: 300_000 }, (_, at) => ({ at, text: 'geheim' }));
  const tooLarge = await snapshots.compare('rows', { rows, total: 1 }, []);
  assert.match(tooLarge?.message ?? '', /more than 200,?000 characters/);
  assert.equal(await snapshots.compare('total', { rows, total: 1 }, ['$.rows']), undefined);
  let turns = 0;
  let isOver = false;
  const other = () => {
    turns++;
    if (!isOver) setImmediate(other);
  };
  setImmediate(other);
  for (let at = 0; at < 20; at++)
    assert.equal(await snapshots.compare(`small ${at}`, { rows: rows.slice(0, 6_000), total: 1 }, []), undefined);
  isOver = true;
  assert.ok(turns > 1, `${turns} turns of other work`);
});

test('[CLI2] snapshots whose file would be too large are not written, and deep ones are read again', async (t) => {
  const { file, stored } = place(t);
  let deep: unknown = Array.from({ length: 90_000 }, () => 1);
  for (let at = 0; at < 200; at++) deep = [deep];
  const updating = await Snapshots.open(file, true, () => []);
  assert.equal(await updating.compare('small', { deep: [[[1]]] }, []), undefined);
  for (let at = 0; at < 6; at++) assert.equal(await updating.compare(`large ${at}`, { deep }, []), undefined);
  await assert.rejects(updating.save(true), /larger than 5 MB/);
  assert.equal(existsSync(stored), false);
  const smaller = await Snapshots.open(file, true, () => []);
  let narrow: unknown = [1, 2];
  for (let at = 0; at < 200; at++) narrow = [narrow];
  assert.equal(await smaller.compare('one', { narrow }, []), undefined);
  await smaller.save(true);
  const reading = await Snapshots.open(file, false, () => []);
  assert.equal(await reading.compare('one', { narrow }, []), undefined);
});

test('[CLI2] a stored snapshot of any depth differs and does not end the run', async (t) => {
  const { file, stored } = place(t);
  writeFileSync(stored, `{"one":${'['.repeat(100_000)}${']'.repeat(100_000)}}`);
  const snapshots = await Snapshots.open(file, false, () => []);
  let deep: unknown = 1;
  for (let at = 0; at < 5_000; at++) deep = [deep];
  assert.match((await snapshots.compare('one', { deep }, []))?.message ?? '', /differs/);
  writeFileSync(stored, `{"one":"${'x'.repeat(6_000_000)}"}`);
  await assert.rejects(Snapshots.open(file, false, () => []));
});

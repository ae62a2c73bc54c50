import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import type { AuditFile } from '../../../src/core/consent/auditLog.js';
import { AuditLog } from '../../../src/core/consent/auditLog.js';
import { AuditFolder } from '../../../src/vscode/ui/auditFolder.js';
import { HistoryFolder } from '../../../src/vscode/adapters/historyFolder.js';
import { ManualClock } from '../../support/manualClock.js';

class Disk implements AuditFile {
  text = '';
  isFull = false;

  append(text: string): Promise<number> {
    if (this.isFull)
      return Promise.reject(Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }));
    this.text += text;
    return Promise.resolve(this.text.length);
  }

  rotate(): Promise<void> {
    return Promise.resolve();
  }
}

const record = (server: string) => ({ event: 'sign-out', server }) as const;
const servers = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { event: string; server?: string; count?: number });

describe('[K2] the audit log and a full disk', () => {
  test('records that a full disk refused are written in order when it has space, and the failure is reported once', async () => {
    const disk = new Disk();
    const failures: unknown[] = [];
    const log = new AuditLog(disk, (error) => failures.push(error), { clock: new ManualClock() });
    log.note(record('a'));
    await log.flushed();
    disk.isFull = true;
    for (const server of ['b', 'c', 'd']) log.note(record(server));
    await log.flushed();
    assert.deepEqual(
      servers(disk.text).map(({ server }) => server),
      ['a'],
    );
    disk.isFull = false;
    log.note(record('e'));
    await log.flushed();
    assert.deepEqual(
      servers(disk.text).map(({ server }) => server),
      ['a', 'b', 'c', 'd', 'e'],
    );
    assert.equal(failures.length, 1);
  });

  test('the waiting records are written even if no further record arrives', async () => {
    const disk = new Disk();
    const clock = new ManualClock();
    const log = new AuditLog(disk, () => undefined, { clock });
    disk.isFull = true;
    log.note(record('a'));
    await log.flushed();
    disk.isFull = false;
    await clock.advance(60_000);
    await log.flushed();
    assert.deepEqual(
      servers(disk.text).map(({ server }) => server),
      ['a'],
    );
  });

  test('beyond the limit of waiting records the oldest are dropped and a record gives their number', async () => {
    const disk = new Disk();
    const log = new AuditLog(disk, () => undefined, { clock: new ManualClock(), maxWaiting: 1_000 });
    disk.isFull = true;
    for (let count = 0; count < 100; count++) {
      log.note(record(String(count)));
      await log.flushed();
    }
    disk.isFull = false;
    log.note(record('last'));
    await log.flushed();
    const [first, ...rest] = servers(disk.text);
    assert.equal(first?.event, 'records-lost');
    assert.equal((first?.count ?? 0) + rest.length, 101);
    assert.deepEqual(
      rest.map(({ server }) => server),
      [...Array.from({ length: rest.length - 1 }, (_, index) => String(100 - rest.length + 1 + index)), 'last'],
    );
  });
});

test('[K2] the audit log and the history of runs recover when their folder can be created later', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'deck-recover-'));
  try {
    const blocked = path.join(folder, 'storage');
    await writeFile(blocked, 'a file stands where the folder should be');
    const audit = new AuditFolder(blocked);
    const history = new HistoryFolder(blocked);
    await assert.rejects(audit.append('{}\n'));
    await assert.rejects(history.writeIndex('{}'));
    await rm(blocked);
    await audit.append('{"a":1}\n');
    await history.writeIndex('{"b":1}');
    assert.equal(await readFile(audit.file, 'utf8'), '{"a":1}\n');
    assert.equal(await history.readIndex(), '{"b":1}');
    await rm(blocked, { recursive: true });
    await history.writeIndex('{"b":2}');
    assert.equal(await history.readIndex(), '{"b":2}', 'also when it was removed in the meantime');
  } finally {
    await rm(folder, { recursive: true });
  }
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ManualClock } from '../../support/manualClock.js';
import { AuditLog } from '../../../src/core/consent/auditLog.js';
import type { CallRecord } from '../../../src/core/consent/audit.js';
import { admit, open } from './openConsent.js';

describe('the audit log', () => {
  test('records the caller, the call, the decision and the outcome', async () => {
    const made = open({ user: [{ effect: 'allow', tool: 'echo', callers: ['app'] }], answer: { effect: 'deny' } });
    (await admit(made, { caller: 'app' })).finish('tool-error');
    await assert.rejects(admit(made));
    const [first, second] = (await made.entries()) as CallRecord[];
    assert.deepEqual(
      [first?.caller, first?.decidedBy, first?.rule, first?.outcome, first?.arguments],
      ['app', 'rule', 'allow "echo" of any server for app', 'tool-error', '{"text":"hi"}'],
    );
    assert.deepEqual(
      [second?.caller, second?.effect, second?.decidedBy, second?.outcome],
      ['model', 'deny', 'user', 'refused'],
    );
  });

  test("[S2, S3] contains no secret of arguments or of the server's environment", async () => {
    const made = open({ answer: { effect: 'allow' } });
    const values = { token: 'abc123', deep: { list: ['x s3cr"et y'] } };
    (await admit(made, { arguments: values, secretArguments: new Set(['token']), secrets: ['s3cr"et'] })).finish('ok');
    const [entry] = (await made.entries()) as CallRecord[];
    assert.equal(entry?.arguments, '{"token":"•••","deep":{"list":["x ••• y"]}}');
    assert.doesNotMatch(made.lines.join(''), /abc123|s3cr/);
  });

  test('[S2] limits every text and list of a record, and masks known secrets', async () => {
    const made = open();
    made.audit.note(
      {
        event: 'server-added',
        servers: Array.from({ length: 5_000 }, (_, i) => `s${i}`),
        to: `x hunter2 ${'y'.repeat(100_000)}`,
        caller: 'user',
        outcome: 'allowed',
      },
      ['hunter2'],
    );
    await made.entries();
    assert.ok(made.lines.join('').length < 5_000);
    assert.match(made.lines.join(''), /x ••• yyy/);
  });

  test('is written in few pieces and in order, and at once if a caller waits for it or it is disposed', async () => {
    const clock = new ManualClock();
    const pieces: string[] = [];
    const log = new AuditLog(
      { append: (text) => Promise.resolve(pieces.push(text)), rotate: () => Promise.resolve() },
      () => undefined,
      { clock },
    );
    const note = (tool: string) => log.note({ event: 'call', caller: 'user', server: 's', tool, arguments: '{}' });
    const tools = () => pieces.map((piece) => [...piece.matchAll(/"tool":"(.)"/g)].map((match) => match[1]).join(''));
    note('a');
    note('b');
    await clock.advance(0);
    note('c');
    note('d');
    await clock.advance(49);
    assert.deepEqual(tools(), ['ab']);
    await clock.advance(1);
    assert.deepEqual(tools(), ['ab', 'cd']);
    note('e');
    await log.flushed();
    assert.deepEqual(tools(), ['ab', 'cd', 'e']);
    note('f');
    log.dispose();
    await log.flushed();
    assert.deepEqual([tools(), clock.pending], [['ab', 'cd', 'e', 'f'], 0]);
  });

  test('is rotated at its size limit, and a full disk does not prevent calls', async () => {
    let size = 0;
    let rotations = 0;
    const failures: unknown[] = [];
    const file = {
      append: (text: string) =>
        text.includes('full') ? Promise.reject(new Error('ENOSPC')) : Promise.resolve((size += text.length)),
      rotate: () => {
        size = 0;
        rotations++;
        return Promise.resolve();
      },
    };
    const log = new AuditLog(file, (error) => failures.push(error), { maxBytes: 1_000 });
    const note = (tool: string) => log.note({ event: 'call', caller: 'user', server: 's', tool, arguments: '{}' });
    for (let i = 0; i < 100; i++) note('x'.repeat(50));
    note('full');
    note('full');
    note('last');
    await log.flushed();
    assert.ok(rotations > 5 && size < 1_200);
    assert.equal(failures.length, 1);
  });
});

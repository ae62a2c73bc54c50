import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Deferred } from '../../../src/core/base/deferred.js';
import { HostError, isCancelled } from '../../../src/core/base/hostError.js';
import type { CallToolResult } from '../../../src/core/protocol/mcp.js';
import { outputMisfit, resultOf, UserRun } from '../../../src/core/runs/userRun.js';
import type { RunChange, RunEnd, RunReports, UserRunOptions } from '../../../src/core/runs/userRun.js';
import { ManualClock } from '../../support/manualClock.js';

const done: CallToolResult = { content: [{ type: 'text', text: 'done' }] };
const progress = (count: number) => ({ progressToken: 1, progress: count });

/** A run with its records and changes. */
function watched(parts: Partial<UserRunOptions<CallToolResult>> = {}) {
  const clock = new ManualClock();
  const records: RunEnd<CallToolResult>[] = [];
  const changes: RunChange[] = [];
  const run = new UserRun<CallToolResult>({
    clock,
    perform: () => Promise.resolve(done),
    resultIn: outputMisfit,
    record: (end) => {
      records.push(end);
      return { previous: { id: 'before', isSame: true, canCompare: true, startedAt: 1 } };
    },
    ...parts,
  });
  run.onDidChange((change) => changes.push(change));
  return { run, clock, records, changes };
}

/** A pending call: its arguments, and functions that resolve or reject it. It rejects when it is canceled. */
function waitingCall() {
  const answer = new Deferred<CallToolResult>();
  const asked = new Deferred<RunReports>();
  const perform = (reports: RunReports) => {
    reports.signal.addEventListener('abort', () => answer.reject(reports.signal.reason), { once: true });
    asked.resolve(reports);
    return answer.promise;
  };
  return { perform, answer, asked: asked.promise };
}

describe('a run and its states', () => {
  test('is starting while its server starts, running during the call, and done with the result and the duration', async () => {
    const started = new Deferred<void>();
    const call = waitingCall();
    const { run, clock, changes } = watched({ start: () => started.promise, perform: call.perform });
    const states = [run.state.kind];
    const ending = run.run();
    states.push(run.state.kind);
    await clock.advance(30);
    started.resolve();
    await call.asked;
    states.push(run.state.kind);
    await clock.advance(12);
    call.answer.resolve(done);
    const end = await ending;
    states.push(run.state.kind);
    assert.deepEqual(states, ['starting', 'starting', 'running', 'done']);
    assert.deepEqual(end, { kind: 'done', result: done, problems: [], durationMs: 42 });
    assert.equal(run.outcome, end);
    assert.deepEqual(changes, [{ kind: 'state' }, { kind: 'state' }]);
  });

  test('passes on the reports of the call, and keeps the latest progress', async () => {
    const line = { level: 'info', text: 'hello' } as const;
    const remark = { kind: 'stderr' } as const;
    const { run, changes } = watched({
      perform: ({ onProgress, onLog, onRemark, onAsk }) => {
        onAsk(true);
        onProgress(progress(1));
        onLog(line);
        onProgress(progress(2));
        onRemark(remark);
        return Promise.resolve(done);
      },
    });
    await run.run();
    assert.deepEqual(changes, [
      { kind: 'state' },
      { kind: 'waiting', isWaiting: true },
      { kind: 'progress', progress: progress(1) },
      { kind: 'line', line },
      { kind: 'progress', progress: progress(2) },
      { kind: 'remark', remark },
      { kind: 'state' },
    ]);
    assert.deepEqual(run.progress, progress(2));
  });

  test('has ended and is recorded when its last change is reported', async () => {
    const { run, records } = watched();
    const seen: unknown[] = [];
    run.onDidChange(() => seen.push([run.outcome?.kind, records.length, run.recorded.previous?.id]));
    await run.run();
    assert.deepEqual(seen, [
      [undefined, 0, undefined],
      ['done', 1, 'before'],
    ]);
  });

  test('reports nothing after its end', async () => {
    let reports: RunReports | undefined;
    const { run, changes, records } = watched({
      perform: (given) => Promise.resolve(done).finally(() => (reports = given)),
    });
    const end = await run.run();
    const count = changes.length;
    reports?.onProgress(progress(9));
    reports?.onLog({ level: 'info', text: 'late' });
    reports?.onOutputProblems(['late']);
    run.cancel();
    assert.deepEqual(
      [changes.length, run.progress, run.outcome, records, reports?.signal.aborted],
      [count, undefined, end, [end], false],
    );
    assert.deepEqual(end, { kind: 'done', result: done, problems: [], durationMs: 0 });
  });

  test('runs once, even if started several times', async () => {
    let calls = 0;
    const { run, records } = watched({
      perform: () => {
        calls++;
        return Promise.resolve(done);
      },
    });
    const [one, two] = await Promise.all([run.run(), run.run()]);
    assert.deepEqual([calls, records.length, one === two, one === (await run.run())], [1, 1, true, true]);
  });

  test('has a unique id that is a valid file name', () => {
    const [one, two] = [watched().run, watched().run];
    assert.notEqual(one.id, two.id);
    assert.match(one.id, /^[\w-]{1,64}$/);
  });
});

describe('a run and its record', () => {
  const failure = new HostError('timeout', 'The server did not answer.');
  const misfit = new HostError('invalid-message', 'The output does not fit.', {
    data: { result: done, problems: ['/a is missing'] },
  });
  const denied = new HostError('call-refused', 'You denied it.', { data: { tool: 'echo', by: 'user' } });
  const unanswered = new HostError('cancelled', 'No answer.', { data: { isUnanswered: true } });
  const ends: { title: string; parts: Partial<UserRunOptions<CallToolResult>>; expected: RunEnd<CallToolResult> }[] = [
    { title: 'a result', parts: {}, expected: { kind: 'done', result: done, problems: [], durationMs: 0 } },
    {
      title: 'a result with isError',
      parts: { perform: () => Promise.resolve({ ...done, isError: true }) },
      expected: { kind: 'done', result: { ...done, isError: true }, problems: [], durationMs: 0 },
    },
    {
      title: 'a failed call',
      parts: { perform: () => Promise.reject(failure) },
      expected: { kind: 'failed', error: failure, durationMs: 0 },
    },
    {
      title: 'a call that throws before it returns a promise',
      parts: {
        perform: () => {
          throw failure;
        },
      },
      expected: { kind: 'failed', error: failure, durationMs: 0 },
    },
    {
      title: 'a failed start',
      parts: { start: () => Promise.reject(failure), perform: () => assert.fail('It was called.') },
      expected: { kind: 'failed', error: failure, isUnsent: true, durationMs: 0 },
    },
    {
      title: 'a call that the user denied, and that was not sent,',
      parts: { perform: () => Promise.reject(denied) },
      expected: { kind: 'failed', error: denied, isUnsent: true, durationMs: 0 },
    },
    {
      title: 'a call that the user did not answer the question about, and that was not sent,',
      parts: { perform: () => Promise.reject(unanswered) },
      expected: { kind: 'cancelled', error: unanswered, isUnsent: true, durationMs: 0 },
    },
    {
      title: 'a result whose problems are reported',
      parts: {
        perform: ({ onOutputProblems }) => {
          onOutputProblems(['/a is missing']);
          return Promise.resolve(done);
        },
      },
      expected: { kind: 'done', result: done, problems: ['/a is missing'], durationMs: 0 },
    },
    {
      title: 'a result inside an error about its output schema',
      parts: { perform: () => Promise.reject(misfit) },
      expected: { kind: 'done', result: done, problems: ['/a is missing'], error: misfit, durationMs: 0 },
    },
  ];
  for (const { title, parts, expected } of ends) {
    test(`ends with ${title} in one record`, async () => {
      const { run, records } = watched(parts);
      assert.deepEqual(await run.run(), expected);
      assert.deepEqual(records, [expected]);
    });
  }

  test('ends as canceled in one record, without the call, when it is canceled before it starts', async () => {
    const { run, records, changes } = watched({
      start: () => assert.fail('It was started.'),
      perform: () => assert.fail('It was called.'),
    });
    run.cancel();
    const end = await run.run();
    assert.deepEqual([end.kind, records, changes], ['cancelled', [end], [{ kind: 'state' }]]);
  });

  test('ends as canceled without the call when it is canceled while its server starts', async () => {
    const started = new Deferred<void>();
    const { run, records } = watched({ start: () => started.promise, perform: () => assert.fail('It was called.') });
    const ending = run.run();
    run.cancel();
    started.resolve();
    const end = await ending;
    assert.deepEqual([end.kind, records], ['cancelled', [end]]);
  });

  test('ends as canceled in one record when it is canceled during the call, even repeatedly', async () => {
    const call = waitingCall();
    const { run, records } = watched({ perform: call.perform, cancelText: 'The request was canceled.' });
    const ending = run.run();
    const { signal } = await call.asked;
    run.cancel();
    run.cancel(new Error('another reason'));
    const end = await ending;
    run.cancel();
    assert.deepEqual([end.kind, records, run.outcome], ['cancelled', [end], end]);
    assert.ok(isCancelled(signal.reason));
    assert.equal((signal.reason as Error).message, 'The request was canceled.');
  });

  test('is canceled with the signal of its caller, even one that is already aborted', async () => {
    const reason = new HostError('cancelled', 'The user closed the page.');
    const controller = new AbortController();
    const call = waitingCall();
    const one = watched({ perform: call.perform });
    one.run.cancelWith(controller.signal);
    const ending = one.run.run();
    await call.asked;
    controller.abort(reason);
    const other = watched({ perform: () => assert.fail('It was called.') });
    other.run.cancelWith(controller.signal);
    const ends = await Promise.all([ending, other.run.run()]);
    assert.deepEqual(
      ends.map((end) => [end.kind, end.kind === 'done' ? undefined : end.error]),
      [
        ['cancelled', reason],
        ['cancelled', reason],
      ],
    );
  });

  test('is not recorded twice when recording fails, and the error is reported', async () => {
    const errors: unknown[] = [];
    const broken = new Error('The record is broken.');
    let calls = 0;
    const { run } = watched({
      record: () => {
        calls++;
        throw broken;
      },
      onRecordError: (error) => errors.push(error),
    });
    const end = await run.run();
    assert.deepEqual([end.kind, calls, errors, run.recorded], ['done', 1, [broken], {}]);
  });

  test('needs no record', async () => {
    const run = new UserRun<string>({ perform: () => Promise.resolve('messages') });
    assert.deepEqual([resultOf(await run.run()), run.recorded], ['messages', {}]);
  });
});

test('reading the result of a run throws its error if it has no result, or an invalid one', async () => {
  const misfit = new HostError('invalid-message', 'The output does not fit.', { data: { result: done, problems: [] } });
  const failure = new HostError('timeout', 'The server did not answer.');
  for (const error of [misfit, failure]) {
    const { run } = watched({ perform: () => Promise.reject(error) });
    const end = await run.run();
    assert.throws(
      () => resultOf(end),
      (thrown) => thrown === error,
    );
  }
});

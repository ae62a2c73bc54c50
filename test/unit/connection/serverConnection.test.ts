import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Backoff } from '../../../src/core/base/backoff.js';
import { Deferred } from '../../../src/core/base/deferred.js';
import { HostError } from '../../../src/core/base/hostError.js';
import type { Attempt } from '../../../src/core/connection/serverConnection.js';
import { ServerConnection } from '../../../src/core/connection/serverConnection.js';
import { ManualClock, settle } from '../../support/manualClock.js';

class FakeAttempt implements Attempt {
  readonly closed = new Deferred<void>();
  isClosed = false;
  kills = 0;
  private listener: ((reason?: Error) => void) | undefined;

  whenClosed(listener: (reason?: Error) => void) {
    this.listener = listener;
    return { dispose: () => undefined };
  }

  close(): Promise<void> {
    this.isClosed = true;
    return this.closed.promise;
  }

  kill(): void {
    this.kills++;
    this.closed.resolve();
  }

  crash(reason?: Error): void {
    this.closed.resolve();
    this.listener?.(reason);
  }

  /** Ends, but keeps a remainder until `closed` is resolved. */
  die(): void {
    this.listener?.();
  }
}

function make(restarts = false, mayComeBack?: (error: unknown) => boolean) {
  const clock = new ManualClock();
  const attempts: FakeAttempt[] = [];
  const states: string[] = [];
  const hooks: { open: (signal: AbortSignal) => Promise<FakeAttempt> } = {
    open: () => {
      const attempt = new FakeAttempt();
      attempts.push(attempt);
      return Promise.resolve(attempt);
    },
  };
  /** The request of each attempt, with those of the callers that joined it. */
  const requests: string[] = [];
  const connection = new ServerConnection<FakeAttempt, 'user' | 'automatic'>({
    open: (request, signal) => {
      requests.push(request);
      return hooks.open(signal);
    },
    automatic: () => 'automatic',
    join: (underWay, joining) => requests.push(`${joining} joined ${underWay}`),
    onDidChange: (state) => states.push(state.kind),
    restartsOnCrash: () => restarts,
    ...(mayComeBack ? { mayComeBack } : {}),
    clock,
    backoff: new Backoff({ random: () => 1 }),
  });
  return { connection, attempts, states, clock, hooks, requests };
}

test('[P9] concurrent starts create one instance', async () => {
  const { connection, attempts } = make();
  const all = await Promise.all([connection.start('user'), connection.start('user'), connection.start('user')]);
  assert.deepEqual([attempts.length, new Set(all).size], [1, 1]);
});

test('the server is stopped only after its instance has ended', async () => {
  const { connection, attempts, states } = make();
  await connection.start('user');
  const stopping = connection.stop();
  assert.equal(connection.state.kind, 'stopping');
  attempts[0]?.closed.resolve();
  await stopping;
  assert.deepEqual(states, ['starting', 'running', 'stopping', 'stopped']);
});

test('a second stop forces the end', async () => {
  const { connection, attempts } = make();
  await connection.start('user');
  void connection.stop();
  await connection.stop();
  assert.equal(attempts[0]?.kills, 1);
});

test('[P9] a restart waits until the old instance has ended', async () => {
  const { connection, attempts } = make();
  await connection.start('user');
  const restarted = connection.stop().then(() => connection.start('user'));
  await settle();
  assert.equal(attempts.length, 1);
  attempts[0]?.closed.resolve();
  await restarted;
  assert.equal(attempts.length, 2);
});

test('a start during a stop waits for it', async () => {
  const { connection, attempts } = make();
  await connection.start('user');
  void connection.stop();
  const started = connection.start('user');
  await settle();
  assert.equal(attempts.length, 1);
  attempts[0]?.closed.resolve();
  await started;
  assert.deepEqual([attempts.length, connection.state.kind], [2, 'running']);
});

test('a stop during a start aborts it, and the start rejects with the reason', async () => {
  const { connection, hooks, states } = make();
  hooks.open = (signal) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const started = assert.rejects(connection.start('user'), { code: 'cancelled' });
  await settle();
  await connection.stop();
  await started;
  assert.deepEqual(states, ['starting', 'stopping', 'stopped']);
});

test('an instance that opens after the stop is closed', async () => {
  const { connection, hooks } = make();
  const opened = new Deferred<FakeAttempt>();
  hooks.open = () => opened.promise;
  const started = assert.rejects(connection.start('user'), { code: 'cancelled' });
  await settle();
  const stopping = connection.stop();
  const late = new FakeAttempt();
  late.closed.resolve();
  opened.resolve(late);
  await Promise.all([started, stopping]);
  assert.deepEqual([late.isClosed, connection.state.kind], [true, 'stopped']);
});

describe('a failed start', () => {
  test('[P8, Y2] sets the state and its reason, and is not retried', async () => {
    const { connection, hooks, clock } = make(true);
    hooks.open = () => Promise.reject(new HostError('spawn-failed', 'no such command', { data: { command: 'x' } }));
    await assert.rejects(connection.start('user'), { code: 'spawn-failed' });
    await clock.advance(600_000);
    assert.equal(connection.state.kind === 'failed' && connection.state.error.message, 'no such command');
  });

  test('due to missing trust waits for the user', async () => {
    const { connection, hooks } = make();
    hooks.open = () => Promise.reject(new HostError('not-trusted', 'review it'));
    await assert.rejects(connection.start('user'), { code: 'not-trusted' });
    assert.ok(connection.state.kind === 'needsTrust' && connection.state.error.message === 'review it');
  });
});

describe('after a crash', () => {
  test('the server is failed with the reason and stays so when restarts are off', async () => {
    const { connection, attempts } = make(false);
    await connection.start('user');
    attempts[0]?.crash(new HostError('exited', 'code 1'));
    assert.equal(connection.state.kind === 'failed' && connection.state.error.message, 'code 1');
  });

  test('it is restarted after a growing pause', async () => {
    const { connection, attempts, clock } = make(true);
    await connection.start('user');
    attempts[0]?.crash();
    await clock.advance(999);
    assert.equal(attempts.length, 1);
    await clock.advance(1);
    assert.deepEqual([attempts.length, connection.state.kind], [2, 'running']);
    attempts[1]?.crash();
    await clock.advance(1_999);
    assert.equal(attempts.length, 2);
    await clock.advance(1);
    assert.equal(attempts.length, 3);
  });

  test('[P8, W5] the fifth restart within three minutes is the last one until a manual start', async () => {
    const { connection, attempts, clock } = make(true);
    await connection.start('user');
    for (let i = 0; i < 5; i++) {
      attempts[i]?.crash(new HostError('exited', 'boom.'));
      await clock.advance(20_000);
    }
    assert.deepEqual([attempts.length, connection.state.kind], [5, 'failed']);
    await connection.start('user');
    assert.deepEqual([attempts.length, connection.state.kind], [6, 'running']);
  });

  test('a stop cancels the scheduled restart', async () => {
    const { connection, attempts, clock } = make(true);
    await connection.start('user');
    attempts[0]?.crash();
    await connection.stop();
    await clock.advance(60_000);
    assert.deepEqual([attempts.length, connection.state.kind], [1, 'stopped']);
  });

  test('[P9] no new instance starts before the remainder of the old one has ended', async () => {
    const { connection, attempts } = make();
    await connection.start('user');
    attempts[0]?.die();
    const started = connection.start('user');
    await settle();
    assert.equal(attempts.length, 1);
    attempts[0]?.closed.resolve();
    await started;
    assert.deepEqual([attempts.length, connection.state.kind], [2, 'running']);
  });

  test('[Y4] a stop waits until the remainder of the old instance has ended, and no instance starts again', async () => {
    const { connection, attempts, clock, states } = make(true);
    await connection.start('user');
    attempts[0]?.die();
    await clock.advance(1_000);
    let isStopped = false;
    const stopping = connection.stop().then(() => (isStopped = true));
    await settle();
    assert.equal(isStopped, false);
    attempts[0]?.closed.resolve();
    await stopping;
    await clock.advance(60_000);
    assert.deepEqual([attempts.length, states.slice(-2)], [1, ['stopping', 'stopped']]);
  });

  test('[Y4] a second stop kills the remainder of an instance that ended by itself', async () => {
    const { connection, attempts } = make();
    await connection.start('user');
    attempts[0]?.die();
    void connection.stop();
    await connection.stop();
    assert.equal(attempts[0]?.kills, 1);
  });

  test('the pauses start again when the previous crash was long ago', async () => {
    const { connection, attempts, clock } = make(true);
    await connection.start('user');
    for (let i = 0; i < 3; i++) {
      attempts[i]?.crash();
      assert.equal(connection.state.kind, 'failed');
      await clock.advance(1_000);
      assert.equal(connection.state.kind, 'running');
      await clock.advance(600_000);
    }
  });
});

test('[Y5] an automatic restart has its own request, and a caller that joins it is passed on', async () => {
  const { connection, attempts, clock, hooks, requests } = make(true);
  await connection.start('user');
  const opened = new Deferred<FakeAttempt>();
  hooks.open = () => opened.promise;
  attempts[0]?.crash();
  await settle();
  await clock.advance(2_000);
  const joined = connection.start('user');
  opened.resolve(new FakeAttempt());
  await joined;
  assert.deepEqual(requests, ['user', 'automatic', 'user joined automatic']);
});

describe('[Y1] a restart that fails', () => {
  const refused = new HostError('connection-refused', 'Nothing listens there.');

  /** A server that ran, was lost, and is down for `tries` restarts. */
  async function lose(tries: number, mayComeBack?: (error: unknown) => boolean) {
    const made = make(true, mayComeBack);
    const { connection, attempts, hooks } = made;
    await connection.start('user');
    const { open } = hooks;
    let left = tries;
    hooks.open = (signal) => (left-- > 0 ? Promise.reject(refused) : open(signal));
    attempts[0]?.crash(new HostError('closed', 'lost'));
    return made;
  }

  test('is retried with growing pauses until the server is back', async () => {
    const { connection, clock, states } = await lose(4, () => true);
    await clock.advance(1_000 + 2_000 + 4_000 + 8_000 + 15_999);
    assert.equal(connection.state.kind === 'failed' && connection.state.error, refused);
    await clock.advance(1);
    assert.deepEqual([connection.state.kind, states.filter((kind) => kind === 'starting').length], ['running', 6]);
  });

  test('is final if the server cannot come back', async () => {
    const { connection, clock } = await lose(1, () => false);
    await clock.advance(600_000);
    assert.deepEqual(connection.state.kind === 'failed' && [connection.state.error, connection.state.retryAt], [
      refused,
      undefined,
    ]);
  });

  test('is not retried after a stop', async () => {
    const { connection, clock, states } = await lose(10, () => true);
    await clock.advance(2_000);
    await connection.stop();
    const before = states.length;
    await clock.advance(600_000);
    assert.deepEqual([connection.state.kind, states.length], ['stopped', before]);
  });
});

describe('[Y1] a start during the pause before an automatic restart', () => {
  const refused = new HostError('connection-refused', 'Nothing listens there.');

  /** A server that ran, was lost, and refuses the first `tries` attempts to restart it. */
  async function lose(
    tries: number,
    { error = refused, mayComeBack = true }: { error?: HostError; mayComeBack?: boolean } = {},
  ) {
    const made = make(true, () => mayComeBack);
    const { connection, attempts, hooks } = made;
    await connection.start('user');
    const { open } = hooks;
    let left = tries;
    hooks.open = (signal) => (left-- > 0 ? Promise.reject(error) : open(signal));
    attempts[0]?.crash(new HostError('closed', 'lost'));
    return made;
  }

  test('makes an attempt at once', async () => {
    const { connection, attempts } = await lose(0);
    await connection.start('user');
    assert.deepEqual([attempts.length, connection.state.kind], [2, 'running']);
  });

  test('keeps the scheduled restart when it fails', async () => {
    const { connection, clock } = await lose(1);
    await clock.advance(400);
    await assert.rejects(connection.start('user'), refused);
    assert.equal(connection.state.kind === 'failed' && connection.state.retryAt !== undefined, true);
    await clock.advance(599);
    assert.equal(connection.state.kind, 'failed');
    await clock.advance(1);
    assert.equal(connection.state.kind, 'running');
  });

  test('keeps the single scheduled restart of a process, too', async () => {
    const { connection, clock } = await lose(1, { mayComeBack: false });
    await assert.rejects(connection.start('user'), refused);
    await clock.advance(1_000);
    assert.equal(connection.state.kind, 'running');
  });

  test('does not shorten the pauses that follow, no matter how often it fails', async () => {
    const { connection, clock, states } = await lose(23);
    for (let i = 0; i < 20; i++) await assert.rejects(connection.start('user'), refused);
    await clock.advance(1_000 + 2_000 + 4_000 + 7_999);
    assert.deepEqual(
      [connection.state.kind, states.filter((kind) => kind === 'starting').length],
      ['failed', 1 + 20 + 3],
    );
    await clock.advance(1);
    assert.equal(connection.state.kind, 'running');
  });

  test('is one attempt for any number of callers, and a restart that is due in the meantime joins it', async () => {
    const { connection, clock, hooks, states } = await lose(0);
    const opened = new Deferred<FakeAttempt>();
    hooks.open = () => opened.promise;
    const all = [connection.start('user'), connection.start('user'), connection.start('user')];
    await clock.advance(5_000);
    opened.resolve(new FakeAttempt());
    assert.equal(new Set(await Promise.all(all)).size, 1);
    assert.equal(states.filter((kind) => kind === 'starting').length, 2);
  });

  test('during a restart joins it and does not change the schedule', async () => {
    const { connection, clock, hooks } = await lose(0);
    const opened = new Deferred<FakeAttempt>();
    hooks.open = () => opened.promise;
    await clock.advance(1_000);
    const joined = assert.rejects(connection.start('user'), refused);
    opened.reject(refused);
    await joined;
    await clock.advance(1_999);
    hooks.open = () => Promise.resolve(new FakeAttempt());
    assert.equal(connection.state.kind, 'failed');
    await clock.advance(1);
    assert.equal(connection.state.kind, 'running');
  });

  test('ends the schedule when the server waits for the user', async () => {
    const { connection, clock } = await lose(1, { error: new HostError('not-trusted', 'review it') });
    await assert.rejects(connection.start('user'), { code: 'not-trusted' });
    await clock.advance(600_000);
    assert.ok(connection.state.kind === 'needsTrust' && connection.state.error.message === 'review it');
  });

  test('[W5] does not lift the limit of crashes', async () => {
    const { connection, attempts } = make(true);
    await connection.start('user');
    for (let i = 0; i < 5; i++) {
      attempts[i]?.crash(new HostError('exited', 'boom.'));
      if (i < 4) await connection.start('user');
    }
    assert.deepEqual([attempts.length, connection.state.kind === 'failed' && connection.state.retryAt], [5, undefined]);
  });
});

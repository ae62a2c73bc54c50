import assert from 'node:assert/strict';
import path from 'node:path';
import { mock, test } from 'node:test';
import { watchSleep } from '../../../src/core/connection/sleepWatch.js';
import { headlessHost } from '../../support/headlessHost.js';
import { ManualClock } from '../../support/manualClock.js';

/** Timers stop while a machine sleeps; its time of day does not. */
function machine() {
  const clock = new ManualClock();
  let asleepMs = 0;
  return { clock, wallClock: () => clock.now() + asleepMs, sleep: (ms: number) => void (asleepMs += ms) };
}

test('[recovery] a sleep is reported once, with the next tick after it', async () => {
  const { clock, wallClock, sleep } = machine();
  let wakes = 0;
  const watch = watchSleep(clock, wallClock, () => wakes++);
  await clock.advance(3_600_000);
  assert.equal(wakes, 0, 'an hour of work is not a sleep');
  sleep(60_000);
  assert.equal(wakes, 0);
  await clock.advance(10_000);
  assert.equal(wakes, 1);
  await clock.advance(60_000);
  assert.equal(wakes, 1);
  sleep(28_800_000);
  await clock.advance(10_000);
  assert.equal(wakes, 2);
  watch.dispose();
  assert.equal(clock.pending, 0);
});

test('a short delay and a clock that is set back are not a sleep', async () => {
  const { clock, wallClock, sleep } = machine();
  let wakes = 0;
  const watch = watchSleep(clock, wallClock, () => wakes++);
  sleep(29_000);
  await clock.advance(10_000);
  sleep(-3_600_000);
  await clock.advance(60_000);
  watch.dispose();
  assert.equal(wakes, 0);
});

test('[recovery] after a sleep every running server is pinged', async () => {
  const { clock, wallClock, sleep } = machine();
  mock.method(Date, 'now', wallClock);
  const server = {
    command: process.execPath,
    args: [path.resolve('test/fixtures/servers/odd.mjs'), 'remember'],
    protocol: 'legacy',
  };
  const { host } = headlessHost({ servers: { a: server, b: server, stopped: server }, clock });
  const pings = async (id: string) => {
    const { content } = await host.calls.runTool({ server: id, tool: 'received' }, { caller: 'user' });
    const text = content.find((block) => block.type === 'text')?.['text'];
    return (JSON.parse(String(text)) as string[][]).filter(([method]) => method === 'ping').length;
  };
  await host.open();
  try {
    await Promise.all(['a', 'b'].map((id) => host.lifecycle.start(id)));
    await clock.advance(20_000);
    assert.deepEqual(await Promise.all(['a', 'b'].map(pings)), [0, 0]);
    sleep(3_600_000);
    await clock.advance(10_000);
    assert.deepEqual(await Promise.all(['a', 'b'].map(pings)), [1, 1]);
    assert.equal(host.servers.get('stopped')?.state.kind, 'stopped');
  } finally {
    await host.close();
    mock.restoreAll();
  }
});

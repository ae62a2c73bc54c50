import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, afterEach, describe, test } from 'node:test';
import type { Clock } from '../../../src/core/base/clock.js';
import { Emitter } from '../../../src/core/base/event.js';
import { AuditLog } from '../../../src/core/consent/auditLog.js';
import { RuleBook } from '../../../src/core/consent/ruleBook.js';
import { ScopedPins, ToolPins } from '../../../src/core/consent/toolPins.js';
import type { CallQuestion } from '../../../src/core/consent/callConsent.js';
import { ToolConsent } from '../../../src/core/consent/toolConsent.js';
import type { Root } from '../../../src/core/protocol/mcp.js';
import type { HostPorts } from '../../../src/core/host/ports.js';
import { headlessHost } from '../../support/headlessHost.js';
import { until } from '../../support/httpUntil.js';

/** What a server process receives from a whole host: features that other tests show only in part. */
const folder = mkdtempSync(path.join(tmpdir(), 'deck-whole-'));
after(() => rmSync(folder, { recursive: true }));
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

interface Received {
  method?: string;
  id?: unknown;
  params?: Record<string, unknown>;
  result?: unknown;
}

let count = 0;

/** A running server with its journal. */
async function started(
  era: 'legacy' | 'modern',
  { definition = {}, ports = {}, clock }: { definition?: object; ports?: Partial<HostPorts>; clock?: Clock } = {},
) {
  const journal = path.join(folder, `${++count}.jsonl`);
  const servers = {
    observed: {
      command: process.execPath,
      args: [path.resolve('test/fixtures/servers/observed.mjs'), journal, era],
      ...definition,
    },
  };
  const { host } = headlessHost({ servers, ports, ...(clock ? { clock } : {}) });
  ends.push(() => host.close());
  await host.open();
  await host.lifecycle.start('observed');
  const received = (method: string): Received[] =>
    (existsSync(journal) ? readFileSync(journal, 'utf8') : '')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Received)
      .filter((message) => message.method === method);
  const call = (tool: string, values: Record<string, unknown> = {}, caller: 'user' | 'model' = 'user') =>
    host.calls.runTool({ server: 'observed', tool, arguments: values }, { caller });
  return { host, received, call };
}

describe('a whole host with a server process', { concurrency: false }, () => {
  test('[roots] a server is notified that the roots changed, and gets the new ones on request', async () => {
    const changed = new Emitter<void>();
    let roots: Root[] = [{ uri: 'file:///one', name: 'one' }];
    const answered: string[] = [];
    const port = {
      roots: () => {
        answered.push(roots.map(({ uri }) => uri).join());
        return roots;
      },
      onDidChange: changed.event,
    };
    const { host, received } = await started('legacy', { ports: { roots: port } });
    await until(() => answered.includes('file:///one'));
    roots = [{ uri: 'file:///two', name: 'two' }];
    changed.fire();
    await until(() => received('notifications/roots/list_changed').length === 1 && answered.at(-1) === 'file:///two');
    assert.deepEqual(host.servers.get('observed')?.roots, roots);
  });

  test('a server with "maxMessagesPerSecond" is sent one second of messages at once, and the rest at that rate', async () => {
    let now = 0;
    const timers: { at: number; run: () => void }[] = [];
    // Time moves only here; the start does not wait for it.
    const clock: Clock = {
      now: () => now,
      after: (ms, run) => {
        const timer = { at: now + ms, run };
        timers.push(timer);
        return { dispose: () => void timers.splice(timers.indexOf(timer) >>> 0, timers.includes(timer) ? 1 : 0) };
      },
    };
    const { received, call } = await started('legacy', { definition: { maxMessagesPerSecond: 20 }, clock });
    const calls = Promise.all(Array.from({ length: 40 }, () => call('write')));
    const advance = () => {
      now += 1_000;
      for (const timer of timers.filter(({ at }) => at <= now)) {
        timers.splice(timers.indexOf(timer), 1);
        timer.run();
      }
    };
    await until(() => received('tools/call').length > 0);
    const sent = received('tools/call').length;
    assert.ok(sent < 20, `${sent} of 40 were sent though the start had used up a part of the second`);
    // Sent messages may arrive later than the clock moves, so all messages since the start are counted.
    for (let seconds = 1; received('tools/call').length < 40; seconds++) {
      const before = received('tools/call').length;
      advance();
      await until(() => received('tools/call').length > before);
      const all = received('tools/call').length;
      assert.ok(all <= 20 * (seconds + 1), `${all} messages went out in ${seconds} seconds`);
    }
    assert.equal((await calls).length, 40);
  });

  /** A clock whose time only changes by `pass`, with real timers. */
  function slowClock(): Clock & { pass(ms: number): void } {
    let now = 1_000_000;
    return {
      now: () => now,
      pass: (ms) => (now += ms),
      after: (ms, run) => ({
        dispose: (
          (timer) => () =>
            clearTimeout(timer)
        )(setTimeout(run, ms)),
      }),
    };
  }

  test('[caching] a call of a tool has the list of tools fetched again when its "ttlMs" has passed', async () => {
    const clock = slowClock();
    const { host, received } = await started('modern', { clock });
    const call = () => host.calls.runTool({ server: 'observed', tool: 'add' }, { caller: 'user' });
    clock.pass(59_999);
    await call();
    assert.equal(received('tools/list').length, 1);
    clock.pass(2);
    await call();
    await until(() => received('tools/list').length === 2);
    // The server has the request, but the client may not have the answer yet, and only an answered list becomes stale.
    await until(() => {
      clock.pass(60_000);
      host.lifecycle.refreshStaleLists();
      return received('tools/list').length === 3;
    });
  });

  test('a cacheable resource of a modern server is read once, and again when its "ttlMs" has passed', async () => {
    const clock = slowClock();
    const { host, received } = await started('modern', { clock });
    const read = async () =>
      JSON.stringify(await host.calls.readResource({ server: 'observed', uri: 'observed://fresh' }));
    assert.match(await read(), /read 1/);
    clock.pass(59_999);
    assert.match(await read(), /read 1/);
    assert.equal(received('resources/read').length, 1);
    clock.pass(2);
    assert.match(await read(), /read 2/);
    assert.equal(received('resources/read').length, 2);
  });

  test('a resource of a legacy server is read each time', async () => {
    const { host, received } = await started('legacy');
    await host.calls.readResource({ server: 'observed', uri: 'observed://fresh' });
    await host.calls.readResource({ server: 'observed', uri: 'observed://fresh' });
    assert.equal(received('resources/read').length, 2);
  });

  test('[completion] the suggestions for an argument depend on the arguments that are already filled in', async () => {
    const { host, received } = await started('legacy');
    const complete = (country: string) =>
      host.calls.complete({
        server: 'observed',
        reference: { type: 'ref/prompt', name: 'travel' },
        argument: { name: 'city', value: 'B' },
        context: { country },
      });
    assert.deepEqual(
      [(await complete('ch')).values, (await complete('de')).values],
      [
        ['Basel', 'Bern'],
        ['Berlin', 'Bonn'],
      ],
    );
    assert.deepEqual(
      received('completion/complete').map(({ params }) => params?.['context']),
      [{ arguments: { country: 'ch' } }, { arguments: { country: 'de' } }],
    );
  });
});

/** The gate as the extension creates it, with these rules of the user; questions are recorded and refused. */
function guarded(rules: unknown[], trustedAnnotations: readonly string[] = []) {
  const values = new Map<string, unknown>();
  const store = {
    get: (key: string) => values.get(key),
    set: (key: string, value: unknown) => Promise.resolve(void values.set(key, value)),
  };
  const asked: CallQuestion[] = [];
  const never = new Emitter<void>();
  const consent = new ToolConsent({
    rules: new RuleBook(
      { read: () => ({ user: rules, workspace: [] }), write: () => Promise.resolve(), onDidChange: never.event },
      store,
    ),
    pins: new ScopedPins(new ToolPins(store), new ToolPins(store)),
    audit: new AuditLog({ append: () => Promise.resolve(0), rotate: () => Promise.resolve() }, () => undefined),
    asker: {
      ask: (question) => {
        asked.push(question);
        return Promise.resolve({ effect: 'deny' });
      },
    },
    trustedAnnotations: () => trustedAnnotations,
  });
  return { consent, asked };
}

describe('rules in a whole host with a server process', { concurrency: false }, () => {
  test('[C5] a rule for an argument allows only the matching calls', async () => {
    const { consent, asked } = guarded([
      { effect: 'allow', server: 'observed', tool: 'write', arguments: { '/path': { glob: 'docs/**' } } },
    ]);
    const { call, received } = await started('legacy', { ports: { consent } });
    await call('write', { path: 'docs/a/b.md' }, 'model');
    assert.equal(asked.length, 0);
    for (const values of [{ path: 'src/a.ts' }, { path: 'docs/../src/a.ts' }, {}])
      await assert.rejects(call('write', values, 'model'), { code: 'call-refused' });
    assert.deepEqual(
      [asked.length, received('tools/call').map(({ params }) => params?.['arguments'])],
      [3, [{ path: 'docs/a/b.md' }]],
    );
  });

  test('[C5] a rule by "destructiveHint" denies the matching tools', async () => {
    const { consent, asked } = guarded(
      [
        { effect: 'deny', annotations: { destructive: true } },
        { effect: 'allow', server: 'observed', tool: '*' },
      ],
      ['observed'],
    );
    const { call, received } = await started('legacy', { ports: { consent } });
    await call('add', {}, 'model');
    await assert.rejects(call('drop', {}, 'model'), { code: 'call-refused', message: /may destroy/ });
    assert.deepEqual([asked.length, received('tools/call').map(({ params }) => params?.['name'])], [0, ['add']]);
  });

  test('[C5] a hint of a server that is not trusted allows nothing', async () => {
    const rules = [{ effect: 'allow', annotations: { destructive: false } }];
    const doubted = guarded(rules);
    const first = await started('legacy', { ports: { consent: doubted.consent } });
    await assert.rejects(first.call('add', {}, 'model'), { code: 'call-refused' });
    assert.deepEqual([doubted.asked.length, first.received('tools/call').length], [1, 0]);
    const trusted = guarded(rules, ['observed']);
    const second = await started('legacy', { ports: { consent: trusted.consent } });
    await second.call('add', {}, 'model');
    assert.deepEqual([trusted.asked.length, second.received('tools/call').length], [0, 1]);
  });
});

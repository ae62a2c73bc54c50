import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AuditRecord } from '../../../src/core/consent/audit.js';
import type { ElicitRequest } from '../../../src/core/protocol/mcp.js';
import type { ServerEntry } from '../../../src/core/registry/serverEntry.js';
import type { StateStore } from '../../../src/core/base/stores.js';
import { RequestQueue, maxWaitingPerServer } from '../../../src/core/requests/requestQueue.js';
import { SamplingGuard } from '../../../src/core/requests/samplingGuard.js';
import { SamplingPolicies } from '../../../src/core/requests/samplingPolicies.js';

class MemoryState implements StateStore {
  private readonly values = new Map<string, unknown>();
  get = (key: string) => this.values.get(key);
  set = (key: string, value: unknown) => Promise.resolve(void this.values.set(key, value));
}

const entry = (name: string): ServerEntry => ({
  id: name,
  name,
  definition: { type: 'stdio', command: 'true' } as ServerEntry['definition'],
  source: { id: 'x', kind: 'user', label: 'user settings' },
  inputs: [],
  isEnabled: true,
  hash: `hash of ${name}`,
});
const form: ElicitRequest = {
  mode: 'form',
  message: 'Who are you?',
  requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
};
const never = new AbortController().signal;

describe('requests of servers', () => {
  test('wait in order until the user answers each', async () => {
    const queue = new RequestQueue(new SamplingPolicies(new MemoryState()));
    let changes = 0;
    queue.onDidChange(() => changes++);
    const first = queue.elicit(entry('a'), form, never);
    const second = queue.elicit(entry('b'), { mode: 'url', message: 'Pay', url: 'https://pay.example/x?y=1' }, never);
    assert.deepEqual(
      queue.waiting.map(({ serverName, ask }) => [serverName, ask.kind]),
      [
        ['a', 'form'],
        ['b', 'url'],
      ],
    );
    queue.answer(queue.waiting[0]?.id ?? '', { action: 'accept', content: { name: 'Ann' } });
    assert.deepEqual(await first, { action: 'accept', content: { name: 'Ann' } });
    queue.decline(queue.waiting[0]?.id ?? '');
    assert.deepEqual(await second, { action: 'decline' });
    assert.deepEqual(queue.waiting, []);
    assert.equal(changes, 4);
  });

  test('declined and dismissed are different answers', async () => {
    const queue = new RequestQueue(new SamplingPolicies(new MemoryState()));
    const asked = queue.elicit(entry('a'), form, never);
    queue.dismiss(queue.waiting[0]?.id ?? '');
    assert.deepEqual(await asked, { action: 'cancel' });
    const sampled = queue.createMessage(entry('a'), { messages: [], maxTokens: 10 }, never);
    queue.decline(queue.waiting[0]?.id ?? '');
    await assert.rejects(sampled, { code: 'cancelled' });
  });

  test('sampling follows the decision of the user for a server, until its definition changes', async () => {
    const policies = new SamplingPolicies(new MemoryState());
    const queue = new RequestQueue(policies);
    const asking = entry('a');
    await policies.setPolicy(asking, 'never');
    await assert.rejects(queue.createMessage(asking, { messages: [], maxTokens: 1 }, never), { code: 'cancelled' });
    await policies.setPolicy(asking, 'allow');
    await policies.setModel(asking, 'copilot/x');
    assert.deepEqual([policies.policy(asking), policies.model(asking)], ['allow', 'copilot/x']);
    const sampled = queue.createMessage(asking, { messages: [], maxTokens: 1 }, never);
    const other = queue.createMessage({ ...asking, hash: 'changed' }, { messages: [], maxTokens: 1 }, never);
    assert.deepEqual(
      queue.waiting.map(({ ask }) => ask.kind === 'sampling' && ask.isAllowed),
      [true, false],
    );
    const result = { role: 'assistant' as const, content: { type: 'text', text: 'yes' }, model: 'm' };
    queue.reply(queue.waiting[0]?.id ?? '', result);
    assert.deepEqual(await sampled, result);
    queue.dispose();
    await assert.rejects(other, { code: 'cancelled' });
  });

  test('[C8] sampling answered with "not now" is refused for its session, until the user decides again; each outcome is reported', async () => {
    const policies = new SamplingPolicies(new MemoryState());
    const records: string[] = [];
    const queue = new RequestQueue(policies, Date.now, new SamplingGuard(), {
      note: (record) =>
        record.event === 'sampling' &&
        records.push(`${record.outcome} ${record.decidedBy} ${record.model ?? ''}`.trim()),
    });
    const session = {};
    const first = queue.createMessage(entry('a'), { messages: [], maxTokens: 10 }, never, session);
    queue.dismiss(queue.waiting[0]?.id ?? '');
    await assert.rejects(first, { code: 'cancelled' });
    await assert.rejects(queue.createMessage(entry('a'), { messages: [], maxTokens: 10 }, never, session), {
      code: 'cancelled',
    });
    assert.equal(queue.waiting.length, 0);
    await policies.setPolicy(entry('a'), 'ask');
    const again = queue.createMessage(
      entry('a'),
      { messages: [], maxTokens: 1e9, includeContext: 'allServers' },
      never,
      session,
    );
    const [waiting] = queue.waiting;
    assert.equal(waiting?.ask.kind === 'sampling' && waiting.ask.request.maxTokens, 8_192);
    queue.reply(waiting?.id ?? '', { role: 'assistant', content: { type: 'text', text: 'yes' }, model: 'm' });
    await again;
    assert.deepEqual(records, ['cancelled user', 'refused policy', 'ok user m']);
  });

  test('[C9, C10] the outcome of forms and pages is reported, with the person who answered and never the answers', async () => {
    const records: AuditRecord[] = [];
    const queue = new RequestQueue(new SamplingPolicies(new MemoryState()), Date.now, new SamplingGuard(), {
      note: (record) => records.push(record),
    });
    const page: ElicitRequest = { mode: 'url', message: 'm', url: 'https://a.example/secret-path', elicitationId: 'e' };
    const next = () => queue.waiting[0]?.id ?? '';
    const asked = [queue.elicit(entry('a'), form, never)];
    queue.answer(next(), { action: 'accept', content: { name: 'typed-in' } });
    asked.push(queue.elicit(entry('a'), form, never));
    queue.decline(next(), 'script');
    asked.push(queue.elicit(entry('a'), page, never));
    queue.answer(next(), { action: 'accept' });
    asked.push(queue.elicit(entry('a'), page, never));
    queue.dismiss(next());
    asked.push(queue.elicit(entry('a'), form, never));
    queue.dispose(); // the window closes without a decision
    await Promise.all(asked);
    assert.deepEqual(records, [
      { event: 'form', server: 'a', outcome: 'allowed', caller: 'user' },
      { event: 'form', server: 'a', outcome: 'refused', caller: 'script' },
      { event: 'page', server: 'a', host: 'a.example', outcome: 'allowed', caller: 'user' },
      { event: 'page', server: 'a', host: 'a.example', outcome: 'left', caller: 'user' },
    ]);
  });

  test('end when the server cancels them', async () => {
    const queue = new RequestQueue(new SamplingPolicies(new MemoryState()));
    const controller = new AbortController();
    const asked = queue.elicit(entry('a'), form, controller.signal);
    const id = queue.waiting[0]?.id ?? '';
    controller.abort(new Error('taken back'));
    await assert.rejects(asked, /taken back/);
    assert.deepEqual(queue.waiting, []);
    queue.answer(id, { action: 'accept' }); // too late, and no error
    await assert.rejects(queue.elicit(entry('a'), form, controller.signal), /taken back/);
  });

  test('[C11] a flood is refused beyond a limit of its server, and other servers still get through', async () => {
    const queue = new RequestQueue(new SamplingPolicies(new MemoryState()));
    const asked = Array.from({ length: 500 }, () => queue.elicit(entry('flood'), form, new AbortController().signal));
    const neighbour = queue.elicit(entry('calm'), form, never);
    assert.equal(queue.waiting.length, maxWaitingPerServer + 1);
    await assert.rejects(asked[maxWaitingPerServer] ?? Promise.resolve(), { code: -32603, message: /20 requests/ });
    queue.dispose();
    assert.deepEqual(await neighbour, { action: 'cancel' });
    const outcomes = await Promise.allSettled(asked);
    assert.equal(outcomes.filter(({ status }) => status === 'rejected').length, 500 - maxWaitingPerServer);
  });
});

describe('[C11] the size of requests', () => {
  const text = (bytes: number) => 'x'.repeat(bytes);
  const mebibyte = 1024 * 1024;

  test('a form over 1 MiB is refused, wherever its size is', async () => {
    const queue = new RequestQueue(new SamplingPolicies(new MemoryState()));
    for (const large of [
      { ...form, message: text(2 * mebibyte) },
      { ...form, requestedSchema: { ...form.requestedSchema, extra: text(2 * mebibyte) } },
      { ...form, requestedSchema: { ...form.requestedSchema, extra: Array.from({ length: 90_000 }, () => []) } },
    ])
      await assert.rejects(queue.elicit(entry('a'), large, never), /larger than 1 MiB/);
    assert.equal(queue.waiting.length, 0);
  });

  test('the waiting requests of one server are limited together, and those of other servers are not', async () => {
    const queue = new RequestQueue(new SamplingPolicies(new MemoryState()));
    const sample = (name: string) =>
      queue.createMessage(
        entry(name),
        {
          messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }],
          maxTokens: 10,
          metadata: { unused: text(12 * mebibyte) },
        },
        never,
      );
    const waiting = [sample('a'), sample('a')];
    await assert.rejects(sample('a'), /too large together/);
    waiting.push(sample('b'));
    assert.equal(queue.waiting.length, 3);
    queue.dispose();
    await Promise.allSettled(waiting);
  });
});

describe('[C9] forms', () => {
  const ask = (requestedSchema: Record<string, unknown>) => {
    const queue = new RequestQueue(new SamplingPolicies(new MemoryState()));
    const asked = queue.elicit(entry('a'), { mode: 'form', message: '', requestedSchema }, never);
    queue.dispose();
    return asked;
  };
  const field = (schema: unknown) => ask({ type: 'object', properties: { x: schema } });

  test('support every kind of field of the specification', async () => {
    for (const schema of [
      { type: 'string', format: 'email', minLength: 1 },
      { type: 'integer', minimum: 0, default: 3 },
      { type: 'number' },
      { type: 'boolean', default: true },
      { type: 'string', enum: ['a', 'b'], enumNames: ['A', 'B'] },
      { type: 'string', oneOf: [{ const: 'a', title: 'A' }] },
      { type: 'array', items: { type: 'string', enum: ['a'] }, minItems: 1 },
      { type: 'array', items: { anyOf: [{ const: 'a', title: 'A' }] } },
    ]) {
      assert.deepEqual(await field(schema), { action: 'cancel' });
    }
    assert.deepEqual(await ask({ type: 'object', properties: {} }), { action: 'cancel' });
  });

  test('are flat and small enough for a user to answer', async () => {
    await assert.rejects(field({ type: 'object', properties: { password: { type: 'string' } } }), {
      code: -32602,
      message: /"x" is not a string, a number, a boolean, or a choice/,
    });
    await assert.rejects(field({ type: 'array', items: { type: 'object' } }), /without fixed choices/);
    await assert.rejects(field({ type: 'string', enum: [] }), /no choices/);
    await assert.rejects(field({ type: 'string', enum: Array.from({ length: 1_001 }, String) }), /1001 choices/);
    await assert.rejects(field('text'), /no schema/);
    await assert.rejects(ask({ type: 'array' }), /not an object of fields/);
    await assert.rejects(ask({ properties: [] }), /"properties" are not an object/);
    await assert.rejects(
      ask({ properties: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`f${i}`, { type: 'string' }])) }),
      /101 fields/,
    );
  });
});

describe('[C10] addresses', () => {
  const ask = async (url: string) => {
    const queue = new RequestQueue(new SamplingPolicies(new MemoryState()));
    const asked = queue.elicit(entry('a'), { mode: 'url', message: '', url }, never);
    const shown = queue.waiting[0]?.ask;
    queue.dispose();
    await asked;
    return shown?.kind === 'url' ? shown.url : undefined;
  };

  test('are shown in full, with the host as sent and as displayed', async () => {
    assert.deepEqual(await ask('https://pay.example:8443/a?b=c#d'), {
      href: 'https://pay.example:8443/a?b=c#d',
      host: 'pay.example:8443',
    });
    assert.deepEqual(await ask('https://xn--pple-43d.com/'), {
      href: 'https://xn--pple-43d.com/',
      host: 'xn--pple-43d.com',
      readableHost: 'аpple.com',
    });
    assert.deepEqual(await ask('https://аpple.com/'), {
      href: 'https://xn--pple-43d.com/',
      host: 'xn--pple-43d.com',
      readableHost: 'аpple.com',
    });
    assert.deepEqual(await ask('http://127.0.0.1:9/x'), { href: 'http://127.0.0.1:9/x', host: '127.0.0.1:9' });
  });

  test('are refused if they are not web pages, hide their owner, or cannot be parsed', async () => {
    for (const url of [
      'javascript:alert(1)',
      'file:///etc/passwd',
      'vscode://x/y',
      'http://pay.example/',
      'http://localhost.evil.example/',
      'https://bank.example@evil.example/',
      'https://',
      'nonsense',
      `https://a.example/${'x'.repeat(2_048)}`,
    ]) {
      await assert.rejects(ask(url), { code: -32602, message: /cannot be opened/ }, url);
    }
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StateStore } from '../../../src/core/base/stores.js';
import type { ElicitRequest } from '../../../src/core/protocol/mcp.js';
import type { ServerEntry } from '../../../src/core/registry/serverEntry.js';
import { RequestOwners } from '../../../src/core/requests/requestOwners.js';
import { RequestQueue } from '../../../src/core/requests/requestQueue.js';
import { SamplingPolicies } from '../../../src/core/requests/samplingPolicies.js';

const state: StateStore = { get: () => undefined, set: () => Promise.resolve() };
const entry = { id: 'desk', name: 'desk' } as ServerEntry;

function opened() {
  const queue = new RequestQueue(new SamplingPolicies(state));
  const owners = new RequestOwners(queue);
  const ask = (message: string, client?: string) => {
    const form: ElicitRequest = { mode: 'form', message, requestedSchema: { type: 'object', properties: {} } };
    void queue.elicit(entry, form, new AbortController().signal, client);
  };
  const begin = (server = 'desk', tool?: string) => {
    const waits = owners.waitsOf(server, tool);
    const end = waits.onDidChange(() => undefined);
    const first = () => {
      const found = waits.first()?.ask;
      return found?.kind === 'form' ? found.message : found?.kind;
    };
    return { first, end: () => end.dispose() };
  };
  const answer = (text: string) => {
    const found = queue.waiting.find(({ ask: one }) => one.kind === 'form' && one.message === text);
    queue.answer(found?.id ?? '', { action: 'accept', content: {} });
  };
  return { queue, ask, begin, answer };
}

describe('the request that a run waits for', () => {
  test('is the one that came during the run, not an older one of another run', () => {
    const { ask, begin, answer } = opened();
    const address = begin();
    ask('address');
    const summary = begin();
    assert.equal(summary.first(), undefined);
    ask('summary');
    assert.deepEqual([address.first(), summary.first()], ['address', 'summary']);
    answer('address');
    assert.deepEqual([address.first(), summary.first()], [undefined, 'summary']);
    // The first run asks again while the second one waits.
    ask('address again');
    assert.deepEqual([address.first(), summary.first()], ['address again', 'summary']);
  });

  test('can be one of several of the same run', () => {
    const { ask, begin, answer } = opened();
    const run = begin();
    ask('one');
    ask('two');
    assert.equal(run.first(), 'one');
    answer('one');
    assert.equal(run.first(), 'two');
  });

  test('belongs neither to a run that has ended, nor to another server, nor to a client of the gateway', () => {
    const { ask, begin } = opened();
    const ended = begin();
    ended.end();
    const other = begin('other');
    ask('late');
    assert.deepEqual([ended.first(), other.first()], [undefined, undefined]);
    const run = begin();
    ask('of a client', 'agent');
    assert.equal(run.first(), undefined);
  });

  test('is the question about its own call', () => {
    const { queue, begin } = opened();
    const one = begin('desk', 'refund');
    const latest = begin('desk', 'count');
    const tool = { name: 'refund', inputSchema: { type: 'object' as const } };
    const question = { server: 'desk', tool, arguments: {}, caller: 'script', isAfterLoss: false, hasSecrets: false };
    void queue.askCall(question as Parameters<typeof queue.askCall>[0], new AbortController().signal);
    assert.deepEqual([one.first(), latest.first()], ['call', undefined]);
  });
});

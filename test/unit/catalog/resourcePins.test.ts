import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ResourcePins } from '../../../src/core/catalog/resourcePins.js';

class MemoryState {
  readonly values = new Map<string, unknown>();
  get(key: string): unknown {
    return this.values.get(key);
  }
  async set(key: string, value: unknown): Promise<void> {
    this.values.set(key, structuredClone(value));
  }
}

const pin = (uri: string, server = 's') => ({ server, uri, name: uri });

test('pins keep their order and survive the window', async () => {
  const state = new MemoryState();
  const pins = new ResourcePins(state);
  for (const uri of ['a', 'b', 'a', 'c']) await pins.pin(pin(uri));
  await pins.unpin({ server: 's', uri: 'b' });
  assert.deepEqual(new ResourcePins(state).list(), [pin('a'), pin('c')]);
});

test('the same address of another server is another resource', async () => {
  const pins = new ResourcePins(new MemoryState());
  await pins.pin(pin('a', 'one'));
  assert.deepEqual([pins.has('one', 'a'), pins.has('two', 'a')], [true, false]);
});

test('each change is reported once', async () => {
  const pins = new ResourcePins(new MemoryState());
  let changes = 0;
  pins.onDidChange(() => changes++);
  await pins.pin(pin('a'));
  await pins.pin(pin('a'));
  await pins.unpin(pin('a'));
  assert.equal(changes, 2);
});

test('stored values that are not pins are ignored', () => {
  const state = new MemoryState();
  state.values.set('mcpDeck.pinnedResources', [null, { server: 1 }, pin('a'), 'x']);
  assert.deepEqual(new ResourcePins(state).list(), [pin('a')]);
  state.values.set('mcpDeck.pinnedResources', 'nothing');
  assert.deepEqual(new ResourcePins(state).list(), []);
});

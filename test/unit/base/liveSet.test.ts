import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LiveSet } from '../../../src/core/base/liveSet.js';

test('items are in the order of their addition, whatever is removed, and however often', () => {
  const step = fc.oneof(fc.constant('add' as const), fc.nat(20));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const live = new LiveSet<{ id: number }>();
      const removers: (() => void)[] = [];
      let expected: number[] = [];
      for (const step of steps) {
        if (step === 'add') {
          const id = removers.length;
          removers.push(live.add({ id }));
          expected.push(id);
        } else {
          removers[step]?.();
          if (removers[step]) expected = expected.filter((id) => id !== step);
        }
        assert.deepEqual(
          live.items().map(({ id }) => id),
          expected,
        );
        assert.equal(live.size, expected.length);
      }
    }),
  );
});

test('the items can be removed while they are visited', () => {
  const live = new LiveSet<{ remove(): void }>();
  for (let count = 0; count < 3; count++) {
    const item = { remove: (): void => remove() };
    const remove = live.add(item);
  }
  for (const item of live.items()) item.remove();
  assert.equal(live.size, 0);
  assert.deepEqual(live.items(), []);
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ByteCollector } from '../../../src/core/base/byteCollector.js';
import { parseExact } from '../../../src/core/base/exactNumbers.js';
import { valueCost } from '../../../src/core/base/valueCost.js';

describe('collected bytes', () => {
  test('are returned as pushed, for any pieces, and a collector can be reused', () => {
    const size = fc.oneof(
      fc.integer({ min: 0, max: 40 }),
      fc.constantFrom(1_023, 1_024, 16_383, 16_384, 20_000, 70_000),
    );
    const collector = new ByteCollector();
    fc.assert(
      fc.property(fc.array(size, { maxLength: 40 }), (sizes) => {
        const pieces = sizes.map((length, index) => Buffer.alloc(length, index + 1));
        for (const piece of pieces) collector.push(piece);
        assert.equal(
          collector.size,
          sizes.reduce((sum, one) => sum + one, 0),
        );
        assert.ok(collector.take().equals(Buffer.concat(pieces)));
        assert.equal(collector.size, 0);
      }),
    );
  });

  test('do not retain the large buffer of a small piece', () => {
    const large = Buffer.alloc(10_000_000, 1);
    const collector = new ByteCollector();
    collector.push(large.subarray(0, 20_000));
    assert.ok(collector.take().buffer.byteLength < 1_000_000);
  });
});

describe('the cost of a value', () => {
  test('grows with its texts, its members and its depth, and needs no stack', () => {
    let deep: unknown = 'x';
    for (let i = 0; i < 200_000; i++) deep = [deep];
    assert.ok(valueCost(deep) > 200_000);
    assert.ok(valueCost('x'.repeat(1_000)) >= 1_000);
    assert.ok(valueCost({ ['n'.repeat(1_000)]: 1 }) >= 1_000);
    assert.ok(valueCost(Array.from({ length: 1_000 }, () => ({}))) >= 32_000);
  });

  test('of an object with one index as name includes the places that V8 keeps for all smaller ones', () => {
    assert.ok(valueCost({ 34: 1 }) >= 300);
    assert.ok(valueCost({ 1023: 1 }) >= 8_000);
    assert.ok(valueCost({ 1025: 1 }) >= 190, 'a hash table');
    for (const name of ['034', '1.5', '-1', '9a']) assert.ok(valueCost({ [name]: 1 }) < 120, name);
    const all = Object.fromEntries(Array.from({ length: 1_000 }, (_one, index) => [index, 1]));
    assert.ok(valueCost(all) < 130_000, 'the places count once');
  });

  test('of numbers that a double cannot represent includes their digits', () => {
    const digits = '9'.repeat(900);
    assert.ok(valueCost(parseExact(`[${digits},${digits}]`)) > 1_800);
    assert.ok(valueCost(parseExact(`{"a":${digits},"b":${digits}}`)) > 1_800);
    assert.ok(valueCost(parseExact(`{"a":{"b":${digits}}}`)) > 900);
    assert.ok(valueCost(parseExact('[1e999]')) > 250);
  });

  test('is not counted beyond the limit', () => {
    assert.ok(
      valueCost(
        Array.from({ length: 100_000 }, () => 1),
        100,
      ) < 1_000,
    );
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { literalAt } from '../../../src/core/base/exactNumbers.js';
import { HostError } from '../../../src/core/base/hostError.js';
import { maxValuesOf, notJson, parseMessage } from '../../../src/core/protocol/parseMessage.js';
import { MemoryTransport } from '../../../src/core/transport/memoryTransport.js';

const standard = 64 * 2 ** 20;
const limit = 262_144;

/** The values of a JSON value: list elements and object members, at any depth. */
function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, inner) => sum + 1 + countValues(inner), 0);
}

function isRefused(text: string, maxBytes = 0): boolean {
  try {
    parseMessage(text, maxBytes);
    return false;
  } catch (error) {
    assert.ok(error instanceof HostError);
    assert.equal(error.code, 'too-large');
    assert.equal(error.message, `A message has more than ${maxValuesOf(maxBytes).toLocaleString('en')} values.`);
    return true;
  }
}

describe('[F10] the number of values of a message', () => {
  test('is limited to one for each 32 bytes of the size limit, and to 262,144 for a small one', () => {
    assert.deepEqual(
      [maxValuesOf(65_536), maxValuesOf(standard), maxValuesOf(2 * standard)],
      [limit, 2 ** 21, 2 ** 22],
    );
  });

  const many = limit + 2;
  const shapes: [string, string][] = [
    ['numbers', `[${'0,'.repeat(many)}0]`],
    ['empty lists', `[${'[],'.repeat(many / 2)}0]`],
    ['empty objects', `[${'{},'.repeat(many / 2)}0]`],
    ['nested lists', `${'['.repeat(many)}${']'.repeat(many)}`],
    ['nested objects', `${'{"a":'.repeat(many)}0${'}'.repeat(many)}`],
    ['members', `{${Array.from({ length: many }, (_, i) => `"${i}":0`).join(',')}}`],
    ['values after a text that ends in backslashes', `["\\\\",${'"\\\\\\"",'.repeat(many)}0]`],
    ['values in a text that is not JSON', `nothing ${','.repeat(many)}`],
    ['values before an endless text', `[${'0,'.repeat(many)}"`],
  ];
  for (const [what, text] of shapes) test(`refuses too many ${what}`, () => assert.ok(isRefused(text)));

  const honest: [string, unknown, number][] = [
    ['a text of 50 MiB', { data: 'A'.repeat(50 * 2 ** 20) }, standard],
    ['a text of brackets and commas', { code: '[{"a\\": [1, 2]}, ]'.repeat(limit) }, 0],
    ['names of brackets and commas', { ['[,{"'.repeat(limit)]: 1 }, 0],
    [
      'a table of 20 MiB',
      Array.from({ length: 130_000 }, (_, id) => ({
        id,
        name: 'A name',
        tags: ['x', 'y'],
        note: 'some text '.repeat(10),
      })),
      standard,
    ],
  ];
  for (const [what, value, maxBytes] of honest)
    test(`allows ${what}`, () => assert.deepEqual(parseMessage(JSON.stringify(value), maxBytes), value));

  test('refuses too many different names, which take V8 many seconds, and allows the same names again and again', () => {
    const named = (nameOf: (object: number, member: number) => string) =>
      `[${Array.from({ length: 3_000 }, (_, object) => `{${Array.from({ length: 100 }, (_, member) => `"${nameOf(object, member)}" : 1`).join()}}`).join()}]`;
    assert.throws(
      () =>
        parseMessage(
          named((object, member) => `name${object}.${member}`),
          standard,
        ),
      (error) => error instanceof HostError && 'limitNames' in error.data && error.data.limitNames === limit,
    );
    assert.equal(
      (
        parseMessage(
          named((_, member) => `name${member}`),
          standard,
        ) as unknown[]
      ).length,
      3_000,
    );
  });

  test('repeated members with long numbers do not read the names of the last one again each time', () => {
    const names = Array.from({ length: 5_000 }, (_, index) => `"n${index}":1`).join();
    const text = `{${'"a":{"k0":1e999,"k1":1e999},'.repeat(1_000)}"a":{"k0":1e999,"k1":1e999,${names}}}`;
    const { keys } = Object;
    let calls = 0;
    Object.keys = (value: object) => {
      calls++;
      return keys(value);
    };
    try {
      parseMessage(text, standard);
    } finally {
      Object.keys = keys;
    }
    assert.ok(calls < 10, `${calls} reads`);
  });

  test('a number of more than 1,000 characters is no message, because its digits would be kept', () => {
    const literalOf = (length: number) => {
      const message = parseMessage(`{"x":1,"y":[${'9'.repeat(length)}]}`, standard);
      return message === notJson ? undefined : literalAt((message as { y: number[] }).y, 0)?.length;
    };
    assert.deepEqual([1_000, 1_001, 20_000_000].map(literalOf), [1_000, undefined, undefined]);
  });

  test('property: is always refused above the limit, and never below half of it', () => {
    const shape = fc.constantFrom<(inner: unknown) => unknown>(
      (inner) => [inner],
      (inner) => ({ a: inner, 'b,[{': '],"' }),
      (inner) => [0, inner, '\\'],
      () => [],
    );
    fc.assert(
      fc.property(fc.array(shape, { minLength: 1, maxLength: 20 }), fc.integer({ min: 1, max: 4 }), (steps, share) => {
        const piece = steps.reduce<unknown>((inner, step) => step(inner), 'x');
        const times = Math.floor((limit * share) / 2 / (countValues(piece) + 1));
        const text = `[${Array<string>(times).fill(JSON.stringify(piece)).join(',')}]`;
        const values = times * (countValues(piece) + 1);
        const refused = isRefused(text);
        if (values > limit) assert.ok(refused);
        if (values <= limit / 2) assert.ok(!refused);
      }),
      { numRuns: 30 },
    );
  });

  test('also ends an in-memory connection, with the reason at the end that received them', async () => {
    const [near, far] = MemoryTransport.pair();
    const closed = new Promise<Error | undefined>((resolve) => {
      void near.open({ onMessage: assert.fail, onWarning: assert.fail, onClose: resolve });
    });
    await far.open({ onMessage: assert.fail, onWarning: assert.fail, onClose: () => undefined });
    far.send({ text: `[${'0,'.repeat(2 ** 21 + 1)}0]` });
    assert.match((await closed)?.message ?? '', /more than 2,097,152 values/);
  });
});

test('a text that is not JSON is distinguished from every JSON value', () => {
  assert.equal(parseMessage('{', standard), notJson);
  assert.equal(parseMessage('null', standard), null);
});

test('[K4] a message keeps the digits of its numbers', () => {
  const message = parseMessage('{"id":9007199254740993}', standard);
  assert.equal(literalAt(message as object, 'id'), '9007199254740993');
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { approvalOf, toolHash } from '../../../src/core/consent/toolDefinition.js';
import { pinsKey, ToolPins } from '../../../src/core/consent/toolPins.js';
import { StoredState } from '../../../src/core/host/storedState.js';
import type { Tool } from '../../../src/core/protocol/mcp.js';

const echo: Tool = {
  name: 'echo',
  description: 'Says it again.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
};
function store(content: Record<string, unknown> = {}) {
  const values = new Map(Object.entries(content));
  return {
    values,
    get: (key: string) => values.get(key),
    set: (key: string, value: unknown) =>
      Promise.resolve(void values.set(key, JSON.parse(JSON.stringify(value ?? null)))),
  };
}
/** A window: checks the stored data, then reads it. */
const open = (kept = store()) => {
  const state = new StoredState(kept, () => 7);
  return { kept, state, pins: new ToolPins(state) };
};
/** A circular value. */
const endless = (): Tool => {
  const inputSchema: Record<string, unknown> = { type: 'object' };
  inputSchema['not'] = inputSchema;
  return { name: 'echo', inputSchema };
};

describe('[C6] the hash of a tool', () => {
  const changes: [string, Tool][] = [
    ['its title', { ...echo, title: 'Echo' }],
    ['its description', { ...echo, description: 'Says it again. And reads your files.' }],
    ['a hidden character in it', { ...echo, description: 'Says it again.\u200b' }],
    ['its input schema', { ...echo, inputSchema: { type: 'object', required: ['text'] } }],
    ['its output schema', { ...echo, outputSchema: { type: 'object' } }],
    ['its annotations', { ...echo, annotations: { readOnlyHint: true } }],
    ['its app', { ...echo, _meta: { ui: { resourceUri: 'ui://srv/echo' } } }],
    ['its app in the older form', { ...echo, _meta: { 'ui/resourceUri': 'ui://srv/echo' } }],
    ['who may call it', { ...echo, _meta: { ui: { visibility: ['app'] } } }],
    ['its name', { ...echo, name: 'Echo' }],
  ];
  for (const [what, changed] of changes)
    test(`changes with ${what}`, () => assert.notEqual(toolHash(changed), toolHash(echo)));

  test('does not depend on the order of keys or on irrelevant fields', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (properties) => {
        const turned = Object.fromEntries(Object.entries(properties).reverse());
        assert.equal(
          toolHash({ name: 't', inputSchema: { properties } }),
          toolHash({ inputSchema: { properties: turned }, name: 't', _meta: { x: 1, ui: { y: 2 } } }),
        );
      }),
    );
  });

  test('an approval depends on the server as well', () =>
    assert.notEqual(approvalOf('a', toolHash(echo)), approvalOf('b', toolHash(echo))));
});

describe('[C6] an approved tool', () => {
  test('is new, then unchanged, also in the next window', async () => {
    const { kept, pins } = open();
    assert.equal(pins.verdict('srv', echo).kind, 'new');
    await pins.pin('srv', echo);
    assert.deepEqual(
      [pins.verdict('srv', { ...echo }).kind, open(kept).pins.verdict('srv', echo).kind],
      ['same', 'same'],
    );
    assert.equal(pins.verdict('other', echo).kind, 'new');
  });

  test('is changed until the change is accepted, and the previous version is kept for comparison', async () => {
    const { pins } = open();
    await pins.pin('srv', echo);
    const other = { ...echo, description: 'Now something else.' };
    assert.deepEqual(pins.verdict('srv', other), { kind: 'changed', why: 'changed', before: echo });
    assert.deepEqual([...pins.changed('srv', [other, { name: 'new', inputSchema: {} }])], ['echo']);
    await pins.pin('srv', other);
    assert.deepEqual([pins.verdict('srv', other).kind, [...pins.changed('srv', [other])]], ['same', []]);
    assert.equal(pins.verdict('srv', echo).kind, 'changed');
  });

  test('is changed when it is not listed any more', async () => {
    const { pins } = open();
    await pins.pin('srv', echo);
    assert.deepEqual(pins.verdict('srv', echo, false), { kind: 'changed', why: 'gone', before: echo });
  });

  test('is in quarantine if its hash cannot be computed', () => {
    assert.deepEqual(open().pins.verdict('srv', endless()), { kind: 'changed', why: 'unhashable' });
  });

  test('a change is detected even without space for its text', async () => {
    const { pins } = open();
    const big = { ...echo, description: 'x'.repeat(300_000) };
    await pins.pin('srv', big);
    assert.deepEqual(pins.verdict('srv', echo), { kind: 'changed', why: 'changed' });
  });

  test('the least recently used servers are dropped first, and need a question again', async () => {
    const { kept, pins } = open();
    for (let i = 0; i < 201; i++) await pins.pin(`srv${i}`, echo);
    for (const one of [pins, open(kept).pins]) {
      assert.deepEqual([one.verdict('srv0', echo).kind, one.verdict('srv1', echo).kind], ['new', 'same']);
      assert.deepEqual(
        [one.mayHaveForgotten('srv0'), one.mayHaveForgotten('srv1'), one.mayHaveForgotten('never seen')],
        [true, false, false],
      );
    }
    await pins.reset();
    assert.equal(open(kept).pins.mayHaveForgotten('srv0'), false);
  });

  test('two windows that share a store keep the pins of both, in any order of writes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(0, 1), fc.constantFrom('a', 'b', 'c'), fc.boolean()), { maxLength: 8 }),
        async (steps) => {
          const kept = store();
          const windows = [open(kept).pins, open(kept).pins] as const;
          const waiting: Promise<void>[] = [];
          for (const [which, name, isAwaited] of steps) {
            const pinned = windows[which].pin('srv', { ...echo, name });
            if (isAwaited) await pinned;
            else waiting.push(pinned);
          }
          await Promise.all(waiting);
          for (const pins of [...windows, open(kept).pins])
            assert.deepEqual(
              steps.filter(([, name]) => pins.verdict('srv', { ...echo, name }).kind !== 'same'),
              [],
            );
        },
      ),
    );
  });

  test('when more servers were dropped than can be listed, every server needs a question', async () => {
    const { kept, pins } = open(
      store({
        [pinsKey]: {
          version: 1,
          servers: Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`kept${i}`, {}])),
          forgotten: Array.from({ length: 2_000 }, (_, i) => `gone${i}`),
        },
      }),
    );
    assert.deepEqual([pins.mayHaveForgotten('gone0'), pins.mayHaveForgotten('never seen')], [true, false]);
    await pins.pin('srv', echo);
    assert.deepEqual(
      [pins.mayHaveForgotten('gone0'), pins.mayHaveForgotten('never seen'), open(kept).pins.mayHaveForgotten('gone0')],
      [true, true, true],
    );
  });
});

describe('a store that cannot be read', () => {
  const broken: [string, unknown][] = [
    ['null', null],
    ['text', 'oops'],
    ['another version', { version: 2, servers: {} }],
    ['servers that are not an object', { version: 1, servers: [] }],
    ['tools that are not an object', { version: 1, servers: { srv: 'x' } }],
    ['dropped servers that are not a list', { version: 1, servers: {}, forgotten: 'srv' }],
  ];
  for (const [what, content] of broken) {
    test(`${what} is backed up with its content and reported, and nothing counts as approved from then on`, async () => {
      const { kept, state, pins } = open(store({ [pinsKey]: content }));
      assert.deepEqual(
        [(await state.lost).length, kept.values.get(`${pinsKey}.unreadable`), pins.mayHaveForgotten('srv')],
        [1, content, true],
      );
      await pins.pin('srv', echo);
      const next = open(kept);
      assert.deepEqual(
        [await next.state.lost, next.pins.mayHaveForgotten('srv'), next.pins.verdict('srv', echo).kind],
        [[], true, 'same'],
      );
      await next.pins.reset();
      assert.equal(open(kept).pins.mayHaveForgotten('srv'), false);
    });
  }

  test('an invalid entry is backed up and reported, and quarantines only its tool', async () => {
    const first = open();
    await first.pins.pin('srv', echo);
    const content = structuredClone(first.kept.values.get(pinsKey)) as {
      version: number;
      servers: { srv: Record<string, unknown> };
    };
    content.servers.srv['other'] = { hash: 7 };
    const kept = store({ [pinsKey]: content });
    const { pins, state } = open(kept);
    const verdicts = (of: ToolPins) => [of.verdict('srv', { ...echo, name: 'other' }), of.verdict('srv', echo).kind];
    assert.deepEqual(verdicts(pins), [{ kind: 'changed', why: 'unreadable' }, 'same']);
    assert.match(
      (await state.lost).join(),
      /toolPins" cannot be read\. It was set aside as "mcpDeck\.toolPins\.unreadable"/,
    );
    assert.deepEqual(kept.values.get(`${pinsKey}.unreadable`), content);
    await pins.pin('srv', { ...echo, name: 'third' });
    const next = open(kept);
    assert.deepEqual(
      [await next.state.lost, verdicts(next.pins)],
      [[], [{ kind: 'changed', why: 'unreadable' }, 'same']],
    );
    assert.deepEqual(kept.values.get(`${pinsKey}.unreadable`), content);
  });
});

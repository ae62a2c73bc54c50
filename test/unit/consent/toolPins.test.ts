import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { approvalOf, toolHash } from '../../../src/core/consent/toolDefinition.js';
import { pinsKey, ToolPins } from '../../../src/core/consent/toolPins.js';
import type { Tool } from '../../../src/core/protocol/mcp.js';

const echo: Tool = { name: 'echo', description: 'Says it again.', inputSchema: { type: 'object', properties: { text: { type: 'string' } } } };
function store(content: Record<string, unknown> = {}) {
  const values = new Map(Object.entries(content));
  return { values, get: (key: string) => values.get(key), set: (key: string, value: unknown) => Promise.resolve(void values.set(key, JSON.parse(JSON.stringify(value ?? null)))) };
}
const open = (kept = store()) => {
  const reports: string[] = [];
  return { kept, reports, pins: new ToolPins(kept, (key) => reports.push(key), () => 7) };
};
/** A value that holds itself. */
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
    ['its name', { ...echo, name: 'Echo' }],
  ];
  for (const [what, changed] of changes) test(`changes with ${what}`, () => assert.notEqual(toolHash(changed), toolHash(echo)));

  test('does not depend on the order of keys, nor on what decides nothing', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (properties) => {
        const turned = Object.fromEntries(Object.entries(properties).reverse());
        assert.equal(toolHash({ name: 't', inputSchema: { properties } }), toolHash({ inputSchema: { properties: turned }, name: 't', _meta: { x: 1 } }));
      }),
    );
  });

  test('an approval belongs to the server as well', () => assert.notEqual(approvalOf('a', toolHash(echo)), approvalOf('b', toolHash(echo))));
});

describe('[C6] a tool that was approved', () => {
  test('is new, then the same, also in the next window', async () => {
    const { kept, pins } = open();
    assert.equal(pins.verdict('srv', echo).kind, 'new');
    await pins.pin('srv', echo);
    assert.deepEqual([pins.verdict('srv', { ...echo }).kind, open(kept).pins.verdict('srv', echo).kind], ['same', 'same']);
    assert.equal(pins.verdict('other', echo).kind, 'new');
  });

  test('is changed as long as the change was not accepted, and the one before is kept to be compared', async () => {
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

  test('a hash that cannot be computed quarantines', () => {
    assert.deepEqual(open().pins.verdict('srv', endless()), { kind: 'changed', why: 'unhashable' });
  });

  test('without room for its text it is noticed all the same', async () => {
    const { pins } = open();
    const big = { ...echo, description: 'x'.repeat(300_000) };
    await pins.pin('srv', big);
    assert.deepEqual(pins.verdict('srv', echo), { kind: 'changed', why: 'changed' });
  });

  test('the servers that were used longest ago are forgotten first', async () => {
    const { pins } = open();
    for (let i = 0; i < 201; i++) await pins.pin(`srv${i}`, echo);
    assert.deepEqual([pins.verdict('srv0', echo).kind, pins.verdict('srv1', echo).kind], ['new', 'same']);
  });
});

describe('a store that cannot be read', () => {
  const broken: [string, unknown][] = [
    ['text', 'oops'],
    ['another version', { version: 2, servers: {} }],
    ['servers that are no object', { version: 1, servers: [] }],
    ['tools that are no object', { version: 1, servers: { srv: 'x' } }],
  ];
  for (const [what, content] of broken) {
    test(`${what} is set aside with its content and said, and nothing counts as approved from then on`, async () => {
      const { kept, pins, reports } = open(store({ [pinsKey]: content }));
      assert.deepEqual([reports, kept.values.get(`${pinsKey}.broken.7`), pins.mayHaveForgotten], [[`${pinsKey}.broken.7`], content, true]);
      await pins.pin('srv', echo);
      const next = open(kept);
      assert.deepEqual([next.reports, next.pins.mayHaveForgotten, next.pins.verdict('srv', echo).kind], [[], true, 'same']);
      await next.pins.reset();
      assert.equal(open(kept).pins.mayHaveForgotten, false);
    });
  }

  test('one entry that cannot be read quarantines its tool and no other', async () => {
    const first = open();
    await first.pins.pin('srv', echo);
    const content = first.kept.values.get(pinsKey) as { version: number; servers: { srv: Record<string, unknown> } };
    content.servers.srv['other'] = { hash: 7 };
    const { pins } = open(first.kept);
    assert.deepEqual([pins.verdict('srv', { ...echo, name: 'other' }), pins.verdict('srv', echo).kind], [{ kind: 'changed', why: 'unreadable' }, 'same']);
  });
});

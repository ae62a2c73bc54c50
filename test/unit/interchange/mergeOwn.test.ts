/** Merging servers from other sources with existing ones: nothing is overwritten, and nothing is mixed up. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { InputDefinition } from '../../../src/core/config/serverDefinition.js';
import { mergeOwn } from '../../../src/core/interchange/mergeOwn.js';

const names = fc.constantFrom('a', 'b', 'a-2', 'a-3', 'toString', 'x y');
const ids = fc.constantFrom('k', 'l', 'k-2');
const input: fc.Arbitrary<InputDefinition> = fc.record({
  id: ids,
  type: fc.constant('promptString' as const),
  description: fc.constantFrom('one', 'two'),
});
const inputs = fc.uniqueArray(input, { selector: ({ id }) => id, maxLength: 3 });
const fields = fc.record(
  {
    command: fc.constantFrom('x', 'y'),
    args: fc.array(fc.constantFrom('${input:k}', 'p${input:l}q', '${input:k-2}', '${input:none}', 'plain'), {
      maxLength: 3,
    }),
    type: fc.constantFrom('stdio'),
    env: fc.constant({}),
  },
  { requiredKeys: ['command'] },
);
const there = fc.record({ servers: fc.dictionary(names, fields, { maxKeys: 4 }), inputs });
const arriving = fc.uniqueArray(fc.record({ name: names, fields }), { selector: ({ name }) => name, maxLength: 4 });

/** The inputs that the variables of a server refer to. */
function asked(server: { fields: Readonly<Record<string, unknown>> }, known: readonly InputDefinition[]): unknown {
  return [...JSON.stringify(server.fields).matchAll(/\$\{input:([^}]+)\}/g)].map(
    ([, id]) => known.find((one) => one.id === id)?.description ?? 'nothing',
  );
}

describe('for any new and existing servers', () => {
  const holds = (
    property: (
      own: { servers: Record<string, Record<string, unknown>>; inputs: InputDefinition[] },
      servers: { name: string; fields: Record<string, unknown> }[],
      more: InputDefinition[],
    ) => void,
  ) => {
    fc.assert(
      fc.property(there, arriving, inputs, (own, servers, more) => property(own, servers, more)),
      { numRuns: 500 },
    );
  };

  test('no existing name or id is used, and none twice', () => {
    holds((own, servers, more) => {
      const merged = mergeOwn(own, servers, more);
      const all = [...Object.keys(own.servers), ...merged.servers.map(({ server }) => server.name)];
      assert.equal(new Set(all).size, all.length);
      const known = [...own.inputs, ...merged.inputs].map(({ id }) => id);
      assert.equal(new Set(known).size, known.length);
    });
  });

  test('each server is added once, or an identical one exists', () => {
    holds((own, servers, more) => {
      const merged = mergeOwn(own, servers, more);
      const left = servers
        .filter(({ name }) => !merged.servers.some(({ from }) => from === name))
        .map(({ name }) => name);
      assert.deepEqual(
        [...merged.servers.map(({ from }) => from), ...left].sort(),
        servers.map(({ name }) => name).sort(),
      );
      for (const name of left) {
        assert.equal(own.servers[name]?.['command'], servers.find((one) => one.name === name)?.fields['command']);
        assert.ok(merged.notes.some(({ server, message }) => server === name && message === 'It already exists.'));
      }
      for (const { from, server } of merged.servers)
        assert.equal(
          merged.notes.some((note) => note.server === from),
          server.name !== from,
        );
    });
  });

  test('each requests the same inputs as before, under any id', () => {
    holds((own, servers, more) => {
      const merged = mergeOwn(own, servers, more);
      for (const { server, from } of merged.servers) {
        const before = servers.find(({ name }) => name === from);
        assert.ok(before);
        // An id without a definition may match an existing input; that does not concern merging.
        const without = (texts: unknown) =>
          (texts as string[]).filter((_, index) => (asked(before, more) as string[])[index] !== 'nothing');
        assert.deepEqual(without(asked(server, [...own.inputs, ...merged.inputs])), without(asked(before, more)));
      }
    });
  });

  test('merging again changes nothing', () => {
    holds((own, servers, more) => {
      const merged = mergeOwn(own, servers, more);
      const after = {
        servers: {
          ...own.servers,
          ...Object.fromEntries(merged.servers.map(({ server }) => [server.name, server.fields])),
        },
        inputs: [...own.inputs, ...merged.inputs],
      };
      const again = mergeOwn(
        after,
        merged.servers.map(({ server }) => server),
        merged.inputs,
      );
      assert.deepEqual([again.servers, again.inputs], [[], []]);
    });
  });
});

test('an input with a new ID is also renamed in the path of debugpy', () => {
  const key = { id: 'k', type: 'promptString', description: 'One' } as const;
  const fields = { command: 'python', dev: { debug: { type: 'debugpy', debugpyPath: '${input:k}/debugpy' } } };
  const { servers, inputs } = mergeOwn(
    { servers: {}, inputs: [{ ...key, description: 'Two' }] },
    [{ name: 'a', fields }],
    [key],
  );
  assert.equal(inputs[0]?.id, 'k-2');
  assert.deepEqual(servers[0]?.server.fields['dev'], {
    debug: { type: 'debugpy', debugpyPath: '${input:k-2}/debugpy' },
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { StartFacts } from '../../../src/core/config/definitionHash.js';
import { definitionHash } from '../../../src/core/config/definitionHash.js';
import type { InputDefinition, RemoteDefinition, StdioDefinition } from '../../../src/core/config/serverDefinition.js';

const source = { folderPath: '/w' };
const local: StdioDefinition = { type: 'stdio', command: 'x', args: ['1', '2'], env: { A: '1', B: '2' } };
const remote: RemoteDefinition = { type: 'http', url: 'https://x', headers: { A: '1' } };

test('the hash is the hexadecimal SHA-256', () => assert.match(definitionHash(local, source), /^[0-9a-f]{64}$/));

// Stored approvals, eras, pins and rules use this hash.
test('the hash is the same in all versions of MCP Deck, so that approvals are kept', () => {
  assert.equal(definitionHash(local, source), '76bde00a33e4324fc75b42f59dd36b1e033b6ceed9575ad9f36471667e7e6e3f');
  assert.equal(definitionHash(remote, source), 'aadeb8f7fa6daf30edc80e3269c61c081546ab9775d1277f56cae053079edad6');
  assert.equal(
    definitionHash({ ...local, envFile: '.env' }, source, { envFileHash: 'a' }),
    'cd23edd521144993db91323df0c2ed9d8c3b8afdc9568352588e498a4434edc5',
  );
});

test('the hash is the same if the default framing is written explicitly', () =>
  assert.equal(definitionHash({ ...local, framing: 'newline' }, source), definitionHash(local, source)));

describe('[C3] the hash changes with', () => {
  const cases: [string, StdioDefinition | RemoteDefinition, StdioDefinition | RemoteDefinition][] = [
    ['the command', local, { ...local, command: 'y' }],
    ['an argument', local, { ...local, args: ['1', '3'] }],
    ['the borders of arguments', local, { ...local, args: ['1,2'] }],
    ['the order of arguments', local, { ...local, args: ['2', '1'] }],
    ['an empty argument', local, { ...local, args: ['1', '2', ''] }],
    ['a value of env', local, { ...local, env: { A: '1', B: '3' } }],
    ['the framing', local, { ...local, framing: 'content-length' }],
    ['a removed variable', local, { ...local, env: { A: '1', B: null } }],
    ['null and its text', { ...local, env: { A: null } }, { ...local, env: { A: 'null' } }],
    ['cwd', local, { ...local, cwd: '/w' }],
    ['envFile', local, { ...local, envFile: '.env' }],
    ['the address', remote, { ...remote, url: 'https://y' }],
    ['a header', remote, { ...remote, headers: { A: '2' } }],
    ['caFile', remote, { ...remote, caFile: 'ca.pem' }],
    ['the type', remote, { ...remote, type: 'sse' }],
    [
      'HTTP over a socket and JSON lines over it',
      { ...remote, url: 'unix:///x', headers: {} },
      { ...remote, type: 'socket', url: 'unix:///x', headers: {} },
    ],
    ['a lone surrogate', { ...local, command: '\ud800' }, { ...local, command: '\ud801' }],
  ];
  for (const [what, before, after] of cases)
    test(what, () => assert.notEqual(definitionHash(before, source), definitionHash(after, source)));

  const facts: Required<StartFacts> = {
    server: 'a',
    launcherFiles: { '/w/package.json': '1' },
    leadingFolder: '/w',
    envFileHash: '1',
    caFileHash: '1',
    changedBundles: { '/b': '1' },
    values: { 'config:a': '1' },
    entered: { x: '1' },
  };
  for (const [name, fact] of Object.entries(facts))
    test(`the fact ${name}`, () => {
      const definition = name === 'caFileHash' ? remote : local;
      assert.notEqual(definitionHash(definition, source, { [name]: fact }), definitionHash(definition, source));
    });

  test('the folder', () => assert.notEqual(definitionHash(local, source), definitionHash(local, { folderPath: '/v' })));
  test('the file, if a variable has a value in `.mcp.json` only', () => {
    const portable = { ...source, kind: 'portable' as const };
    for (const header of ['${TOKEN}', '${TOKEN:-none}']) {
      const definition = { ...remote, headers: { A: header } };
      assert.notEqual(definitionHash(definition, portable), definitionHash(definition, source));
    }
    const explicit = { ...remote, headers: { A: '${env:TOKEN}' } };
    assert.equal(definitionHash(explicit, portable), definitionHash(explicit, source));
  });
  test('the content of the env file', () =>
    assert.notEqual(
      definitionHash(local, source, { envFileHash: 'a' }),
      definitionHash(local, source, { envFileHash: 'b' }),
    ));
  test('the content of the file with certificate authorities', () =>
    assert.notEqual(
      definitionHash(remote, source, { caFileHash: 'a' }),
      definitionHash(remote, source, { caFileHash: 'b' }),
    ));
  test('the workspace value of a variable', () =>
    assert.notEqual(
      definitionHash(local, source, { values: { 'config:a': '1' } }),
      definitionHash(local, source, { values: { 'config:a': '2' } }),
    ));

  const input: InputDefinition = { id: 'i', type: 'pickString', options: [{ label: 'safe', value: 'safe' }] };
  test('the choices of an input', () => {
    assert.notEqual(
      definitionHash(local, source, {}, [input]),
      definitionHash(local, source, {}, [{ ...input, options: [{ label: 'safe', value: 'evil' }] }]),
    );
  });
  test('not the text of its question', () => {
    assert.equal(
      definitionHash(local, source, {}, [input]),
      definitionHash(local, source, {}, [{ ...input, description: 'Which?' }]),
    );
  });
});

describe('the hash does not change with', () => {
  test('the order of keys', () =>
    assert.equal(
      definitionHash({ env: { B: '2', A: '1' }, args: ['1', '2'], command: 'x', type: 'stdio' }, source),
      definitionHash(local, source),
    ));
  test('fields that do not affect the start', () => {
    assert.equal(
      definitionHash({ ...local, timeoutMs: 5, startTimeoutMs: 6, protocol: 'legacy', extra: { note: 1 } }, source),
      definitionHash(local, source),
    );
  });
  test('fields that are written as undefined', () =>
    assert.equal(
      definitionHash({ ...local, cwd: undefined, envFile: undefined }, source),
      definitionHash(local, source),
    ));
});

describe('of any two definitions', () => {
  const text = fc.string({ maxLength: 4 });
  const texts = fc.dictionary(fc.constantFrom('A', 'B', 'C', '__proto__'), text, { maxKeys: 3 });
  const stdio = fc.record(
    {
      type: fc.constant('stdio' as const),
      command: text,
      args: fc.array(text, { maxLength: 3 }),
      env: fc.dictionary(fc.constantFrom('A', 'B', 'C'), fc.option(text), { maxKeys: 3 }),
      envFile: text,
      cwd: text,
    },
    { requiredKeys: ['type', 'command', 'args', 'env'] },
  );
  const http = fc.record(
    {
      type: fc.constantFrom('http' as const, 'sse' as const, 'ws' as const, 'auto' as const),
      url: text,
      headers: texts,
      caFile: text,
      oauth: fc.oneof(
        fc.constant(false as const),
        fc.record({ clientId: text, issuer: text, scopes: fc.array(text, { maxLength: 2 }) }, { requiredKeys: [] }),
      ),
    },
    { requiredKeys: ['type', 'url', 'headers'] },
  );
  const definition: fc.Arbitrary<StdioDefinition | RemoteDefinition> = fc.oneof(stdio, http);
  const nothingOfTheStart = fc.record(
    {
      timeoutMs: fc.integer(),
      startTimeoutMs: fc.integer(),
      maxMessagesPerSecond: fc.integer(),
      restartOnCrash: fc.boolean(),
      disabledTools: fc.array(text),
      extra: fc.dictionary(text, text),
    },
    { requiredKeys: [] },
  );
  /** The same with another order of keys at all levels. */
  const turned = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(turned)
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(
            Object.entries(value)
              .reverse()
              .map(([key, member]) => [key, turned(member)]),
          )
        : value;
  const valueOf = (object: object, name: string): unknown => new Map<string, unknown>(Object.entries(object)).get(name);
  /** A second definition that differs in one relevant field. */
  const changed = definition.chain((one) => {
    const decisive =
      one.type === 'stdio'
        ? ['command', 'args', 'env', 'envFile', 'cwd']
        : ['type', 'url', 'headers', 'caFile', 'oauth'];
    const other = one.type === 'stdio' ? stdio : http;
    return fc
      .tuple(fc.constant(one), fc.constantFrom(...decisive), other)
      .map(([before, field, from]) => [before, { ...before, [field]: valueOf(from, field) }] as const);
  });
  const plain = (value: unknown) =>
    JSON.stringify(value, (_, member: unknown) =>
      typeof member === 'object' && member !== null && !Array.isArray(member)
        ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
        : member,
    );

  test('[C3] the hashes differ exactly when a field that affects the start does', () => {
    fc.assert(
      fc.property(changed, ([before, after]) => {
        assert.equal(definitionHash(before, source) === definitionHash(after, source), plain(before) === plain(after));
      }),
      { numRuns: 500 },
    );
  });

  test('the order of keys and irrelevant fields make no difference', () => {
    fc.assert(
      fc.property(definition, nothingOfTheStart, (one, more) => {
        assert.equal(definitionHash({ ...more, ...(turned(one) as typeof one) }, source), definitionHash(one, source));
      }),
      { numRuns: 500 },
    );
  });

  test('[C3] folder, files and values of the start are distinguished', () => {
    const facts = fc.record({ envFileHash: text, caFileHash: text, values: texts }, { requiredKeys: [] });
    const place = fc.record({ folderPath: text }, { requiredKeys: [] });
    fc.assert(
      fc.property(definition, place, place, facts, facts, (one, here, there, some, others) => {
        const seen = (fact: typeof some) =>
          plain(one.type === 'stdio' ? { ...fact, caFileHash: undefined } : { ...fact, envFileHash: undefined });
        assert.equal(
          definitionHash(one, here, some) === definitionHash(one, there, others),
          plain(here) === plain(there) && seen(some) === seen(others),
        );
      }),
      { numRuns: 500 },
    );
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { definitionHash } from '../../../../src/core/config/definitionHash.js';
import { describeStart } from '../../../../src/core/config/describeStart.js';
import { devDebugOf } from '../../../../src/core/config/dev.js';
import type { InputDefinition, ServerDefinition } from '../../../../src/core/config/serverDefinition.js';
import { inputsNamedBy } from '../../../../src/core/config/variableSyntax.js';
import { installQuestion } from '../../../../src/core/present/questions/installQuestion.js';
import { startQuestion } from '../../../../src/core/present/questions/startQuestion.js';
import { fileSource } from '../../../support/serverViews.js';

describe('[C24] for any two starts', () => {
  const pieces = fc.constantFrom(
    'a',
    'b',
    ' ',
    '  ',
    '"',
    '\\',
    '=',
    ':',
    ', ',
    '\n',
    '\t',
    '\u00a0',
    '\u202e',
    '\\u{202e}',
    '⟨',
    '⟩',
    '→',
    '${env:A}',
    '${config:A}',
    '${input:i}',
    '${',
    'Bearer ',
    'ghp_abcdefghijklmnopqrstuvwxyz',
    '⟨removed⟩',
    '=b',
    'é',
    'e\u0301',
    'e',
    '\u0301',
    '\u0338',
    ';',
    '\u037e',
    'K',
    '\u212a',
    '\u1100',
    '\u1161',
    '가',
    '-',
    '\u2010',
    'a://',
    'a:b',
    '@b',
    '.b',
    '/',
    ';pwd=',
    ':-',
  );
  const text = fc.array(pieces, { maxLength: 4 }).map((parts) => parts.join(''));
  const names = fc.constantFrom('A', 'A=b', 'API_TOKEN', 'DATABASE_URL', 'NODE_OPTIONS', '"A"');
  const oauth = fc.oneof(
    fc.constant(false as const),
    fc.record(
      {
        clientId: text,
        clientSecret: text,
        scopes: fc.array(text, { maxLength: 2 }),
        tokenFile: text,
        provider: fc.record({ issuer: text, tokenEndpoint: text, clientId: text, clientSecret: text }),
      },
      { requiredKeys: [] },
    ),
  );
  const debug = fc
    .option(
      text.filter((debugpyPath) => debugpyPath.trim() !== '' && !debugpyPath.includes('\n')),
      { nil: undefined },
    )
    .map((debugpyPath) => (debugpyPath === undefined ? {} : { dev: { debug: { type: 'debugpy', debugpyPath } } }));
  const local = fc.record(
    {
      type: fc.constant('stdio' as const),
      command: text,
      args: fc.array(text, { maxLength: 3 }),
      env: fc.dictionary(names, fc.option(text), { maxKeys: 3, noNullPrototype: true }),
      envFile: text,
      cwd: text,
      framing: fc.constant('content-length' as const),
      extra: debug,
    },
    { requiredKeys: ['type', 'command', 'args', 'env'] },
  );
  const remote = fc.record(
    {
      type: fc.constantFrom('http' as const, 'sse' as const, 'ws' as const, 'socket' as const, 'auto' as const),
      url: text,
      headers: fc.dictionary(fc.constantFrom('A', 'X-Token'), text, { noNullPrototype: true }),
      caFile: text,
      oauth,
    },
    { requiredKeys: ['type', 'url', 'headers'] },
  );
  const input: fc.Arbitrary<InputDefinition> = fc.oneof(
    fc.record(
      { id: fc.constant('i'), type: fc.constant('promptString' as const), default: text, password: fc.boolean() },
      { requiredKeys: ['id', 'type', 'password'] },
    ),
    fc.record(
      {
        id: fc.constant('i'),
        type: fc.constant('pickString' as const),
        default: text,
        options: fc.array(fc.record({ label: text, value: text }), { minLength: 1, maxLength: 2 }),
      },
      { requiredKeys: ['id', 'type', 'options'] },
    ),
    fc.record(
      {
        id: fc.constant('i'),
        type: fc.constant('command' as const),
        command: text,
        args: fc.array(text, { maxLength: 2 }),
      },
      { requiredKeys: ['id', 'type', 'command'] },
    ),
  );
  const start = fc.record({ name: text, definition: fc.oneof(local, remote), input });
  /** Another start to compare with: random, or the same with one different part. */
  const pairs = fc
    .tuple(
      start,
      start,
      fc.constantFrom(
        'all',
        'name',
        'input',
        'command',
        'args',
        'env',
        'envFile',
        'cwd',
        'framing',
        'extra',
        'type',
        'url',
        'headers',
        'caFile',
        'oauth',
      ),
    )
    .map(([one, other, part]) => {
      if (part === 'all') return [one, other] as const;
      if (part === 'name' || part === 'input') return [one, { ...one, [part]: other[part] }] as const;
      const isSameKind = (one.definition.type === 'stdio') === (other.definition.type === 'stdio');
      if (!isSameKind || !(part in other.definition)) return [one, other] as const;
      return [
        one,
        {
          ...one,
          definition: {
            ...one.definition,
            [part]: new Map<string, unknown>(Object.entries(other.definition)).get(part),
          },
        },
      ] as const;
    });
  const asked = ({
    name,
    definition,
    input: given,
  }: {
    name: string;
    definition: ServerDefinition;
    input: InputDefinition;
  }) => {
    const inputs = inputsNamedBy(definition, new Map([[given.id, given]]));
    const { message, detail } = startQuestion(
      { id: name, source: fileSource },
      describeStart({ name, definition, source: fileSource, inputs }),
    );
    return {
      hash: definitionHash(definition, fileSource, { server: name }, inputs),
      // Texts with the same normal form look the same.
      text: `${message}\n${detail}`.normalize('NFC'),
      install: Object.values(installQuestion(name, describeStart({ name, definition, source: fileSource, inputs })))
        .join('\n')
        .normalize('NFC'),
    };
  };

  test('the question and the hash differ if anything that is run or sent differs', () => {
    fc.assert(
      fc.property(pairs, ([one, other]) => {
        const [first, second] = [asked(one), asked(other)];
        // A clone has plain prototypes; generated records may have none.
        const isSame = isDeepStrictEqual(structuredClone(decisive(one)), structuredClone(decisive(other)));
        assert.equal(first.hash === second.hash, isSame);
        // The reverse does not hold: questions may list unordered values in a different order.
        if (!isSame)
          assert.deepEqual([first.text === second.text, first.install === second.install], [false, false], first.text);
      }),
      { numRuns: 3_000 },
    );
  });

  test('texts that differ only in their normal form look different in every place', () => {
    for (const [one, other] of [
      ['é', 'e\u0301'],
      [';', '\u037e'],
      ['K', '\u212a'],
      ['가', '\u1100\u1161'],
      ['x', '\u0338x'],
    ] as const) {
      const shown = (text: string, part: 'name' | 'command' | 'env') =>
        asked({
          name: part === 'name' ? text : 'n',
          definition: {
            type: 'stdio',
            command: part === 'command' ? text : 'c',
            args: [],
            env: part === 'env' ? { A: text } : {},
          },
          input: { id: 'i', type: 'promptString' },
        }).text;
      for (const part of ['name', 'command', 'env'] as const)
        assert.notEqual(shown(one, part), shown(other, part), `${part}: ${JSON.stringify(other)}`);
    }
  });

  /** The relevant parts, without inputs that nothing refers to. */
  function decisive({
    name,
    definition,
    input: given,
  }: {
    name: string;
    definition: ServerDefinition;
    input: InputDefinition;
  }): unknown {
    // Cloned, because a generated object may have no prototype, which is irrelevant here.
    return structuredClone({
      name,
      definition: { ...definition, extra: devDebugOf(definition) },
      inputs: inputsNamedBy(definition, new Map([[given.id, given]])),
    });
  }
});

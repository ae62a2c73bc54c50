/** The reader of preset files, tested with arbitrary JSON. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fitsWildcard } from '../../../src/core/base/wildcard.js';
import type { Preset } from '../../../src/core/presets/presetFile.js';
import { readPresets } from '../../../src/core/presets/presetFile.js';

const name = fc.constantFrom('git', 'gi*', '*', 'db', 'toString', '__proto__', '');
const list = fc.oneof(
  fc.array(fc.oneof(name, fc.jsonValue({ maxDepth: 1 })), { maxLength: 3 }),
  fc.jsonValue({ maxDepth: 1 }),
);
const likely = fc.dictionary(
  fc.constantFrom('review', 'db', '__proto__', ' ', 'x'.repeat(101)),
  fc.oneof(
    fc.record(
      {
        servers: list,
        tools: fc.oneof(fc.dictionary(name, list, { maxKeys: 3 }), fc.jsonValue({ maxDepth: 1 })),
        description: fc.jsonValue({ maxDepth: 1 }),
        tols: list,
      },
      { requiredKeys: [] },
    ),
    fc.jsonValue({ maxDepth: 2 }),
  ),
  { maxKeys: 3 },
);
const content = fc.oneof(
  fc.jsonValue(),
  fc.record({ presets: fc.oneof(likely, fc.jsonValue()), more: fc.jsonValue({ maxDepth: 1 }) }, { requiredKeys: [] }),
);

const isText = (value: unknown) => typeof value === 'string';
const isOn = ({ servers, tools }: Preset, server: string, tool: string) => {
  const lists = Object.entries(tools).filter(([pattern]) => fitsWildcard(pattern, server));
  return (
    servers.some((pattern) => fitsWildcard(pattern, server)) &&
    (lists.length === 0 || lists.some(([, names]) => names.some((pattern) => fitsWildcard(pattern, tool))))
  );
};

test('any text is read without an error, into valid presets and problems with a position', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        content.map((value) => JSON.stringify(value)),
        fc.string(),
        content.map((value) => JSON.stringify(value).slice(0, -1)),
      ),
      (text) => {
        const { presets, problems, isBroken } = readPresets(text);
        assert.equal(new Set(presets.map((preset) => preset.name)).size, presets.length);
        for (const preset of presets) {
          assert.ok(preset.name.trim() !== '' && preset.name.length <= 100);
          assert.ok(preset.description === undefined || isText(preset.description));
          assert.ok(
            [...preset.servers, ...Object.values(preset.tools).flat()].every((one) => isText(one) && one !== ''),
          );
        }
        for (const { position, message } of problems)
          assert.ok(message !== '' && position.line >= 0 && position.character >= 0);
        assert.ok(!isBroken || (presets.length === 0 && problems.some(({ severity }) => severity === 'error')));
        assert.equal(Object.hasOwn(Object.prototype, 'git'), false);
      },
    ),
    { numRuns: 1_000, examples: [['{"presets":{"review":{"tools":{"":["get"]}}}}']] },
  );
});

test('an additional or invalid field never enables a tool that was off without it', () => {
  const whole = fc.record({
    servers: fc.array(fc.constantFrom('git', 'gi*', 'db'), { maxLength: 2 }),
    tools: fc.dictionary(
      fc.constantFrom('git', 'gi*', 'db'),
      fc.array(fc.constantFrom('get', 'g*', 'drop'), { maxLength: 2 }),
      { maxKeys: 2 },
    ),
  });
  const oneOf = (value: object) =>
    readPresets(JSON.stringify({ presets: { p: value } })).presets[0] ?? assert.fail('no preset');
  const opened = (before: Preset, after: Preset) =>
    ['git', 'db', 'other'].flatMap((server) =>
      ['get', 'drop', 'x']
        .filter((tool) => isOn(after, server, tool) && !isOn(before, server, tool))
        .map((tool) => `${server}/${tool}`),
    );
  fc.assert(
    fc.property(
      whole,
      fc.jsonValue({ maxDepth: 1 }),
      fc.constantFrom('tols', 'server', 'Tools', 'x'),
      (preset, odd, field) => {
        const before = oneOf(preset);
        assert.deepEqual(opened(before, oneOf({ ...preset, [field]: odd })), []);
        if (typeof odd !== 'object' || odd === null) {
          assert.deepEqual(opened(before, oneOf({ ...preset, tools: odd })), []);
          assert.deepEqual(opened(before, oneOf({ ...preset, servers: odd })), []);
          for (const server of Object.keys(preset.tools))
            assert.deepEqual(opened(before, oneOf({ ...preset, tools: { ...preset.tools, [server]: odd } })), []);
          for (const [server, names] of Object.entries(preset.tools))
            assert.deepEqual(
              opened(
                before,
                oneOf({
                  ...preset,
                  tools: { ...preset.tools, [server]: names.map((one, index) => (index === 0 ? 5 : one)) },
                }),
              ),
              [],
            );
        }
      },
    ),
    { numRuns: 1_000 },
  );
});

test('long names are reported, and many patterns take bounded time', () => {
  const read = (preset: object) => readPresets(JSON.stringify({ presets: { p: preset } }));
  const long = read({ servers: [`*${'a'.repeat(60_000)}b`], tools: { ['a'.repeat(120_000)]: [] } });
  assert.deepEqual(
    long.problems.map(({ severity, message }) => [severity, message.slice(0, 50)]),
    [
      ['error', 'Expected a name as a string with 1 to 500 characte'],
      ['error', 'Expected a name as a string with 1 to 500 characte'],
    ],
  );
  assert.deepEqual(long.presets[0]?.tools, { '*': [] }, 'an unreadable part turns no tool on');

  const slow = read({
    servers: ['a*', ...Array.from({ length: 11 }, (_, index) => `?${index}`)],
    tools: { ['?'.repeat(101)]: [] },
  });
  assert.deepEqual([slow.presets[0]?.servers.length, slow.presets[0]?.tools], [11, { '*': [] }]);
  assert.equal(slow.problems.length, 2);
  assert.match(
    slow.problems[0]?.message ?? '',
    /^At most 10 names of the file can contain "\?", each with at most 100/,
  );

  const list = (from: number) => Array.from({ length: 1_500 }, (_, index) => `*${from + index}`);
  const patterns = read({ servers: ['s'], tools: { s: [...list(0), 'exact'], 's*': list(1_500) } });
  assert.deepEqual(
    Object.values(patterns.presets[0]?.tools ?? {}).map(({ length }) => length),
    [1_501, 499],
    'the pattern "s*" counts as well',
  );
  assert.equal(patterns.problems[0]?.message, 'At most 2000 names of the file can contain "*" or "?".');

  const names = (make: (index: number) => string) => Array.from({ length: 900 }, (_, index) => make(index));
  const tools = Object.fromEntries(names((index) => `${'a'.repeat(490)}${index}`).map((name) => [name, []]));
  const many = read({ servers: names((index) => `*${'a'.repeat(245)}*${index}b`), tools });
  assert.equal(many.problems.length, 900, 'no list belongs to one of the servers');
  assert.deepEqual(many.presets[0]?.tools['*'], []);
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { placeSetting } from '../../../src/core/config/settingPlaces.js';
import { readRules } from '../../../src/core/consent/readRules.js';
import type { RuleContext } from '../../../src/core/consent/ruleFindings.js';
import { ruleFindings } from '../../../src/core/consent/ruleFindings.js';
import { callers, effects } from '../../../src/core/consent/rule.js';
import { RuleSet } from '../../../src/core/consent/ruleSet.js';
import { ruleFindingText } from '../../../src/core/present/text/ruleFindingText.js';
import { assertGrowsLinearly } from '../../support/linearWork.js';

const configured: RuleContext = {
  servers: new Map([
    ['mine', 'user'],
    ['theirs', 'workspace'],
    ['workspace', 'builtin'],
  ]),
  trustedAnnotations: [],
};
const texts = (rules: readonly object[], more: Partial<RuleContext> = {}) => {
  const placed = readRules(rules, 'always');
  const found = ruleFindings(placed, { ...configured, ...more });
  return placed.map((one) => {
    const finding = found.get(one);
    return finding ? ruleFindingText(finding) : '';
  });
};

describe('the report of rules that can never match', () => {
  const cases: readonly [string, object, RegExp][] = [
    [
      'cannot be read',
      { effect: 'allow', arguments: { '/a': { matches: '(' } } },
      /does not apply as written: .*not a regular expression.*Correct or remove the rule\./,
    ],
    ['names an unknown server', { effect: 'deny', server: 'mnie' }, /no server is named "mnie"\. Correct the name/],
    [
      'allows a server of the workspace by name',
      { effect: 'allow', server: 'theirs' },
      /"theirs" is a server of this workspace.*"Always…"/,
    ],
    [
      'uses hints of a server that is not trusted',
      { effect: 'allow', server: 'mine', annotations: { readOnly: true } },
      /the tool annotations of "mine", which you do not trust/,
    ],
    [
      'requires a tool that is read-only and destructive',
      { effect: 'ask', annotations: { readOnly: true, destructive: true } },
      /both read-only and destructive/,
    ],
    [
      'tests one path against two values',
      { effect: 'allow', arguments: { '/a': { equals: { b: 1 } }, '/a/b': { equals: 2 } } },
      /at "\/a" \/ "\/a\/b"/,
    ],
    ['tests all arguments against a text', { effect: 'deny', arguments: { '': { equals: 'x' } } }, /at ""/],
  ];
  for (const [what, rule, text] of cases) test(what, () => assert.match(texts([rule])[0] ?? '', text));

  test('has each rule that another one denies completely', () => {
    const [allow, deny] = texts([
      { effect: 'allow', server: 'mine', tool: 'delete_*', callers: ['model'] },
      { effect: 'deny', tool: 'del*' },
    ]);
    assert.match(
      allow ?? '',
      /denied by another rule, which takes precedence: deny "del\*" of any server\. Narrow that rule, or remove this one\./,
    );
    assert.equal(deny, '');
  });

  test('has each rule that is denied completely for the hints of servers that are not trusted', () => {
    const rules = [
      { effect: 'ask', server: 'mine', tool: 'read_*' },
      { effect: 'deny', annotations: { readOnly: false } },
    ];
    assert.match(texts(rules)[0] ?? '', /denied by another rule/);
    assert.deepEqual(texts(rules, { trustedAnnotations: ['mine'] }), ['', '']);
  });

  test('does not have a rule that can match', () => {
    const fine = [
      { effect: 'allow', server: 'mine', tool: 'read_*' },
      { effect: 'allow', server: 'theirs', approval: 'x' },
      { effect: 'allow', annotations: { readOnly: true } }, // of the built-in server
      { effect: 'deny', tool: 'read_secret' },
      { effect: 'ask', arguments: { '/path': { wildcard: '*.env' } } },
    ];
    assert.deepEqual(texts(fine), ['', '', '', '', '']);
  });
});

test('a rule with a finding never decides a call', () => {
  const some = <T>(...values: T[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
  const value = fc.constantFrom<unknown>('docs/a', 'docs/b', 1, { b: 1 }, { b: 'docs/a' }, ['x']);
  const testOf = fc.oneof(
    value.map((equals) => ({ equals })),
    fc.constantFrom(
      { wildcard: 'docs/*' },
      { wildcard: '*' },
      { wildcard: '?' },
      { matches: 'docs/.' },
      { matches: '1' },
    ),
  );
  const rule = fc
    .record({
      effect: fc.constantFrom(...effects),
      server: some('mine', 'theirs', 'workspace', 'gone'),
      tool: some('read', 'read_?', 'read*', 're*d', '*'),
      annotations: some(
        { readOnly: true },
        { destructive: true },
        { readOnly: true, destructive: true },
        { readOnly: false },
      ),
      arguments: fc.option(fc.dictionary(fc.constantFrom('', '/a', '/a/b', '/c'), testOf, { minKeys: 1, maxKeys: 2 }), {
        nil: undefined,
      }),
      callers: fc.option(fc.subarray([...callers], { minLength: 1 }), { nil: undefined }),
      approval: some('x', 'y'),
    })
    .map((made) => Object.fromEntries(Object.entries(made).filter(([, part]) => part !== undefined)));
  const call = fc.record({
    server: fc.constantFrom('mine', 'theirs', 'workspace'),
    tool: fc.constantFrom('read', 'read_x', 'reed', 'write'),
    readOnlyHint: fc.boolean(),
    destructiveHint: fc.boolean(),
    arguments: fc.dictionary(fc.constantFrom('a', 'c'), value, { maxKeys: 2 }),
    caller: fc.constantFrom(...callers),
    approval: fc.constantFrom('x', 'y'),
  });
  fc.assert(
    fc.property(
      fc.array(rule, { maxLength: 5 }),
      fc.array(call, { minLength: 1, maxLength: 20 }),
      fc.subarray(['mine', 'theirs']),
      (rules, calls, trustedAnnotations) => {
        const placed = readRules(rules, 'always');
        const found = ruleFindings(placed, { ...configured, trustedAnnotations });
        const set = new RuleSet(placed);
        for (const { readOnlyHint, destructiveHint, ...one } of calls) {
          const origin = configured.servers.get(one.server) ?? 'user';
          const decision = set.decide({
            ...one,
            origin,
            hasTrustedAnnotations:
              origin === 'builtin' || (origin === 'user' && trustedAnnotations.includes(one.server)),
            annotations: { readOnlyHint, destructiveHint },
          });
          const finding = decision.rule && found.get(decision.rule);
          assert.equal(finding, undefined, JSON.stringify([rules, one, finding]));
        }
      },
    ),
    { numRuns: 2_000 },
  );
});

test('rules are found in settings files and in those of workspaces, also with comments', () => {
  const text =
    '{\n  // mine\n  "mcpDeck.rules": [\n    { "effect": "deny" },\n    { "effect": "ask",\n      "tool": "x" },\n  ]\n}';
  const placed = placeSetting(text, 'mcpDeck.rules');
  assert.deepEqual(placed?.value, [{ effect: 'deny' }, { effect: 'ask', tool: 'x' }]);
  assert.deepEqual(placed.items, [
    { line: 3, character: 4, endLine: 3, endCharacter: 24 },
    { line: 4, character: 4, endLine: 5, endCharacter: 19 },
  ]);
  assert.deepEqual(placeSetting(`{ "folders": [], "settings": ${text} }`, 'mcpDeck.rules')?.value, placed.value);
  for (const other of ['', '[]', '{', '{ "a": 1 }', `${'['.repeat(500)}`])
    assert.equal(placeSetting(other, 'mcpDeck.rules'), undefined);
});

describe('the check of rules takes bounded time for', () => {
  const rulesOf: Record<string, (count: number) => object[]> = {
    'a rule with many tests': (count) => [
      { effect: 'ask', arguments: Object.fromEntries(Array.from({ length: count }, (_, i) => [`/${i}`, 1])) },
    ],
    'many rules with large values': (count) => {
      const value = (start: number) => Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`k${i}`, start + i]));
      return Array.from({ length: count / 8 }, (_, i) => ({
        effect: i % 2 === 0 ? 'deny' : 'ask',
        arguments: { '/x': { equals: value(i * 100) } },
      }));
    },
    'patterns that backtrack': (count) =>
      Array.from({ length: count / 16 }, (_, i) => ({
        effect: i % 2 === 0 ? 'deny' : 'ask',
        arguments: { '/x': i % 2 === 0 ? { matches: `.*.*${i}b` } : { equals: `${'a'.repeat(1_900)}${i}` } },
      })),
  };
  for (const [what, make] of Object.entries(rulesOf))
    test(what, () => {
      const run = (count: number) => void ruleFindings(readRules(make(count), 'workspaceFile'), configured);
      assertGrowsLinearly(run, 4_000, what);
    });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { readRules } from '../../../src/core/consent/readRules.js';
import type { Rule } from '../../../src/core/consent/rule.js';
import { callers, effects } from '../../../src/core/consent/rule.js';
import type { CallFacts } from '../../../src/core/consent/ruleSet.js';
import { RuleSet } from '../../../src/core/consent/ruleSet.js';
import { compileWildcard, compileRegex } from '../../../src/core/consent/textPattern.js';

/** How much is allowed without a question. */
const width = { deny: 0, ask: 1, allow: 2 } as const;

const placed = (rules: readonly Rule[]) => readRules(rules, 'always');

const plain = (rule: Rule): unknown => JSON.parse(JSON.stringify(rule));

test('a wildcard matches exactly the texts of the equivalent regular expression', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 8 });
  fc.assert(
    fc.property(letters, fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 }), (pattern, text) => {
      const oracle = new RegExp(`^${pattern.replaceAll('*', '[^]*').replaceAll('?', '[^]')}$`);
      const test = compileWildcard(pattern);
      assert.ok(typeof test === 'function');
      assert.equal(test(text), oracle.test(text));
    }),
    { numRuns: 2_000 },
  );
});

test('a regular expression matches whole texts, as RegExp does', () => {
  const pieces = fc
    .array(fc.constantFrom('a', 'b', 'a*', 'b?', '[ab]', '.', 'ab', 'a{0,2}', '|', '(?:a|b)', '\\w'), { maxLength: 5 })
    .map((list) => list.join(''));
  fc.assert(
    fc.property(pieces, fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 6 }), (source, text) => {
      const test = compileRegex(source);
      if (typeof test === 'function') assert.equal(test(text), new RegExp(`^(?:${source})$`, 'su').test(text));
    }),
    { numRuns: 2_000 },
  );
});

const texts = fc.constantFrom('db', 'other', 'drop_table', 'drop_*', '*', 'read');

const anyRule: fc.Arbitrary<Rule> = fc.record(
  {
    effect: fc.constantFrom(...effects),
    server: texts,
    tool: texts,
    annotations: fc.record({ readOnly: fc.boolean(), destructive: fc.boolean() }),
    arguments: fc.dictionary(
      fc.constantFrom('/table', '/path', '/none'),
      fc.oneof(
        fc.record({ equals: texts }),
        fc.record({ wildcard: texts }),
        fc.record({ matches: fc.constantFrom('p.*', '[a-z]+', 'src/.*') }),
      ),
      { minKeys: 1 },
    ),
    callers: fc.uniqueArray(fc.constantFrom(...callers), { minLength: 1 }),
    approval: fc.constantFrom('now', 'then'),
  },
  { requiredKeys: ['effect'] },
);

const anyCall: fc.Arbitrary<CallFacts> = fc.record({
  server: fc.constantFrom('db', 'other'),
  origin: fc.constantFrom('builtin', 'user', 'workspace'),
  hasTrustedAnnotations: fc.boolean(),
  tool: fc.constantFrom('drop_table', 'read'),
  annotations: fc.record({ readOnlyHint: fc.boolean(), destructiveHint: fc.boolean() }),
  arguments: fc.record({ table: texts, path: fc.constantFrom('src/a.ts', 'src/../x', 'p') }),
  caller: fc.constantFrom(...callers),
  approval: fc.constantFrom('now', 'then'),
});

describe('for any rules and calls', () => {
  test('deny takes precedence, in any order', () => {
    fc.assert(
      fc.property(fc.array(anyRule, { maxLength: 6 }), anyCall, fc.nat(), (rules, call, seed) => {
        const isDenied = rules.some(
          (rule) => rule.effect === 'deny' && new RuleSet(placed([rule])).decide(call).effect === 'deny',
        );
        assert.equal(new RuleSet(placed(rules)).decide(call).effect === 'deny', isDenied);
        const turned = rules
          .map((rule, i) => ({ rule, at: (i * 7919 + seed) % 104_729 }))
          .sort((a, b) => a.at - b.at)
          .map(({ rule }) => rule);
        assert.equal(new RuleSet(placed(turned)).decide(call).effect, new RuleSet(placed(rules)).decide(call).effect);
      }),
    );
  });

  test('the decision of many rules is that of the single rules combined', () => {
    const values = fc.oneof(
      texts,
      fc.constantFrom<unknown>(
        7,
        true,
        null,
        'p'.repeat(2_500),
        'x'.repeat(2_500),
        ['p'],
        { p: 1 },
        'people',
        'src/core/a.ts',
        'src/../x',
      ),
    );
    const tests = fc.oneof(
      fc.record({ equals: fc.oneof(texts, fc.constantFrom<unknown>(7, true, null, ['p'])) }),
      fc.record({ wildcard: fc.constantFrom('p*', 'src/*', 'src/core/*.ts', 'tr?e', '?', 'people') }),
      fc.record({ matches: fc.constantFrom('p.*', 'people', 'src/.*|x+', '7', 'pe?o.*') }),
    );
    const rule = fc.oneof(
      anyRule,
      fc.record(
        {
          effect: fc.constantFrom(...effects),
          server: texts,
          tool: fc.constantFrom('drop_*', 'd*', '*', 'read', 'rea?', '?*'),
          arguments: fc.dictionary(fc.constantFrom('/table', '/path', '/none'), tests, { minKeys: 1 }),
        },
        { requiredKeys: ['effect'] },
      ),
    );
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 30 }), anyCall, values, values, (rules, made, table, path) => {
        const call = { ...made, arguments: { table, path } };
        const read = placed(rules);
        const alone = read.filter((one) => new RuleSet([one]).decide(call).rule !== undefined);
        const { effect, rule: found } = new RuleSet(read).decide(call);
        const few = new RuleSet(alone).decide(call);
        assert.deepEqual({ effect, found }, { effect: few.effect, found: few.rule });
        assert.equal(found === undefined, alone.length === 0);
      }),
      { numRuns: 3_000 },
    );
  });

  test('[C5] hints of a server that is not trusted never widen the decision without hints', () => {
    const someRule = fc.oneof(
      anyRule,
      fc.record({
        effect: fc.constantFrom(...effects),
        annotations: fc.record({ readOnly: fc.boolean(), destructive: fc.boolean() }, { requiredKeys: [] }),
      }),
    );
    const claims = fc.record(
      {
        readOnlyHint: fc.boolean(),
        destructiveHint: fc.boolean(),
        idempotentHint: fc.boolean(),
        openWorldHint: fc.boolean(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(
        fc.array(someRule, { minLength: 1, maxLength: 6 }),
        anyCall,
        fc.constantFrom('user' as const, 'workspace' as const),
        claims,
        (rules, made, origin, annotations) => {
          const silent: CallFacts = { ...made, origin, hasTrustedAnnotations: false };
          delete silent.annotations;
          const set = new RuleSet(placed(rules));
          const [said, unsaid] = [set.decide({ ...silent, annotations }).effect, set.decide(silent).effect];
          assert.ok(width[said] <= width[unsaid], `${unsaid} became ${said}`);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('no error widens: a broken part allows nothing that the intended rule did not', () => {
    const broken: Record<string, unknown> = {
      server: 7,
      tool: { not: 'a text' },
      annotations: 'all',
      arguments: { 'no pointer': 1 },
      callers: ['unknown'],
      approval: 3,
      surprise: true,
    };
    fc.assert(
      fc.property(
        fc.array(anyRule, { minLength: 1, maxLength: 5 }),
        anyCall,
        fc.nat(),
        fc.constantFrom(...Object.keys(broken)),
        (rules, call, which, field) => {
          const meant = new RuleSet(placed(rules)).decide(call).effect;
          const target = which % rules.length;
          const written = rules.map((rule, i) => (i === target ? { ...rule, [field]: broken[field] } : rule));
          const outcome = new RuleSet(readRules(written, 'always')).decide(call).effect;
          // A dropped allowance leaves the decision without it. A dropped rule that asks may have overridden a wider
          // one, so only the default of the caller may remain.
          if (rules[target]?.effect === 'allow') {
            const without = new RuleSet(placed(rules.filter((_rule, i) => i !== target))).decide(call).effect;
            assert.equal(outcome, without);
          } else assert.ok(width[outcome] <= width[meant], `${meant} became ${outcome}`);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('rules are read from settings as written', () => {
    fc.assert(
      fc.property(fc.array(anyRule, { maxLength: 6 }), (rules) => {
        const back = readRules(JSON.parse(JSON.stringify(rules)), 'always');
        const valid = back.filter(({ problem }) => problem === undefined);
        assert.deepEqual(
          valid.map(({ rule }) => rule),
          rules.filter((_rule, i) => back[i]?.problem === undefined).map(plain),
        );
      }),
    );
  });
});

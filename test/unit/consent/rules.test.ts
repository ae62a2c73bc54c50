import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Emitter } from '../../../src/core/base/event.js';
import { maxRules, readRules, withoutFormerName } from '../../../src/core/consent/readRules.js';
import type { PlacedRule, Rule } from '../../../src/core/consent/rule.js';
import { callers, effects } from '../../../src/core/consent/rule.js';
import { RuleBook } from '../../../src/core/consent/ruleBook.js';
import { ruleFindings } from '../../../src/core/consent/ruleFindings.js';
import type { CallFacts } from '../../../src/core/consent/ruleSet.js';
import { RuleSet } from '../../../src/core/consent/ruleSet.js';
import { SharedTime } from '../../../src/core/consent/sharedTime.js';
import { compileWildcard, compileRegex } from '../../../src/core/consent/textPattern.js';
import { assertGrowsLinearly } from '../../support/linearWork.js';

const base: CallFacts = {
  server: 'db',
  origin: 'user',
  hasTrustedAnnotations: false,
  tool: 'drop_table',
  arguments: { table: 'people', path: 'src/a.ts' },
  caller: 'model',
  approval: 'now',
};

const decide = (written: unknown, call: Partial<CallFacts> = {}, source: PlacedRule['source'] = 'always') =>
  new RuleSet(readRules(written, source)).decide({ ...base, ...call }).effect;

describe('[C5] without a rule', () => {
  test('calls of every caller but the user need a question, except for other extensions that use the API', () => {
    assert.deepEqual(
      callers.map((caller) => [caller, decide([], { caller })]),
      [
        ['user', 'allow'],
        ['model', 'ask'],
        ['app', 'ask'],
        ['task', 'ask'],
        ['script', 'ask'],
        ['agent', 'ask'],
      ],
    );
    assert.deepEqual(
      callers.map((caller) => decide([], { caller, isApi: true })),
      ['allow', 'ask', 'ask', 'ask', 'allow', 'ask'],
    );
    assert.deepEqual(
      [
        decide([{ effect: 'deny', callers: ['script'] }], { caller: 'script', isApi: true }),
        decide([{ effect: 'ask', callers: ['script'] }], { caller: 'script', isApi: true }),
      ],
      ['deny', 'ask'],
    );
  });

  test('a read-only hint waives no question, except for our own server', () => {
    const annotations = { readOnlyHint: true };
    assert.deepEqual(
      [
        decide([], { annotations }),
        decide([], { annotations, hasTrustedAnnotations: true }),
        decide([], { annotations, origin: 'builtin' }),
        decide([], { origin: 'builtin' }),
      ],
      ['ask', 'ask', 'allow', 'ask'],
    );
  });
});

describe('a rule matches', () => {
  const cases: [string, Rule | object, Partial<CallFacts>, 'allow' | 'ask' | 'deny'][] = [
    ['the server it names', { effect: 'deny', server: 'db' }, {}, 'deny'],
    ['no other server', { effect: 'deny', server: 'other' }, {}, 'ask'],
    ['a tool by its name', { effect: 'allow', tool: 'drop_table' }, {}, 'allow'],
    ['tools by a pattern', { effect: 'deny', tool: 'drop_*' }, {}, 'deny'],
    ['one character by a question mark', { effect: 'deny', tool: 'drop?table' }, {}, 'deny'],
    ['the whole name only', { effect: 'deny', tool: 'drop' }, {}, 'ask'],
    ['who calls', { effect: 'deny', callers: ['app'] }, { caller: 'app' }, 'deny'],
    ['no other caller', { effect: 'deny', callers: ['app'] }, {}, 'ask'],
    ['an equal argument', { effect: 'deny', arguments: { '/table': 'people' } }, {}, 'deny'],
    [
      'equal JSON in any order',
      { effect: 'deny', arguments: { '/o': { equals: { a: 1, b: 2 } } } },
      { arguments: { o: { b: 2, a: 1 } } },
      'deny',
    ],
    ['an argument by a pattern', { effect: 'allow', arguments: { '/path': { wildcard: 'src/*' } } }, {}, 'allow'],
    [
      'no path that leads out of the pattern',
      { effect: 'allow', arguments: { '/path': { wildcard: 'src/*' } } },
      { arguments: { path: 'src/../../etc/passwd' } },
      'ask',
    ],
    [
      'an argument by a regular expression',
      { effect: 'allow', arguments: { '/path': { matches: 'src/[a-z.]+' } } },
      {},
      'allow',
    ],
    [
      'the whole text of a regular expression',
      { effect: 'allow', arguments: { '/path': { matches: 'src' } } },
      {},
      'ask',
    ],
    ['not where the argument is missing', { effect: 'deny', arguments: { '/nothing': 1 } }, {}, 'ask'],
    ['nothing inherited', { effect: 'deny', arguments: { '/constructor': { wildcard: '*' } } }, {}, 'ask'],
    [
      'to deny, if the match is uncertain',
      { effect: 'deny', arguments: { '/path': { wildcard: '*.pem' } } },
      { arguments: { path: ['a.pem'] } },
      'deny',
    ],
    [
      'not to allow, if the match is uncertain',
      { effect: 'allow', arguments: { '/path': { matches: 'x*' } } },
      { arguments: { path: 'x'.repeat(5_000) } },
      'ask',
    ],
    ['what was approved', { effect: 'allow', approval: 'now', callers: ['model'] }, {}, 'allow'],
    ['nothing that changed since', { effect: 'allow', approval: 'then' }, {}, 'ask'],
    [
      'tools that a server calls destructive',
      { effect: 'deny', annotations: { destructive: true } },
      { annotations: { destructiveHint: true } },
      'deny',
    ],
    [
      'tools without hints, by the defaults of the specification',
      { effect: 'deny', annotations: { destructive: true } },
      {},
      'deny',
    ],
  ];
  for (const [what, rule, call, expected] of cases) test(what, () => assert.equal(decide([rule], call), expected));

  test('[C5] by hints: a rule that allows matches only servers that the user trusts', () => {
    const rule = [{ effect: 'allow', annotations: { readOnly: true } }];
    const annotations = { readOnlyHint: true };
    assert.deepEqual(
      [
        decide(rule, { annotations }),
        decide(rule, { annotations, hasTrustedAnnotations: true }),
        decide(rule, { hasTrustedAnnotations: true }),
      ],
      ['ask', 'allow', 'ask'],
    );
  });

  test('[C5] by hints: a rule that asks or denies matches any claims of a server that is not trusted', () => {
    const destructive = [{ effect: 'deny', annotations: { destructive: true } }];
    const writing = [{ effect: 'ask', annotations: { readOnly: false } }];
    const claims = { readOnlyHint: true, destructiveHint: false };
    const call = { annotations: claims, caller: 'user' } as const;
    assert.deepEqual(
      [decide(destructive, call), decide(destructive, { ...call, hasTrustedAnnotations: true })],
      ['deny', 'allow'],
    );
    assert.deepEqual(
      [decide(writing, call), decide(writing, { ...call, hasTrustedAnnotations: true })],
      ['ask', 'allow'],
    );
    // Hints that make a restricting rule match are used.
    assert.equal(decide([{ effect: 'deny', annotations: { readOnly: true } }], call), 'deny');
  });

  test('[S4] by name: a rule that allows matches no server of the workspace, unless it has an approval', () => {
    const call = { origin: 'workspace' } as const;
    assert.deepEqual(
      [
        decide([{ effect: 'allow', server: 'db' }], call),
        decide([{ effect: 'allow', server: 'db', approval: 'now', callers: ['model'] }], call),
        decide([{ effect: 'deny', server: 'db' }], call),
      ],
      ['ask', 'allow', 'deny'],
    );
  });
});

test('the more specific rule takes precedence, and a rule that asks over an equal one that allows', () => {
  const both = (a: object, b: object, call: Partial<CallFacts> = {}) => [decide([a, b], call), decide([b, a], call)];
  assert.deepEqual(both({ effect: 'ask', server: 'db' }, { effect: 'allow', tool: 'drop_table' }), ['allow', 'allow']);
  assert.deepEqual(
    both(
      { effect: 'allow', tool: 'drop_table' },
      { effect: 'ask', tool: 'drop_table', arguments: { '/table': 'people' } },
    ),
    ['ask', 'ask'],
  );
  assert.deepEqual(both({ effect: 'allow', tool: 'drop_*' }, { effect: 'ask', tool: 'drop_*' }), ['ask', 'ask']);
  assert.deepEqual(both({ effect: 'allow', tool: 'd*' }, { effect: 'ask', tool: 'drop_*' }), ['ask', 'ask']);
});

describe('[N3] the settings of a workspace', () => {
  test('can ask and deny, but never allow', () => {
    assert.deepEqual(
      effects.map((effect) => decide([{ effect }], {}, 'workspaceFile')),
      ['ask', 'ask', 'deny'],
    );
    assert.equal(decide([{ effect: 'ask' }], { caller: 'user' }, 'workspaceFile'), 'ask');
    assert.match(readRules([{ effect: 'allow' }], 'workspaceFile')[0]?.problem ?? '', /only ask or deny/);
  });
});

describe('invalid rules', () => {
  const cases: [string, unknown, RegExp][] = [
    ['rules that are not a list', { effect: 'allow' }, /must be a list/],
    ['a rule that is not an object', ['deny'], /must be an object/],
    ['an unknown effect', [{ effect: 'permit' }], /"effect"/],
    ['an unknown field', [{ effect: 'deny', sever: 'db' }], /"sever" is not a field of a rule/],
    ['an endless expression', [{ effect: 'deny', arguments: { '/a': { matches: '(a+)+b' } } }], /could take too long/],
    ['a broken expression', [{ effect: 'deny', arguments: { '/a': { matches: ')(' } } }], /not a regular expression/],
    ['two tests at one path', [{ effect: 'deny', arguments: { '/a': { wildcard: '*', equals: 1 } } }], /one of/],
    ['no caller at all', [{ effect: 'deny', callers: [] }], /"callers"/],
    ['too long a pattern', [{ effect: 'deny', tool: 'x'.repeat(501) }], /500 characters/],
  ];
  for (const [what, written, problem] of cases) {
    test(`${what}: reported, and allows nothing`, () => {
      const [first] = readRules(written, 'always');
      assert.match(first?.problem ?? '', problem);
      assert.notEqual(decide(written), 'allow');
      assert.notEqual(decide(written, { caller: 'user', arguments: { a: 'x' } }), 'allow');
    });
  }

  test('more rules than the limit', () =>
    assert.equal(decide(Array.from({ length: maxRules + 1 }, () => ({ effect: 'allow' }))), 'ask'));

  test('an expression cannot close our group and test only a part', () => {
    assert.ok('problem' in compileRegex('a)|(?:b'));
  });
});

for (const path of [
  '/p/..%2f..%2Fetc',
  '/p/%2e%2E/etc',
  '/p/%252e%252e%252fetc',
  '/p/%c0%ae%c0%ae/etc',
  '/p/%u002e./x',
  '/p/..;/x',
  '/p/.. /x',
  '/p/.../x',
  '/p/\uff0e\uff0e/x',
  '/p/\u2025/x',
  '/p/..\\x',
  '/p/.\u200b./x',
  '/p/\u2060..\u00ad/x',
  '/p/.\t./x',
  '/p/%E2%80%8B../x',
  '/p/.%25E2%2580%258B./x',
  '/p/%2\u200be%2e/x',
  '/p/.%ef%bc%8e/x',
  '/p/%25ef%25bc%258e./x',
  '/p/..%25252fx',
  '/p/..\u2215x',
  '/p/..%e2%88%95x',
  '/p/../x',
  '/p/..\u2216x',
  '/p/..\u00a5x',
  '/p/..\uffe6x',
  '/p/.\\./x',
  "/p/.''./x",
  '/p/\\u002e\\x2e/x',
  '/p/&#46;&#x2e;/x',
  '/p/%e0%80%ae%e0%80%ae/x',
  '/p/%f0%80%80%ae./x',
  '/p/%c0%2e/x',
  '/p/%uff0e%uff0e/x',
  '/p/%u{2e}./x',
  '/p/%25u002e./x',
  '/p/%%32%65./x',
  '/p/%ff',
  '/p/%2525252525%32e./x',
  '/p/\uff05\uff12\uff45./x',
  `/p/a${'\u0301\u200b'.repeat(31)}`,
  `/p/a${'%CC%81'.repeat(31)}`,
]) {
  test(`[patterns.traversal] ${JSON.stringify(path)} is not certain to match a wildcard or a regular expression`, () => {
    const fits = compileWildcard('/p/*');
    assert.ok(typeof fits === 'function');
    assert.equal(fits(path), undefined);
    const matches = compileRegex('/p/.*');
    assert.ok(typeof matches === 'function');
    assert.equal(matches(path), undefined);
    for (const effect of ['allow', 'deny'] as const)
      for (const written of [{ wildcard: '/p/*' }, { matches: '/p/.*' }])
        assert.equal(
          decide([{ effect, arguments: { '/path': written } }], { arguments: { path } }),
          effect === 'allow' ? 'ask' : 'deny',
        );
    for (const plain of [
      '/p/a..b/100%/x.y',
      '/p/a%20b%C3%A4/c',
      '/p/50%25/\u{1f600}',
      '/p/x%zz.',
      '/p/caf\u00e9\u200d',
    ])
      assert.deepEqual([fits(plain), matches(plain)], [true, true], plain);
  });
}

test('[C27] rules of the user that VS Code hides allow nothing, and report that', () => {
  const settings = {
    read: () => ({ user: undefined, isUserHidden: true, workspace: [[{ effect: 'allow' }]] }),
    write: () => Promise.resolve(),
    onDidChange: new Emitter<void>().event,
  };
  const session: Rule[] = [{ effect: 'allow' }];
  const book = new RuleBook(settings, { get: () => session, set: () => Promise.resolve() });
  assert.deepEqual(
    callers.map((caller) => book.decide({ ...base, caller }).effect),
    callers.map(() => 'ask'),
  );
  assert.match(book.rules[0]?.problem ?? '', /your rules apply to all profiles.*Remove mcpDeck\.rules/);
});

describe('[N3] a test that is written as "glob", the name of "wildcard" before,', () => {
  const written = [{ effect: 'deny', server: 'db', arguments: { '/path': { glob: 'docs/*' }, '/table': 'people' } }];

  test('means the same, and says that it was renamed', () => {
    const [placed] = readRules(written, 'always');
    assert.deepEqual(placed, {
      rule: {
        effect: 'deny',
        server: 'db',
        arguments: { '/path': { wildcard: 'docs/*' }, '/table': { equals: 'people' } },
      },
      source: 'always',
      index: 0,
      hasFormerName: true,
    });
    const findings = ruleFindings(readRules(written, 'always'), {
      servers: new Map([['db', 'user']]),
      trustedAnnotations: [],
    });
    assert.deepEqual([...findings.values()], [{ kind: 'former-name' }]);
  });

  test('is not renamed where it is malformed, so that no rule is widened', () => {
    const malformed = [
      { effect: 'allow', arguments: { '/path': { glob: '*', wildcard: '/safe/*' } } },
      { effect: 'deny', arguments: { '/path': { glob: '/tmp/*', mathces: 'x' } } },
      { effect: 'deny', arguments: { '/path': { glob: 7 } } },
    ];
    for (const rule of malformed) assert.equal(withoutFormerName(rule), rule);
    assert.ok(readRules(malformed, 'always').every(({ problem }) => problem !== undefined));
  });

  test('is written under its new name as soon as the list is written', async () => {
    const stored = { user: written as readonly unknown[] };
    const book = new RuleBook(
      {
        read: () => ({ user: stored.user, workspace: [] }),
        write: (rules) => Promise.resolve(void (stored.user = rules)),
        onDidChange: new Emitter<void>().event,
      },
      { get: () => undefined, set: () => Promise.resolve() },
    );
    await book.add({ effect: 'ask', tool: 'read' }, 'always');
    assert.deepEqual(stored.user, [
      { effect: 'deny', server: 'db', arguments: { '/path': { wildcard: 'docs/*' }, '/table': 'people' } },
      { effect: 'ask', tool: 'read' },
    ]);
  });
});

test('[patterns.traversal] a text of combining characters takes linear time', () => {
  const fits = compileWildcard('a*');
  assert.ok(typeof fits === 'function');
  const run = (count: number) => {
    for (let i = 0; i < 20; i++) fits(`a${'\u0301\u0323'.repeat(count / 2)}`);
  };
  assertGrowsLinearly(run, 19_000, 'combining characters');
});

test('regular expressions of many rules share their time, and are undecided without it', (t) => {
  const time = new SharedTime(250);
  let now = 0;
  t.mock.method(performance, 'now', () => (now += 100));
  const tests = ['a+', 'a*'].map((source) => compileRegex(source, time));
  const answers = [0, 1, 0, 1].map((at) => (tests[at] as (text: string) => boolean | undefined)('a'));
  assert.deepEqual([answers, time.leftMs], [[true, true, true, undefined], -50]);
  const rules = ['x', 'y', 'z', 'b', 'b', 'b'].map((matches) => ({
    effect: 'deny' as const,
    arguments: { '/path': { matches: `[${matches}]+` } },
  }));
  assert.equal(decide(rules, { arguments: { path: 'a' } }), 'deny', 'the sixth pattern is undecided');
  assert.equal(decide(rules.slice(0, 5), { arguments: { path: 'a' } }), 'ask');
  const others = [{ wildcard: `*${'?'.repeat(490)}x` }, { equals: ['b'] }];
  for (const [at, test] of others.entries()) {
    const many = Array.from({ length: 6 }, () => ({ effect: 'deny' as const, arguments: { '/path': test } }));
    const path = at === 0 ? 'a'.repeat(1_000) : ['a'];
    assert.equal(decide(many, { arguments: { path } }), 'deny');
    assert.equal(decide(many.slice(0, 5), { arguments: { path } }), 'ask');
  }
});

test('a regular expression that takes too long is undecided, also for the next text of this length', () => {
  const matches = compileRegex('[^]*[^]*([^]?)([^]?)([^]?)([^]?)([^]?)([^]?)([^]?)([^]?)([^]?)([^]?)\\x00');
  assert.ok(typeof matches === 'function');
  assert.deepEqual(
    [matches('a\0'), matches('a'.repeat(2_000)), matches('b'.repeat(2_000))],
    [true, undefined, undefined],
  );
  for (const effect of ['allow', 'deny'] as const)
    assert.equal(
      decide(
        [
          {
            effect,
            arguments: {
              '/path': { matches: '[^]*[^]*([^]?)([^]?)([^]?)([^]?)([^]?)([^]?)([^]?)([^]?)([^]?)([^]?)\\x00' },
            },
          },
        ],
        { arguments: { path: 'a'.repeat(2_000) } },
      ),
      effect === 'allow' ? 'ask' : 'deny',
    );
});

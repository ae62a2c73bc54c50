import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ExcludeRules } from '../../../src/core/workspaceServer/exclusions.js';
import { Exclusions } from '../../../src/core/workspaceServer/exclusions.js';
import { Turns } from '../../../src/core/workspaceServer/turns.js';
import { compileGlob, escapeGlob } from '../../../src/core/workspaceServer/globRules.js';

const isExcluded = (path: string, rules: ExcludeRules, exists: (path: string) => Promise<boolean>) =>
  new Exclusions(rules).hides(path, exists);

test('patterns match as in settings', () => {
  const cases: [pattern: string, matches: string[], others: string[]][] = [
    ['*.js', ['a.js', '.js'], ['a/b.js', 'a.jsx', 'a.JS']],
    ['**/*.js', ['a.js', 'a/b.js', 'a/b/c.js'], ['a.ts']],
    ['**/.git', ['.git', 'a/.git', 'a/b/.git'], ['.github', 'x.git', '.git/config']],
    ['**/node_modules/**', ['node_modules', 'node_modules/a', 'x/node_modules/a/b'], ['node_modulesx/a']],
    ['out', ['out'], ['a/out', 'outer']],
    ['src/**', ['src', 'src/a', 'src/a/b'], ['source/a']],
    ['src/**/test/*.ts', ['src/test/a.ts', 'src/x/y/test/a.ts'], ['src/test/x/a.ts']],
    ['a?c', ['abc'], ['ac', 'a/c']],
    ['*.{ts,tsx}', ['a.ts', 'a.tsx'], ['a.t', 'a.ts,tsx']],
    ['{a,b/{c,d}}', ['a', 'b/c', 'b/d'], ['b', 'c']],
    ['[a-c].x', ['a.x', 'c.x'], ['d.x', 'ab.x']],
    ['[!a-c].x', ['d.x'], ['a.x', '/.x']],
    ['a**b', ['ab', 'axb'], ['a/b']],
    ['a.b+c(d)|e^$', ['a.b+c(d)|e^$'], ['axb+c(d)|e^$']],
    ['{unclosed', ['{unclosed'], ['unclosed']],
    ['[unclosed', ['[unclosed'], ['u']],
    ['/out/', ['out'], []],
    ['**', ['', 'a', 'a/b'], []],
    ['ä*', ['äb'], ['ab']],
  ];
  for (const [pattern, matches, others] of cases) {
    const test = compileGlob(pattern);
    for (const path of matches) assert.ok(test(path), `${pattern} should match ${path}`);
    for (const path of others) assert.ok(!test(path), `${pattern} should not match ${path}`);
  }
  assert.ok(compileGlob('**/*.JS', true)('a/b.js'));
});

test('an escaped name matches itself only', () => {
  const name = fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom(...'ab*?{}[]!,.-^\\+()|$ ä') });
  fc.assert(
    fc.property(name, name, (one, other) => {
      const test = compileGlob(escapeGlob(one));
      assert.ok(test(one));
      assert.equal(test(other), one === other);
    }),
  );
});

test('no pattern throws', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'ab*?{}[]!,./-^\\+()|$') }), fc.string(), (pattern, path) => {
      compileGlob(pattern)(path);
    }),
  );
});

test('hiding a folder hides its content; conditions check the sibling files', async () => {
  const rules = { '**/.git': true, 'out/': true, '**/shown': false, '**/*.js': { when: '$(basename).ts' } };
  const exists = (path: string): Promise<boolean> => Promise.resolve(path === 'src/a.ts');
  const hidden = async (path: string): Promise<boolean> => isExcluded(path, rules, exists);
  assert.deepEqual(await Promise.all(['.git/config', 'x/.git/HEAD', 'out/a/b.txt', 'src/a.js'].map(hidden)), [
    true,
    true,
    true,
    true,
  ]);
  assert.deepEqual(await Promise.all(['.gitignore', 'src/out/a', 'src/b.js', 'shown', 'src/a.ts'].map(hidden)), [
    false,
    false,
    false,
    false,
    false,
  ]);
});

test('[patterns.bounded] patterns with exponentially many matches are answered like others', () => {
  const path = 'a'.repeat(200);
  for (const pattern of [
    '*a*a*a*a*a*a*a*a*a*a*a*a*b',
    '**/*a*a*a*a*a*a*a*a*a*a*b',
    '{*a,*aa}{*a,*aa}{*a,*aa}{*a,*aa}{*a,*aa}{*a,*aa}b',
    `${'**/'.repeat(100)}b`,
    `${'{'.repeat(900)}a${'}'.repeat(900)}b`,
  ]) {
    assert.equal(compileGlob(pattern)(path), false, pattern.slice(0, 40));
    assert.equal(compileGlob(pattern, true)(`${path}/${path}`), false, pattern.slice(0, 40));
  }
});

test('case is ignored if configured, also in sets and other scripts', () => {
  assert.ok(compileGlob('[a-c]Ä?.{JS,ts}', true)('Bäx.js'));
  assert.ok(!compileGlob('[!a-c].x', true)('A.x'));
  assert.ok(compileGlob('?.x')('😀.x'));
});

test('[patterns.bounded] matching that would take too many steps ends early: the file is hidden, at any depth', async () => {
  const path = `${'a/'.repeat(2_000)}x`;
  const rules = Object.fromEntries(
    [...Array(200).keys()].map((index) => [`${'**/'.repeat(600)}y${index}/z`, true] as const),
  );
  const began = process.cpuUsage();
  assert.equal(await isExcluded(path, rules, () => Promise.resolve(false)), true);
  assert.equal(compileGlob(`${'**/'.repeat(600)}x`)(path), false);
  // Without a limit this takes many minutes.
  assert.ok(process.cpuUsage(began).user < 10_000_000);
  assert.equal(
    await isExcluded(path, { '**/.git': true, '**/*.js': { when: '$(basename).ts' } }, () => Promise.resolve(false)),
    false,
    'usual rules are within the limit',
  );
});

test('a pattern with a condition is evaluated in each folder that it matches', async () => {
  const asked: string[] = [];
  const exists = (file: string) => Promise.resolve(asked.push(file) > 2);
  assert.equal(await isExcluded('a.x/b.x/c.x', { '**/*.x': { when: '$(basename).y' } }, exists), true);
  assert.deepEqual(asked, ['a.y', 'a.x/b.y', 'a.x/b.x/c.y']);
});

test('[patterns.bounded] a name is inserted into a "when" unchanged, and a long "when" is cut', async () => {
  const asked: string[] = [];
  const exists = (path: string) => {
    asked.push(path);
    return Promise.resolve(false);
  };
  await isExcluded("w/a$'$&b.js", { '**/*.js': { when: '$(basename).ts' } }, exists);
  assert.deepEqual(asked, ["w/a$'$&b.ts"]);
  await isExcluded('w/a.js', { '**/*.js': { when: '$(basename)'.repeat(10_000) } }, exists);
  assert.ok((asked[1]?.length ?? 0) < 1_000);
});

test('[patterns.bounded] a setting that is too complex to compile hides every file and is reported once', async () => {
  const never = () => Promise.resolve(false);
  const nested = (depth: number) => `${'{a,'.repeat(depth)}b${'}'.repeat(depth)}`;
  const tooComplex: [string, ExcludeRules][] = [
    ['groups in groups', { [nested(17)]: true }],
    ['a long pattern', { ['x'.repeat(3_000)]: true }],
    [
      'many patterns',
      Object.fromEntries([...Array(20_000).keys()].map((index) => [`**/{a,b}${index}`, true] as const)),
    ],
    [
      'many patterns that unhide',
      Object.fromEntries([...Array(200_000).keys()].map((index) => [`${index}`, false] as const)),
    ],
    [
      'many sets',
      Object.fromEntries([...Array(100).keys()].map((index) => [`${index}${'[a]'.repeat(600)}`, true] as const)),
    ],
    [
      'wide groups',
      {
        [`{${'{a,b},'.repeat(300)}}`.repeat(1)]: true,
        ...Object.fromEntries(
          [...Array(60).keys()].map((index) => [`${index}${nested(15)}${nested(15).repeat(20)}`, true] as const),
        ),
      },
    ],
  ];
  for (const [what, rules] of tooComplex) {
    let reports = 0;
    const exclusions = new Exclusions(rules, true, () => reports++);
    assert.deepEqual(
      [await exclusions.hides('a.ts', never), await exclusions.hides('b/c.ts', never), reports],
      [true, true, 1],
      what,
    );
  }
  let reports = 0;
  const usual = Object.fromEntries([...Array(300).keys()].map((index) => [`**/{out,dist}${index}/**`, true] as const));
  const exclusions = new Exclusions({ ...usual, [nested(16)]: true }, true, () => reports++);
  assert.deepEqual(
    [await exclusions.hides('src/a.ts', never), await exclusions.hides('OUT7/a.ts', never), reports],
    [false, true, 0],
  );
});

test('[patterns.bounded] a setting with many patterns lets other work run while it is read', async () => {
  const many = (count: number, prefix: string) =>
    Object.fromEntries([...Array(count).keys()].map((index) => [`${prefix}${index}`, true] as const));
  for (const [what, rules] of [
    ['patterns that are compiled', [many(300, '{a,b}{c,d}{e,f}')]],
    ['too many patterns, in the settings of several folders', [many(90_000, 'x'), many(90_000, 'y')]],
  ] as const) {
    const turns = new Turns();
    const order: string[] = [];
    setImmediate(() => order.push('other work'));
    await Promise.all(
      rules.map((one) =>
        new Exclusions(one, false, undefined, turns)
          .hides('src/a.ts', () => Promise.resolve(false))
          .then(() => order.push('path')),
      ),
    );
    assert.equal(order.at(-1), 'path', what);
    assert.ok(order.includes('other work'), what);
  }
});

test('[patterns.bounded] many paths with costly rules let other work run', async () => {
  const rules = Object.fromEntries(
    [...Array(20).keys()].map((index) => [`${'**/'.repeat(60)}y${index}`, true] as const),
  );
  const exclusions = new Exclusions(rules, false, assert.fail);
  const order: string[] = [];
  const tests = [...Array(6).keys()].map((index) =>
    exclusions.hides(`${'a/'.repeat(500)}${index}`, () => Promise.resolve(false)).then(() => order.push('path')),
  );
  setImmediate(() => order.push('other work'));
  await Promise.all(tests);
  const before = order.indexOf('other work');
  assert.ok(before !== -1 && before <= 2, order.join());
});

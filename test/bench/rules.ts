/**
 * Measures the decision about a call with 1,000 rules that must all be evaluated: they name the called server and tool,
 * with patterns and tests of arguments. Prints the median of warm decisions, the first decision in the process, and the
 * compilation, which runs once.
 */
import { readRules } from '../../src/core/consent/readRules.js';
import type { CallFacts } from '../../src/core/consent/ruleSet.js';
import { RuleSet } from '../../src/core/consent/ruleSet.js';

const kinds = [
  (i: number) => ({ effect: 'ask', server: 'db', tool: `table_${i}_*` }),
  (i: number) => ({
    effect: 'allow',
    server: 'db',
    tool: '*',
    arguments: { '/path': { wildcard: `src/*/part${i}/*.ts` } },
  }),
  (i: number) => ({ effect: 'deny', arguments: { '/sql': { matches: `drop table t${i}.*` } } }),
  (i: number) => ({ effect: 'deny', server: `other${i}`, callers: ['model'] }),
  (i: number) => ({ effect: 'allow', tool: 'query', arguments: { '/limit': i } }),
];
const call: CallFacts = {
  server: 'db',
  origin: 'user',
  hasTrustedAnnotations: false,
  tool: 'query',
  arguments: { path: 'src/core/consent/rules.ts', sql: 'select name from people where id = 7', limit: -1 },
  caller: 'model',
  approval: '',
};

export function printRules(count = 1_000, decisions = 2_000): void {
  const before = performance.now();
  const set = new RuleSet(
    readRules(
      Array.from({ length: count }, (_, i) => kinds[i % kinds.length]?.(i)),
      'always',
    ),
  );
  const compiled = performance.now() - before;
  const began = performance.now();
  set.decide(call);
  const first = performance.now() - began;
  const times = Array.from({ length: decisions }, () => {
    const start = performance.now();
    if (set.decide(call).effect !== 'ask') throw new Error('a rule matches that should not');
    return performance.now() - start;
  }).sort((a, b) => a - b);
  console.log(
    `rules ${count}: compiled in ${compiled.toFixed(1)} ms, the first decision ${first.toFixed(3)} ms, a decision ${(times[Math.floor(decisions / 2)] ?? 0).toFixed(4)} ms (95 % under ${(times[Math.floor(decisions * 0.95)] ?? 0).toFixed(4)} ms)`,
  );
}

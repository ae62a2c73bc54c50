/**
 * Rules that do not do what they seem to say: those that cannot be read, and those that no call can ever fit. Pure; said
 * only where it is certain, so a rule without a finding may still fit nothing.
 */
import { canonicalJson } from '../base/canonicalJson.js';
import { readPointer, valueAtPointer } from './jsonPointer.js';
import type { ArgumentTest, PlacedRule, Rule } from './rule.js';
import { callers } from './rule.js';
import type { CallFacts } from './ruleSet.js';
import { compileArgument, fitsHints } from './ruleSet.js';
import { compileWildcard } from './textPattern.js';

/** What rules are about. */
export interface RuleContext {
  /** Every server that is configured, by id, and whose its definition is. */
  servers: ReadonlyMap<string, CallFacts['origin']>;
  /** Ids of servers whose hints the user believes. */
  believed: readonly string[];
}

export type RuleFinding =
  | { kind: 'unreadable'; problem: string }
  | { kind: 'unknown-server'; server: string }
  /** A name allows servers of the user's own settings only, and this one is a workspace's. */
  | { kind: 'workspace-server'; server: string }
  /** It allows by a hint that nobody believes; `server` where it names one. */
  | { kind: 'not-believed'; server?: string }
  /** A tool that only reads and destroys. */
  | { kind: 'hints-contradict' }
  /** No arguments can pass the tests at these places together; one place: not even its own test. */
  | { kind: 'arguments-contradict'; pointers: readonly string[] }
  /** Everything that it fits is denied already. */
  | { kind: 'denied-by'; rule: PlacedRule }
  /** It counts; a test of it has the name that `wildcard` had before. */
  | { kind: 'former-name' };

/** The first thing that is wrong with each rule that has something wrong. */
export function ruleFindings(rules: readonly PlacedRule[], world: RuleContext): Map<PlacedRule, RuleFinding> {
  const denials = rules.filter(({ rule }) => rule.effect === 'deny');
  const found = new Map<PlacedRule, RuleFinding>();
  for (const placed of rules) {
    const finding = findingOf(placed, denials, world);
    if (finding) found.set(placed, finding);
  }
  return found;
}

function findingOf(
  placed: PlacedRule,
  denials: readonly PlacedRule[],
  { servers, believed }: RuleContext,
): RuleFinding | undefined {
  const { rule, problem } = placed;
  if (problem !== undefined) return { kind: 'unreadable', problem };
  const { effect, server, annotations, approval } = rule;
  const origin = server === undefined ? undefined : servers.get(server);
  if (server !== undefined && origin === undefined) return { kind: 'unknown-server', server };
  if (annotations?.readOnly === true && annotations.destructive === true) return { kind: 'hints-contradict' };
  const pointers = contradiction(rule);
  if (pointers) return { kind: 'arguments-contradict', pointers };
  if (effect === 'allow' && server !== undefined && approval === undefined && origin === 'workspace')
    return { kind: 'workspace-server', server };
  const isBelievable = (id: string) =>
    servers.get(id) === 'builtin' || (servers.get(id) === 'user' && believed.includes(id));
  if (effect === 'allow' && annotations) {
    const about = server === undefined ? [...servers.keys()] : [server];
    if (!about.some(isBelievable)) return { kind: 'not-believed', ...(server === undefined ? {} : { server }) };
  }
  const renamed: RuleFinding | undefined = placed.hasFormerName ? { kind: 'former-name' } : undefined;
  if (effect === 'deny') return renamed;
  const isUnbelieved = server !== undefined && !isBelievable(server);
  const denial = denials.find((one) => covers(one.rule, rule, isUnbelieved));
  return denial ? { kind: 'denied-by', rule: denial } : renamed;
}

/** Places whose tests no arguments pass together. */
function contradiction({ effect, arguments: tests = {} }: Rule): string[] | undefined {
  for (const [pointer, test] of Object.entries(tests)) {
    const tokens = readPointer(pointer) ?? [];
    // All arguments together are an object, which is equal to objects only, and of which no pattern can tell for sure.
    if (
      tokens.length === 0 &&
      ('equals' in test
        ? typeof test.equals !== 'object' || test.equals === null || Array.isArray(test.equals)
        : effect === 'allow')
    )
      return [pointer];
    if (!('equals' in test)) continue;
    for (const [other, otherTest] of Object.entries(tests)) {
      const below = readPointer(other) ?? [];
      if (other === pointer || !tokens.every((token, i) => below[i] === token)) continue;
      const passes = compileArgument(otherTest)(valueAtPointer(test.equals, below.slice(tokens.length)));
      if (passes === false || (passes === undefined && effect === 'allow')) return [pointer, other];
    }
  }
  return undefined;
}

/**
 * Whether every call that `rule` fits is one that `denial` fits, `isUnbelieved` where it names a server that is not
 * believed. False where that is not certain.
 */
function covers(denial: Rule, rule: Rule, isUnbelieved: boolean): boolean {
  if (denial.server !== undefined && denial.server !== rule.server) return false;
  if (denial.approval !== undefined && denial.approval !== rule.approval) return false;
  if (denial.callers && !(rule.callers ?? callers).every((caller) => denial.callers?.includes(caller))) return false;
  if (denial.tool !== undefined && !coversName(denial.tool, rule.tool)) return false;
  if (denial.annotations && !coversHints(denial.annotations, rule.annotations, isUnbelieved)) return false;
  return Object.entries(denial.arguments ?? {}).every(([pointer, test]) => coversTest(test, rule.arguments?.[pointer]));
}

function coversHints(
  denied: NonNullable<Rule['annotations']>,
  own: Rule['annotations'],
  isUnbelieved: boolean,
): boolean {
  // No claim gets a tool out of what a tool without hints is under.
  if (isUnbelieved && fitsHints(denied, undefined)) return true;
  const { readOnly, destructive } = denied;
  return (
    (readOnly === undefined || own?.readOnly === readOnly) &&
    (destructive === undefined || own?.destructive === destructive)
  );
}

function coversName(pattern: string, name: string | undefined): boolean {
  if (pattern === '*' || pattern === name) return true;
  if (name === undefined) return false;
  // Where both are patterns: stars alone swallow the other's stars whole; of "?" that cannot be said.
  if (/[*?]/.test(name) && pattern.includes('?')) return false;
  const test = compileWildcard(pattern);
  return !('problem' in test) && test(name) === true;
}

function coversTest(test: ArgumentTest, own: ArgumentTest | undefined): boolean {
  if (own === undefined) return false;
  if (sameTest(test, own)) return true;
  return 'equals' in own && compileArgument(test)(own.equals) === true;
}

function sameTest(a: ArgumentTest, b: ArgumentTest): boolean {
  try {
    return canonicalJson(a) === canonicalJson(b);
  } catch {
    return false;
  }
}

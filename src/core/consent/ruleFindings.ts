/**
 * Finds rules that do not have the effect that they appear to have: invalid rules, and rules that can never match a
 * call. Pure. Only problems that are certain are reported, so a rule without a finding may still never match.
 */
import { readPointer, valueAtPointer } from '../base/jsonPointer.js';
import { isWildcard } from '../base/wildcard.js';
import type { ArgumentTest, PlacedRule, Rule } from './rule.js';
import { callers, callersOf } from './rule.js';
import type { CallFacts } from './ruleSet.js';
import { compileArgument, fitsHints } from './ruleSet.js';
import { SharedTime } from './sharedTime.js';
import { compileWildcard } from './textPattern.js';

/** The data that rules are checked against. */
export interface RuleContext {
  /** Every configured server by ID, with the origin of its definition. */
  servers: ReadonlyMap<string, CallFacts['origin']>;
  /** IDs of servers whose hints the user trusts. */
  trustedAnnotations: readonly string[];
}

export type RuleFinding =
  | { kind: 'unreadable'; problem: string }
  | { kind: 'unknown-server'; server: string }
  /**
   * A rule with a server name allows calls only to servers from the user settings, and this server comes from the
   * workspace.
   */
  | { kind: 'workspace-server'; server: string }
  /** The rule allows calls because of a hint that is not trusted. `server` is set if the rule specifies a server. */
  | { kind: 'annotations-not-trusted'; server?: string }
  /** The rule requires a tool that is both read-only and destructive. */
  | { kind: 'hints-contradict' }
  /** No arguments can pass all tests at these places. If there is only one place, its test can never pass. */
  | { kind: 'arguments-contradict'; pointers: readonly string[] }
  /** Another rule denies every call that this rule matches. */
  | { kind: 'denied-by'; rule: PlacedRule }
  /** The rule is valid, but one of its tests uses the former name of `wildcard`. */
  | { kind: 'former-name' };

/**
 * Maximum number of comparisons for one list of rules: of the tests of a rule with each other, and of rules with those
 * that deny. A problem that would need more is not reported.
 */
const maxComparisons = 500_000;
/** Maximum time of the tests for one list of rules, in milliseconds. */
const maxTestMs = 500;
/** A pattern that needs this many steps counts as one more comparison. */
const stepsPerComparison = 400;

/** The first problem of each rule that has one. */
export function ruleFindings(rules: readonly PlacedRule[], configured: RuleContext): Map<PlacedRule, RuleFinding> {
  const denials = rules.filter(({ rule }) => rule.effect === 'deny');
  const found = new Map<PlacedRule, RuleFinding>();
  const comparisons = new Comparisons();
  for (const placed of rules) {
    const finding = findingOf(placed, denials, configured, comparisons);
    if (finding) found.set(placed, finding);
  }
  return found;
}

function findingOf(
  placed: PlacedRule,
  denials: readonly PlacedRule[],
  { servers, trustedAnnotations }: RuleContext,
  comparisons: Comparisons,
): RuleFinding | undefined {
  const { rule, problem } = placed;
  if (problem !== undefined) return { kind: 'unreadable', problem };
  const { effect, server, annotations, approval } = rule;
  const origin = server === undefined ? undefined : servers.get(server);
  if (server !== undefined && origin === undefined) return { kind: 'unknown-server', server };
  if (annotations?.readOnly === true && annotations.destructive === true) return { kind: 'hints-contradict' };
  const pointers = contradiction(rule, comparisons);
  if (pointers) return { kind: 'arguments-contradict', pointers };
  if (effect === 'allow' && server !== undefined && approval === undefined && origin === 'workspace')
    return { kind: 'workspace-server', server };
  const isTrusted = (id: string) =>
    servers.get(id) === 'builtin' || (servers.get(id) === 'user' && trustedAnnotations.includes(id));
  if (effect === 'allow' && annotations) {
    const about = server === undefined ? [...servers.keys()] : [server];
    if (!about.some(isTrusted)) return { kind: 'annotations-not-trusted', ...(server === undefined ? {} : { server }) };
  }
  const renamed: RuleFinding | undefined = placed.hasFormerName ? { kind: 'former-name' } : undefined;
  if (effect === 'deny') return renamed;
  const isUntrusted = server !== undefined && !isTrusted(server);
  const denial = denials.find((one) => comparisons.mayCompare() && covers(one.rule, rule, isUntrusted, comparisons));
  return denial ? { kind: 'denied-by', rule: denial } : renamed;
}

/** Counts the comparisons for a list of rules, and keeps what they need more than once. */
class Comparisons {
  private left = maxComparisons;
  private readonly compiled = new Map<ArgumentTest, ReturnType<typeof compileArgument>>();
  readonly time = new SharedTime(maxTestMs);

  /**
   * Called before each comparison. False once the limit has been reached.
   * @param test will be applied to `value`. Default: no test is applied.
   */
  mayCompare(test?: ArgumentTest, value?: unknown): boolean {
    this.left -= 1 + (test && typeof value === 'string' ? stepsOf(test, value.length) / stepsPerComparison : 0);
    return this.left > 0 && this.time.leftMs > 0;
  }

  /** Whether a value passes a test; undefined if this is undecided, also because no time is left. */
  passes(test: ArgumentTest, value: unknown): boolean | undefined {
    let passes = this.compiled.get(test);
    if (!passes) this.compiled.set(test, (passes = compileArgument(test, this.time)));
    return passes(value);
  }

  /** Whether two tests are the same; false if they are nested too deeply. */
  areEqual(a: ArgumentTest, b: ArgumentTest): boolean {
    const text = this.time.textOf(a);
    return text !== undefined && text === this.time.textOf(b);
  }
}

/** Maximum number of steps that a test needs for a text of this length. */
function stepsOf(test: ArgumentTest, length: number): number {
  if ('equals' in test) return 0;
  return 'matches' in test ? length ** 2 : test.wildcard.length * length;
}

/** Places in the arguments whose tests cannot all pass; undefined if no such places were found. */
function contradiction({ effect, arguments: written = {} }: Rule, comparisons: Comparisons): string[] | undefined {
  const tests = Object.entries(written).map(([pointer, test]) => ({
    pointer,
    test,
    tokens: readPointer(pointer) ?? [],
  }));
  for (const { pointer, test, tokens } of tests) {
    // The root of the arguments is an object: it can only equal an object, and a pattern for it is always undecided.
    if (
      tokens.length === 0 &&
      ('equals' in test
        ? typeof test.equals !== 'object' || test.equals === null || Array.isArray(test.equals)
        : effect === 'allow')
    )
      return [pointer];
    if (!('equals' in test)) continue;
    for (const other of tests) {
      if (!comparisons.mayCompare()) return undefined;
      if (other.pointer === pointer || !tokens.every((token, i) => other.tokens[i] === token)) continue;
      const value = valueAtPointer(test.equals, other.tokens.slice(tokens.length));
      if (!comparisons.mayCompare(other.test, value)) return undefined;
      const passes = comparisons.passes(other.test, value);
      if (!comparisons.mayCompare()) return undefined;
      if (passes === false || (passes === undefined && effect === 'allow')) return [pointer, other.pointer];
    }
  }
  return undefined;
}

/**
 * Whether `denial` matches every call that `rule` matches; false if uncertain. `isUntrusted` means that the rule
 * specifies a server whose hints are not trusted.
 */
function covers(denial: Rule, rule: Rule, isUntrusted: boolean, comparisons: Comparisons): boolean {
  if (denial.server !== undefined && denial.server !== rule.server) return false;
  if (denial.approval !== undefined && denial.approval !== rule.approval) return false;
  const own = callersOf(rule) ?? callers;
  const denied = callersOf(denial) ?? callers;
  if (!own.every((caller) => denied.includes(caller))) return false;
  if (
    denial.clients &&
    own.includes('agent') &&
    rule.clients?.every((client) => denial.clients?.includes(client)) !== true
  )
    return false;
  if (denial.tool !== undefined && !coversName(denial.tool, rule.tool, comparisons)) return false;
  if (denial.annotations && !coversHints(denial.annotations, rule.annotations, isUntrusted)) return false;
  return Object.entries(denial.arguments ?? {}).every(([pointer, test]) =>
    coversTest(test, rule.arguments?.[pointer], comparisons),
  );
}

function coversHints(
  denied: NonNullable<Rule['annotations']>,
  own: Rule['annotations'],
  isUntrusted: boolean,
): boolean {
  // Untrusted hints do not exempt a tool from rules that match tools without hints.
  if (isUntrusted && fitsHints(denied, undefined)) return true;
  const { readOnly, destructive } = denied;
  return (
    (readOnly === undefined || own?.readOnly === readOnly) &&
    (destructive === undefined || own?.destructive === destructive)
  );
}

function coversName(pattern: string, name: string | undefined, comparisons: Comparisons): boolean {
  if (pattern === '*' || pattern === name) return true;
  if (name === undefined) return false;
  // Both are patterns. A `*` in the denial also matches a `*` in the rule, but for a `?` the result is uncertain.
  if (isWildcard(name) && pattern.includes('?')) return false;
  if (!comparisons.mayCompare({ wildcard: pattern }, name)) return false;
  const test = compileWildcard(pattern, comparisons.time);
  return !('problem' in test) && test(name) === true;
}

function coversTest(test: ArgumentTest, own: ArgumentTest | undefined, comparisons: Comparisons): boolean {
  if (own === undefined || !comparisons.mayCompare()) return false;
  if (comparisons.areEqual(test, own)) return true;
  if ('equals' in test || !('equals' in own) || !comparisons.mayCompare(test, own.equals)) return false;
  return comparisons.passes(test, own.equals) === true;
}

import { canonicalJson } from '../base/jsonText.js';
import { visibleClientName } from '../base/visibleName.js';
import type { ToolAnnotations } from '../protocol/mcp.js';
import { readPointer, valueAtPointer } from '../base/jsonPointer.js';
import { isWildcard } from '../base/wildcard.js';
import type { ArgumentTest, Caller, Effect, PlacedRule, Rule } from './rule.js';
import { callersOf } from './rule.js';
import type { Condition } from './ruleIndex.js';
import { RuleIndex } from './ruleIndex.js';
import { SharedTime } from './sharedTime.js';
import type { PatternProblem, TextTest } from './textPattern.js';
import { beginningOfWildcard, compileWildcard, compileRegex, literalStart } from './textPattern.js';

/** The data of a call that rules match against. */
export interface CallFacts {
  /** ID of the server. */
  server: string;
  /**
   * The origin of the server's definition. A server that a workspace defines may have the same name as the server that
   * a rule is meant for.
   */
  origin: 'builtin' | 'user' | 'workspace';
  /** Whether the user trusts this server's hints about its tools. */
  hasTrustedAnnotations: boolean;
  tool: string;
  annotations?: ToolAnnotations;
  arguments: Readonly<Record<string, unknown>>;
  caller: Caller;
  /** The name of the client, for the caller `agent`. */
  client?: string;
  /**
   * Whether another extension calls through the API: a `script` call that runs unless a rule applies. Default false.
   */
  isApi?: boolean;
  /** Hash of the definitions to approve; see `Rule.approval`. */
  approval: string;
}

/** The decision, and the rule that made it; there is no rule if the caller's default applies. */
export interface Decision {
  effect: Effect;
  rule?: PlacedRule;
}

interface Compiled {
  placed: PlacedRule;
  /** Position among all rules. Of two equally strong rules, the first one is reported. */
  order: number;
  effect: Effect;
  server: string | undefined;
  approval: string | undefined;
  callers: readonly Caller[] | undefined;
  clients: readonly string[] | undefined;
  tool: TextTest | PatternProblem | undefined;
  annotations: Rule['annotations'];
  /** `place` is the index of the pointer among the pointers of all rules. */
  arguments: readonly {
    place: number;
    written: ArgumentTest;
    pattern: TextTest | PatternProblem | undefined;
    test: (value: unknown) => boolean | undefined;
  }[];
  /** Specificity, compared element by element. The more specific rule is applied. */
  weight: readonly number[];
}

/**
 * Maximum time of the patterns and comparisons for one call, in milliseconds. Ordinary rules need less than one; the
 * rules of a workspace could need hours.
 */
const maxDecisionMs = 500;

/**
 * Rules, compiled once. Among the rules that match a call, the order of precedence is:
 * - a rule that denies,
 * - the more specific rule,
 * - of two equally specific rules, the one that asks.
 *
 * If no rule matches, the caller's default applies: calls that the user certainly started run, and so do calls of other
 * extensions through the API and calls of read-only tools of the built-in server. For all other calls, the user is
 * asked.
 */
export class RuleSet {
  private readonly index = new RuleIndex<Compiled>();
  /** The pointers of all rules, without duplicates, because many rules use the same pointers. */
  private readonly pointers = new Map<string, number>();
  private readonly tokens: (readonly string[])[] = [];
  private readonly time = new SharedTime();
  private isEmpty = true;

  constructor(rules: readonly PlacedRule[]) {
    const placeOf = (pointer: string) => this.placeOf(pointer);
    for (const [order, placed] of rules.entries()) {
      if (placed.rule.effect === 'allow' && placed.problem !== undefined) continue;
      const rule = compile(placed, order, placeOf, this.time);
      this.index.add(rule, conditionsOf(rule));
      this.isEmpty = false;
    }
  }

  decide(call: CallFacts): Decision {
    if (this.isEmpty) return { effect: defaultEffect(call) };
    this.time.renew(maxDecisionMs);
    let best: Compiled | undefined;
    const values = this.tokens.map((tokens) => valueAtPointer(call.arguments, tokens));
    for (const bucket of this.index.find({ server: call.server, tool: call.tool, values })) {
      for (const rule of bucket) if ((!best || isStronger(rule, best)) && fits(rule, call, values)) best = rule;
    }
    this.time.renew(0);
    if (best) return { effect: best.effect, rule: best.placed };
    return { effect: defaultEffect(call) };
  }

  private placeOf(pointer: string): number {
    const known = this.pointers.get(pointer);
    if (known !== undefined) return known;
    this.pointers.set(pointer, this.tokens.length);
    return this.tokens.push(readPointer(pointer) ?? []) - 1;
  }
}

/**
 * Whether the rule matches, given this result of one of its tests. If the test is undecided, a rule that allows does
 * not match, and any other rule matches.
 */
function holds({ effect }: Compiled, answer: boolean | undefined): boolean {
  return answer ?? effect !== 'allow';
}

/**
 * The decision if no rule matches. Read-only tools of the built-in server need no question; hints of other servers are
 * ignored here.
 */
function defaultEffect({
  caller,
  isApi,
  origin,
  annotations,
}: Pick<CallFacts, 'caller' | 'isApi' | 'origin' | 'annotations'>): Effect {
  if (caller === 'user' || (caller === 'script' && isApi === true)) return 'allow';
  return origin === 'builtin' && annotations?.readOnlyHint === true ? 'allow' : 'ask';
}

function fits(rule: Compiled, call: CallFacts, values: readonly unknown[]): boolean {
  if (rule.server !== undefined && rule.server !== call.server) return false;
  if (rule.tool && !holds(rule, 'problem' in rule.tool ? undefined : rule.tool(call.tool))) return false;
  const isAllow = rule.effect === 'allow';
  if (rule.callers && !rule.callers.includes(call.caller)) return false;
  if (rule.clients && call.caller === 'agent' && !rule.clients.includes(call.client ?? '')) return false;
  if (rule.approval !== undefined && rule.approval !== call.approval) return false;
  if (isAllow && rule.approval === undefined && call.origin === 'workspace') return false;
  if (rule.annotations && !readings(rule.effect, call).some((reading) => fitsHints(rule.annotations ?? {}, reading)))
    return false;
  return rule.arguments.every(({ place, test }) => holds(rule, test(values[place])));
}

/**
 * The sets of hints to check a rule against. The rule matches if one set matches. Untrusted hints never allow anything.
 * For rules that ask or deny, they are checked in addition to the defaults, so they can make a rule match but never
 * prevent a match.
 */
function readings(
  effect: Effect,
  { hasTrustedAnnotations, annotations }: CallFacts,
): readonly (ToolAnnotations | undefined)[] {
  if (hasTrustedAnnotations) return [annotations];
  return effect === 'allow' ? [] : [annotations, undefined];
}

/**
 * Whether the hints of a tool are those that a rule requires. Uses the defaults of the specification (tools,
 * annotations): without hints, a tool may modify and destroy.
 */
export function fitsHints(
  wanted: NonNullable<Rule['annotations']>,
  { readOnlyHint = false, destructiveHint = true }: ToolAnnotations = {},
): boolean {
  if (wanted.readOnly !== undefined && wanted.readOnly !== readOnlyHint) return false;
  return wanted.destructive === undefined || wanted.destructive === (destructiveHint && !readOnlyHint);
}

function compile(placed: PlacedRule, order: number, placeOf: (pointer: string) => number, time: SharedTime): Compiled {
  const { effect, server, tool, annotations, clients, approval, arguments: tests = {} } = placed.rule;
  return {
    placed,
    order,
    effect,
    server,
    approval,
    callers: callersOf(placed.rule),
    // A rule can contain the name as the client states it, or as questions and the Gateway view show it.
    clients: clients && [...clients, ...clients.map(visibleClientName)],
    tool: tool === undefined || tool === '*' ? undefined : compileWildcard(tool, time),
    annotations,
    arguments: Object.entries(tests).map(([pointer, written]) => {
      const pattern = patternOf(written, time);
      return { place: placeOf(pointer), written, pattern, test: compileArgument(written, time, pattern) };
    }),
    // A rule that asks and has an invalid part may have been meant to be more specific than its valid parts.
    weight: placed.problem === undefined ? weigh(placed.rule) : [Infinity],
  };
}

/** The lookup conditions of a rule. An unreadable pattern may match anything. */
function conditionsOf({ placed: { rule }, server, tool, arguments: tests }: Compiled): Condition[] {
  const conditions: Condition[] = [];
  for (const { place, written, pattern } of tests) {
    if ('equals' in written) {
      if (isPlain(written.equals)) conditions.push({ kind: 'value', place, value: written.equals });
    } else if (pattern && !('problem' in pattern))
      conditions.push({
        kind: 'beginning',
        place,
        text: 'wildcard' in written ? beginningOfWildcard(written.wildcard) : literalStart(written.matches),
      });
  }
  if (tool && !('problem' in tool) && rule.tool !== undefined)
    conditions.push(
      isWildcard(rule.tool)
        ? { kind: 'toolBeginning', text: beginningOfWildcard(rule.tool) }
        : { kind: 'tool', name: rule.tool },
    );
  if (server !== undefined) conditions.push({ kind: 'server', name: server });
  return conditions;
}

function patternOf(test: ArgumentTest, time: SharedTime): TextTest | PatternProblem | undefined {
  if ('equals' in test) return undefined;
  return 'wildcard' in test ? compileWildcard(test.wildcard, time) : compileRegex(test.matches, time);
}

function isPlain(value: unknown): boolean {
  return !isStructured(value);
}

function isStructured(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Compiles the test of an argument. The resulting function returns undefined if the test is undecided. */
export function compileArgument(
  test: ArgumentTest,
  time: SharedTime,
  pattern = patternOf(test, time),
): (value: unknown) => boolean | undefined {
  if (pattern) {
    return (value) => {
      if (value === undefined) return false;
      // A list or an object may contain the text that the pattern is meant for, so the test is undecided.
      if ('problem' in pattern || !isPlain(value)) return undefined;
      return pattern(typeof value === 'string' ? value : JSON.stringify(value));
    };
  }
  const wanted = 'equals' in test ? test.equals : undefined;
  if (isPlain(wanted)) return (value) => value === wanted;
  const text = canonicalJson(wanted);
  return (value) => {
    if (value === undefined || !isStructured(value)) return false;
    return time.run(() => {
      const own = time.textOf(value);
      return own === undefined ? undefined : own === text;
    });
  };
}

function weigh({ tool, server, annotations, callers, clients, approval, arguments: tests = {} }: Rule): number[] {
  const isPattern = tool !== undefined && isWildcard(tool);
  return [
    tool === undefined ? 0 : isPattern ? 1 : 2,
    Object.keys(tests).length,
    server === undefined ? 0 : 1,
    isPattern ? tool.replace(/[*?]/g, '').length : 0,
    Object.keys(annotations ?? {}).length,
    callers === undefined ? 0 : 1,
    clients === undefined ? 0 : 1,
    approval === undefined ? 0 : 1,
  ];
}

function isStronger(rule: Compiled, best: Compiled): boolean {
  if (rule.effect === 'deny' || best.effect === 'deny')
    return rule.effect === 'deny' && (best.effect !== 'deny' || rule.order < best.order);
  for (let i = 0; i < Math.max(rule.weight.length, best.weight.length); i++) {
    const difference = (rule.weight[i] ?? 0) - (best.weight[i] ?? 0);
    if (difference !== 0 && !Number.isNaN(difference)) return difference > 0;
  }
  return rule.effect === best.effect ? rule.order < best.order : rule.effect === 'ask';
}

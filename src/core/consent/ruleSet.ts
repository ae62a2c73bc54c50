import { canonicalJson } from '../base/canonicalJson.js';
import type { ToolAnnotations } from '../protocol/mcp.js';
import { readPointer, valueAtPointer } from './jsonPointer.js';
import type { ArgumentTest, Caller, Effect, PlacedRule, Rule } from './rule.js';
import type { Condition } from './ruleIndex.js';
import { RuleIndex } from './ruleIndex.js';
import type { PatternProblem, TextTest } from './textPattern.js';
import { beginningOfWildcard, compileWildcard, compileRegex, literalStart } from './textPattern.js';

/** A call as rules see it. */
export interface CallFacts {
  /** Our id of the server. */
  server: string;
  /** Whose its definition is: a name that a workspace brings along need not be the server that a rule means. */
  origin: 'builtin' | 'user' | 'workspace';
  /** The user believes what this server says of its tools. */
  isBelieved: boolean;
  tool: string;
  annotations?: ToolAnnotations;
  arguments: Readonly<Record<string, unknown>>;
  caller: Caller;
  /** Another extension calls, by the API: a script that only rules ask about. Default false. */
  isApi?: boolean;
  /** Hash of what would be approved; see `Rule.approval`. */
  approval: string;
}

/** What the rules say, and the rule that said it; none where the default of the caller counts. */
export interface Decision {
  effect: Effect;
  rule?: PlacedRule;
}

interface Compiled {
  placed: PlacedRule;
  /** Among all rules: of two that are equally strong the first is named. */
  order: number;
  effect: Effect;
  server: string | undefined;
  approval: string | undefined;
  callers: readonly Caller[] | undefined;
  tool: TextTest | PatternProblem | undefined;
  annotations: Rule['annotations'];
  /** `place`: which of the pointers of all rules. */
  arguments: readonly {
    place: number;
    written: ArgumentTest;
    pattern: TextTest | PatternProblem | undefined;
    test: (value: unknown) => boolean | undefined;
  }[];
  /** The more specific rule wins: compared part by part. */
  weight: readonly number[];
}

/**
 * Rules, compiled once. Deny wins over everything, whatever the order; among the others the more specific one, and of
 * two that are equally specific the one that asks. Where none fits, the caller's default counts: what the user is
 * proven to have started runs, and so does what another extension asks for by the API; everybody else is asked about.
 */
export class RuleSet {
  private readonly index = new RuleIndex<Compiled>();
  /** What the rules look at in arguments: many look at the same. */
  private readonly pointers = new Map<string, number>();
  private readonly tokens: (readonly string[])[] = [];

  constructor(rules: readonly PlacedRule[]) {
    const placeOf = (pointer: string) => this.placeOf(pointer);
    for (const [order, placed] of rules.entries()) {
      if (placed.rule.effect === 'allow' && placed.problem !== undefined) continue;
      const rule = compile(placed, order, placeOf);
      this.index.add(rule, conditionsOf(rule));
    }
  }

  decide(call: CallFacts): Decision {
    let best: Compiled | undefined;
    const values = this.tokens.map((tokens) => valueAtPointer(call.arguments, tokens));
    for (const bucket of this.index.find({ server: call.server, tool: call.tool, values })) {
      for (const rule of bucket) if ((!best || isStronger(rule, best)) && fits(rule, call, values)) best = rule;
    }
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

/** What cannot be told makes a rule that allows not fit, and every other one fit. */
function holds({ effect }: Compiled, answer: boolean | undefined): boolean {
  return answer ?? effect !== 'allow';
}

/**
 * What counts where no rule fits. Our own server's tools that only read need no question; what others claim of theirs
 * does not count here.
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
  if (rule.approval !== undefined && rule.approval !== call.approval) return false;
  if (isAllow && rule.approval === undefined && call.origin === 'workspace') return false;
  if (rule.annotations && !readings(rule.effect, call).some((reading) => fitsHints(rule.annotations ?? {}, reading)))
    return false;
  return rule.arguments.every(({ place, test }) => holds(rule, test(values[place])));
}

/**
 * What a rule by hints takes the tool for; it fits where one of them does. Claims that nobody believes allow nothing, and
 * to ask or deny they count beside what a tool without hints is: they bring a tool under a rule, never out from under it.
 */
function readings(effect: Effect, { isBelieved, annotations }: CallFacts): readonly (ToolAnnotations | undefined)[] {
  if (isBelieved) return [annotations];
  return effect === 'allow' ? [] : [annotations, undefined];
}

/** With the defaults of the specification (tools, annotations): what says nothing may change and destroy. */
export function fitsHints(
  wanted: NonNullable<Rule['annotations']>,
  { readOnlyHint = false, destructiveHint = true }: ToolAnnotations = {},
): boolean {
  if (wanted.readOnly !== undefined && wanted.readOnly !== readOnlyHint) return false;
  return wanted.destructive === undefined || wanted.destructive === (destructiveHint && !readOnlyHint);
}

function compile(placed: PlacedRule, order: number, placeOf: (pointer: string) => number): Compiled {
  const { effect, server, tool, annotations, approval, callers, arguments: tests = {} } = placed.rule;
  return {
    placed,
    order,
    effect,
    server,
    approval,
    callers,
    tool: tool === undefined || tool === '*' ? undefined : compileWildcard(tool),
    annotations,
    arguments: Object.entries(tests).map(([pointer, written]) => {
      const pattern = patternOf(written);
      return { place: placeOf(pointer), written, pattern, test: compileArgument(written, pattern) };
    }),
    // One that asks and is broken may have been meant more specifically than it can be read.
    weight: placed.problem === undefined ? weigh(placed.rule) : [Infinity],
  };
}

/** What a rule can be found by. A pattern that cannot be read may be about anything. */
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
      /[*?]/.test(rule.tool)
        ? { kind: 'toolBeginning', text: beginningOfWildcard(rule.tool) }
        : { kind: 'tool', name: rule.tool },
    );
  if (server !== undefined) conditions.push({ kind: 'server', name: server });
  return conditions;
}

function patternOf(test: ArgumentTest): TextTest | PatternProblem | undefined {
  if ('equals' in test) return undefined;
  return 'wildcard' in test ? compileWildcard(test.wildcard) : compileRegex(test.matches);
}

function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

/** Whether a value passes the test; undefined where that cannot be told. */
export function compileArgument(
  test: ArgumentTest,
  pattern = patternOf(test),
): (value: unknown) => boolean | undefined {
  if (pattern) {
    return (value) => {
      if (value === undefined) return false;
      // A list or an object may hold what a pattern is about.
      if ('problem' in pattern || !isPlain(value)) return undefined;
      return pattern(typeof value === 'string' ? value : JSON.stringify(value));
    };
  }
  const wanted = 'equals' in test ? test.equals : undefined;
  if (isPlain(wanted)) return (value) => value === wanted;
  const text = canonicalJson(wanted);
  return (value) => {
    if (value === undefined) return false;
    try {
      return canonicalJson(value) === text;
    } catch {
      return undefined;
    }
  };
}

function weigh({ tool, server, annotations, callers, approval, arguments: tests = {} }: Rule): number[] {
  const isPattern = tool !== undefined && /[*?]/.test(tool);
  return [
    tool === undefined ? 0 : isPattern ? 1 : 2,
    Object.keys(tests).length,
    server === undefined ? 0 : 1,
    isPattern ? tool.replace(/[*?]/g, '').length : 0,
    Object.keys(annotations ?? {}).length,
    callers === undefined ? 0 : 1,
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

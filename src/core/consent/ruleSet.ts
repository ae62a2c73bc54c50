import { canonicalJson } from '../base/canonicalJson.js';
import type { ToolAnnotations } from '../protocol/mcp.js';
import { readPointer, valueAt } from './jsonPointer.js';
import type { ArgumentTest, Caller, Effect, PlacedRule, Rule } from './rule.js';
import type { TextTest } from './textPattern.js';
import { compileGlob, compileRegex } from './textPattern.js';

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
  /** Hash of what would be approved; see `Rule.approval`. */
  approval: string;
}

/** What the rules say, and the rule that said it; none where the default of the caller counts. */
export interface Decision {
  effect: Effect;
  rule?: PlacedRule;
}

/** Tools of which is remembered which rules are about them. */
const maxTools = 500;

interface Compiled {
  placed: PlacedRule;
  effect: Effect;
  server: string | undefined;
  approval: string | undefined;
  callers: readonly Caller[] | undefined;
  tool: TextTest | undefined;
  annotations: Rule['annotations'];
  /** `place`: which of the pointers of all rules. */
  arguments: readonly { place: number; test: (value: unknown) => boolean | undefined }[];
  /** The more specific rule wins: compared part by part. */
  weight: readonly number[];
}

/**
 * Rules, compiled once. Deny wins over everything, whatever the order; among the others the more specific one, and of
 * two that are equally specific the one that asks. Where none fits, the caller's default counts: a person's own click is
 * the answer already, and so are scripts, which act for the user; everybody else is asked about.
 */
export class RuleSet {
  private readonly rules: readonly Compiled[];
  /** What the rules look at in arguments: many look at the same. */
  private readonly pointers = new Map<string, number>();
  private readonly tokens: (readonly string[])[] = [];
  /** By server and tool: the rules that can be about it. */
  private readonly about = new Map<string, readonly Compiled[]>();

  constructor(rules: readonly PlacedRule[]) {
    const placeOf = (pointer: string) => this.placeOf(pointer);
    this.rules = rules.flatMap((placed) => (placed.rule.effect === 'allow' && placed.problem !== undefined ? [] : [compile(placed, placeOf)]));
  }

  decide(call: CallFacts): Decision {
    let best: Compiled | undefined;
    const values = this.tokens.map((tokens) => valueAt(call.arguments, tokens));
    for (const rule of this.rulesAbout(call.server, call.tool)) {
      if (best && rule.effect !== 'deny' && !isStronger(rule, best)) continue;
      if (!fits(rule, call, values)) continue;
      if (rule.effect === 'deny') return { effect: 'deny', rule: rule.placed };
      best = rule;
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

  /** Most rules are about something else; found out once for each tool. */
  private rulesAbout(server: string, tool: string): readonly Compiled[] {
    const key = JSON.stringify([server, tool]);
    let about = this.about.get(key);
    if (!about) {
      about = this.rules.filter((rule) => (rule.server === undefined || rule.server === server) && (!rule.tool || holds(rule, rule.tool(tool))));
      if (this.about.size >= maxTools) this.about.clear();
      this.about.set(key, about);
    }
    return about;
  }
}

/** What cannot be told makes a rule that allows not fit, and every other one fit. */
function holds({ effect }: Compiled, answer: boolean | undefined): boolean {
  return answer ?? effect !== 'allow';
}

/** What counts where no rule fits. Our own server's tools that only read need no question; what others claim of theirs does not count here. */
export function defaultEffect({ caller, origin, annotations }: CallFacts): Effect {
  if (caller === 'user' || caller === 'script') return 'allow';
  return origin === 'builtin' && annotations?.readOnlyHint === true ? 'allow' : 'ask';
}

/** Of a rule about this server and tool. */
function fits(rule: Compiled, call: CallFacts, values: readonly unknown[]): boolean {
  const isAllow = rule.effect === 'allow';
  if (rule.callers && !rule.callers.includes(call.caller)) return false;
  if (rule.approval !== undefined && rule.approval !== call.approval) return false;
  if (isAllow && rule.approval === undefined && call.origin === 'workspace') return false;
  if (rule.annotations && !readings(rule.effect, call).some((reading) => fitsHints(rule.annotations ?? {}, reading))) return false;
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
export function fitsHints(wanted: NonNullable<Rule['annotations']>, { readOnlyHint = false, destructiveHint = true }: ToolAnnotations = {}): boolean {
  if (wanted.readOnly !== undefined && wanted.readOnly !== readOnlyHint) return false;
  return wanted.destructive === undefined || wanted.destructive === (destructiveHint && !readOnlyHint);
}

function compile(placed: PlacedRule, placeOf: (pointer: string) => number): Compiled {
  const { effect, server, tool, annotations, approval, callers, arguments: tests = {} } = placed.rule;
  const toolTest = tool === undefined ? undefined : compileGlob(tool);
  return {
    placed,
    effect,
    server,
    approval,
    callers,
    tool: toolTest && 'problem' in toolTest ? () => undefined : toolTest,
    annotations,
    arguments: Object.entries(tests).map(([pointer, test]) => ({ place: placeOf(pointer), test: compileArgument(test) })),
    // One that asks and is broken may have been meant more specifically than it can be read.
    weight: placed.problem === undefined ? weigh(placed.rule) : [Infinity],
  };
}

/** Whether a value passes the test; undefined where that cannot be told. */
export function compileArgument(test: ArgumentTest): (value: unknown) => boolean | undefined {
  if ('equals' in test) {
    const wanted = canonicalJson(test.equals);
    const isPlain = typeof test.equals !== 'object' || test.equals === null;
    return (value) => {
      if (isPlain) return value === test.equals;
      if (value === undefined) return false;
      try {
        return canonicalJson(value) === wanted;
      } catch {
        return undefined;
      }
    };
  }
  const compiled = 'glob' in test ? compileGlob(test.glob) : compileRegex(test.matches);
  return (value) => {
    if (value === undefined) return false;
    // A list or an object may hold what a pattern is about.
    if ('problem' in compiled || (typeof value === 'object' && value !== null)) return undefined;
    return compiled(typeof value === 'string' ? value : JSON.stringify(value));
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
  for (let i = 0; i < Math.max(rule.weight.length, best.weight.length); i++) {
    const difference = (rule.weight[i] ?? 0) - (best.weight[i] ?? 0);
    if (difference !== 0 && !Number.isNaN(difference)) return difference > 0;
  }
  return rule.effect === 'ask' && best.effect === 'allow';
}

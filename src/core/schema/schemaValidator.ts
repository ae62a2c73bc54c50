/**
 * Validates values against the JSON Schemas of servers: arguments before they are sent, structured content when it is
 * received. Only this module and `ajvParts.ts` use ajv. ajv is large, so `loadValidator.ts` loads both modules for the
 * first check.
 *
 * A schema is untrusted code. It is never fetched, its size is limited, and compilation and checks have time limits
 * (security requirements X2, X3). A part that cannot be checked is treated as valid and reported in a notice, because
 * the server validates the value anyway.
 */
import type { ErrorObject, Options, ValidateFunction } from 'ajv/dist/2020.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { t } from '@vscode/l10n';
import { isObject } from '../base/guards.js';
import { messageOf } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';
import type { NormalSchema } from './dialect.js';
import { normalizeSchema, SchemaRefusal } from './dialect.js';
import { patternCost } from './patternCost.js';
import type { SchemaProblem } from './problemText.js';
import { problemsOf } from './problemText.js';
import { TimeLimit, TimeLimitError } from './timeLimit.js';

export type { SchemaProblem } from './problemText.js';

type JsonSchema = Record<string, unknown>;

/** The outcome of one check. */
export interface SchemaCheck {
  /** The problems found. If there are none, the value is valid as far as it was checked. */
  problems: SchemaProblem[];
  /** Complete sentences that state what was not checked, and why. */
  notices: string[];
}

export interface CompiledSchema {
  /** Why the schema cannot be used; a complete sentence. If it is set, checks return this notice and no problems. */
  readonly refusal?: string;
  check(value: unknown): SchemaCheck;
}

export interface ValidatorLimits {
  /** Time limit of a compilation, in milliseconds; default 250. */
  compileMs?: number;
  /** Time limit of a check in milliseconds; default 200. */
  checkMs?: number;
  /** Time limit of one pattern within a check in milliseconds; default 50. */
  patternMs?: number;
  /** Maximum number of compiled schemas that are cached; default 100. */
  cached?: number;
}

/** Maximum length of schemas that are cached by their text, in characters. Longer ones are cached by identity. */
const maxTextKey = 64 * 1024;

/**
 * Compiles schemas on first use and caches the latest ones. Schemas with equal text share one cache entry, because a
 * server sends its schemas again with every list of its tools.
 */
export class SchemaValidator {
  /** The cache, with the least recently used entry first. */
  private readonly compiled = new Map<JsonSchema | string, CompiledSchema>();
  /** The key of the most recently used entry, which need not be moved to the end of the cache. */
  private latest: JsonSchema | string | undefined;
  private readonly keys = new WeakMap<JsonSchema, JsonSchema | string>();
  private readonly timeLimit = new TimeLimit();
  private readonly limits: Required<ValidatorLimits>;

  constructor(limits: ValidatorLimits = {}) {
    this.limits = { compileMs: 250, checkMs: 200, patternMs: 50, cached: 100, ...limits };
  }

  /**
   * The compiled form of a schema, which must not change afterward. Never throws: an unusable schema has a `refusal`.
   */
  compile(schema: JsonSchema): CompiledSchema {
    const key = this.keyOf(schema);
    let compiled = this.compiled.get(key);
    if (compiled && key === this.latest) return compiled;
    this.latest = key;
    if (compiled) this.compiled.delete(key);
    else compiled = this.compileNew(schema);
    this.compiled.set(key, compiled);
    if (this.compiled.size > this.limits.cached) {
      for (const oldest of this.compiled.keys()) {
        this.compiled.delete(oldest);
        break;
      }
    }
    return compiled;
  }

  check(schema: JsonSchema, value: unknown): SchemaCheck {
    return this.compile(schema).check(value);
  }

  private keyOf(schema: JsonSchema): JsonSchema | string {
    let key = this.keys.get(schema);
    if (key === undefined) this.keys.set(schema, (key = schemaText(schema) ?? schema));
    return key;
  }

  private compileNew(schema: JsonSchema): CompiledSchema {
    try {
      const normal = normalizeSchema(schema);
      return this.timeLimit.run(this.limits.compileMs, () => new AjvSchema(normal, this.timeLimit, this.limits));
    } catch (error) {
      const refusal = t('The schema cannot be used: {0}.', reasonOf(error));
      return { refusal, check: () => ({ problems: [], notices: [refusal] }) };
    }
  }
}

/** The text of a schema if it is short enough to be a key. */
function schemaText(schema: JsonSchema): string | undefined {
  try {
    const text = JSON.stringify(schema);
    return text.length <= maxTextKey ? text : undefined;
  } catch {
    // The schema is cyclic or too deeply nested to be serialized.
    return undefined;
  }
}

/** The reason why the compilation failed, as a part of a sentence. */
function reasonOf(error: unknown): string {
  if (error instanceof SchemaRefusal) return error.message;
  if (error instanceof TimeLimitError) return t('it is too complex');
  const missing = isObject(error) ? error['missingRef'] : undefined;
  if (typeof missing === 'string') {
    return missing.startsWith('#')
      ? t('its reference "{0}" does not exist in the schema', visibleLine(missing))
      : t('its reference "{0}" is outside the schema and is not fetched', visibleLine(missing));
  }
  return visibleLine(messageOf(error));
}

const ajvOptions: Options = {
  strict: false,
  logger: false,
  // The schema itself is not validated, because the compiler refuses parts that it cannot use.
  meta: false,
  validateSchema: false,
  // Properties that every object inherits are ignored.
  ownProperties: true,
  verbose: true,
  messages: false,
  formats: fullFormats,
};

/** Runs code that is slow the first time in a process, in steps of a few milliseconds. The results are discarded. */
export function* warmUp(): Generator<void> {
  const ajv = new Ajv2020(ajvOptions);
  yield;
  ajv.compile({ type: 'object' });
  yield;
  ajv.compile({ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] });
}

/** Maximum work, in steps, that runs without a time limit. Less work takes a few milliseconds at most. */
const directWork = 1_000_000;
/**
 * Maximum weight of a value for which all problems are reported. For heavier values, only the first problem is
 * reported, because a million equal problems are of no use.
 */
const maxWeightForAllProblems = 20_000;
/** Number of steps at one position of a text from which a pattern gets a time limit of its own. */
const manySteps = 100;
/** Maximum number of errors from which all problems are made. A small value can have several errors for each item. */
const maxErrors = 10_000;

/** The state of one check. */
interface CheckState {
  /** The pattern that is being matched. */
  current: GuardedPattern | undefined;
  /** The patterns that were not used. */
  readonly skipped: Set<GuardedPattern>;
}

/** A pattern of the schema, as the validator's generated code uses it. */
class GuardedPattern {
  readonly degree: number;
  readonly steps: number;
  /** Number of places in the schema that use the pattern. */
  uses = 0;
  /** Why the pattern is not used; a complete sentence. */
  off?: string;
  private readonly regExp: RegExp | undefined;

  constructor(
    readonly source: string,
    private readonly run: CheckState,
  ) {
    this.regExp = source.length <= maxPatternLength ? parsePattern(source) : undefined;
    ({ degree: this.degree, steps: this.steps } = this.regExp ? patternCost(source) : { degree: 0, steps: 0 });
    if (!this.regExp) this.off = t('The pattern {0} is not supported and was not checked.', visibleLine(source, 80));
  }

  /** Whether a text matches; also true if the pattern is not used. */
  test(text: string): boolean {
    if (this.off !== undefined || !this.regExp) {
      this.run.skipped.add(this);
      return true;
    }
    this.run.current = this;
    const matches = this.regExp.test(text);
    this.run.current = undefined;
    return matches;
  }

  /** The text by which the validator identifies patterns. */
  toString(): string {
    return `/${this.source}/`;
  }
}

const maxPatternLength = 4_096;

function parsePattern(source: string): RegExp | undefined {
  // The specification requires Unicode mode, but that mode refuses unnecessary escapes, which are common. So the
  // pattern is also compiled without it.
  for (const flags of ['u', '']) {
    try {
      return new RegExp(source, flags);
    } catch {
      // The pattern is invalid in this mode. If it is invalid in both modes, it is reported as not supported.
    }
  }
  return undefined;
}

class AjvSchema implements CompiledSchema {
  private readonly patterns = new Map<string, GuardedPattern>();
  /** The state of the current check, which remains readable after the check was aborted. */
  private readonly run: CheckState = { current: undefined, skipped: new Set() };
  private readonly allProblems: ValidateFunction;
  /** Created when the first heavy value is checked. */
  private firstProblem: ValidateFunction | undefined;

  constructor(
    private readonly normal: NormalSchema,
    private readonly timeLimit: TimeLimit,
    private readonly limits: Required<ValidatorLimits>,
  ) {
    this.allProblems = this.compile(true);
  }

  check(value: unknown): SchemaCheck {
    const weight = weigh(value, maxWeightForAllProblems + 1);
    const isShort = this.isShort(weight);
    let leftMs = this.limits.checkMs;
    // The time limit of a pattern leaves enough time to repeat the check without the pattern.
    let shareMs = this.hasRiskyPattern() ? this.limits.patternMs : Infinity;
    for (;;) {
      this.reset();
      try {
        if (!isShort) return this.timeLimit.run(Math.min(shareMs, leftMs), () => this.restart(value, weight));
        const errors = this.validate(value, weight);
        if (errors.length === 0) return this.outcome(errors);
        // The texts of problems may take long although the check was short: they contain parts of the schema.
        return this.timeLimit.run(leftMs, () => this.outcome(errors));
      } catch (error) {
        if (!(error instanceof TimeLimitError)) return this.unchecked(error);
        const pattern = this.run.current;
        // The pattern stays disabled, because the next check, perhaps one keystroke later, must not wait for it again.
        if (pattern)
          pattern.off = t(
            'Matching the pattern {0} takes too long, so it was not checked.',
            visibleLine(pattern.source, 80),
          );
        else shareMs = Infinity;
        leftMs -= error.limitMs;
        if (leftMs <= 0) return this.unchecked(error);
      }
    }
  }

  private reset(): void {
    if (this.run.skipped.size > 0) this.run.skipped.clear();
    this.run.current = undefined;
  }

  /** The work of a check with a time limit. An earlier attempt may have been aborted. */
  private restart(value: unknown, weight: number): SchemaCheck {
    this.reset();
    return this.outcome(this.validate(value, weight));
  }

  private validate(value: unknown, weight: number): readonly ErrorObject[] {
    if (weight <= maxWeightForAllProblems) {
      const errors = errorsOf(this.allProblems, value);
      if (errors.length <= maxErrors) return errors;
    }
    return errorsOf((this.firstProblem ??= this.compile(false)), value);
  }

  private hasRiskyPattern(): boolean {
    for (const pattern of this.patterns.values())
      if (pattern.off === undefined && (pattern.degree > 1 || pattern.steps > manySteps)) return true;
    return false;
  }

  private outcome(errors: readonly ErrorObject[]): SchemaCheck {
    const skipped = [...this.run.skipped];
    const notices = skipped.map((pattern) => pattern.off ?? '');
    return { problems: skipped.length > 0 && !this.normal.isMonotone ? [] : problemsOf(errors), notices };
  }

  private unchecked(error: unknown): SchemaCheck {
    const reason =
      error instanceof TimeLimitError
        ? t('it takes too long')
        : error instanceof RangeError
          ? t('it is nested too deeply, or the schema refers to itself')
          : visibleLine(messageOf(error));
    return { problems: [], notices: [t('The value was not checked against its schema: {0}.', reason)] };
  }

  /** Whether an upper bound of the steps is small enough to run the check without a time limit. */
  private isShort(weight: number): boolean {
    // A schema in which each reference leads to two other references doubles the work at each step, even for a small
    // value.
    if (this.normal.hasReferenceChains) return false;
    // A greater weight was not counted to its end.
    if (weight > maxWeightForAllProblems) return false;
    let work = this.normal.nodes * (1 + this.normal.references) * weight;
    if (this.normal.hasFormats || this.normal.isQuadratic) work += weight ** 2;
    for (const { off, uses, steps, degree } of this.patterns.values())
      if (off === undefined) work += uses * (1 + this.normal.references) * steps * weight ** degree;
    return work <= directWork;
  }

  private compile(allErrors: boolean): ValidateFunction {
    const options: Options = {
      ...ajvOptions,
      allErrors,
      // Inlining references gives better messages, but must not multiply the generated code.
      inlineRefs: this.normal.references * this.normal.nodes <= 20_000,
      code: { optimize: false, regExp: Object.assign((source: string) => this.pattern(source), { code: 'pattern' }) },
    };
    // A new instance each time, so that identifiers of different servers cannot collide and memory does not grow.
    return new Ajv2020(options).compile(this.normal.schema);
  }

  private pattern(source: string): GuardedPattern {
    let pattern = this.patterns.get(source);
    if (!pattern) this.patterns.set(source, (pattern = new GuardedPattern(source, this.run)));
    pattern.uses++;
    return pattern;
  }
}

function errorsOf(validator: ValidateFunction, value: unknown): readonly ErrorObject[] {
  if (validator(value)) return [];
  const errors = validator.errors ?? [];
  // The errors reference the value and must not outlive the check.
  validator.errors = null;
  return errors;
}

/** The number of values and characters, counted up to `max`. */
function weigh(value: unknown, max: number): number {
  let weight = 0;
  const waiting: unknown[] = [value];
  while (waiting.length > 0 && weight < max) {
    const next = waiting.pop();
    weight++;
    if (typeof next === 'string') weight += next.length;
    else if (Array.isArray(next)) for (let i = 0; i < next.length && waiting.length < max; i++) waiting.push(next[i]);
    else if (isObject(next)) {
      for (const key in next) {
        weight += key.length;
        waiting.push(next[key]);
        if (waiting.length >= max) break;
      }
    }
  }
  // Pending items are counted as well, because a list of a million empty items takes much time.
  return Math.min(max, weight + waiting.length);
}

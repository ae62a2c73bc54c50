import { runInSlices } from '../../../base/timeSlice.js';
import type { Tool } from '../../../protocol/mcp.js';
import type { SchemaValidator } from '../../../schema/schemaValidator.js';
import type { Finding, LintRule, LintSubject, SchemaPlace, SchemaRule, Violation } from './lintRule.js';
import { lintRules, validityRules } from './lintRules.js';
import { schemaPlaces } from './schemaPlaces.js';

/** Maximum number of findings of one rule about one server; the rest is only counted. */
const maxPerRule = 40;

export interface LintOptions {
  signal?: AbortSignal | undefined;
  /** Rules that are not checked. */
  ignored?: ReadonlySet<string>;
  /** Provides the validator for schemas, which is large and loads on first use. */
  validator: () => SchemaValidator | Promise<SchemaValidator>;
}

export interface LintReport {
  /** The findings, the most serious ones first. At most 40 for each rule. */
  findings: readonly Finding[];
  /** For rules with more findings: the number of findings that are left out. */
  more: ReadonlyMap<string, number>;
}

/**
 * Checks what a server lists against the rules, in turns of a few milliseconds. Sends nothing to the server. Rejects
 * with the signal's reason when it is aborted.
 */
export async function lintServer(
  subject: LintSubject,
  { signal, ignored, validator: load }: LintOptions,
): Promise<LintReport> {
  const rules = lintRules.filter(({ id }) => ignored?.has(id) !== true);
  const validator = await load();
  signal?.throwIfAborted();
  const collected = new Findings();
  await runInSlices(steps(subject, rules, validator, collected, ignored ?? new Set()), signal);
  return collected.report();
}

function* steps(
  subject: LintSubject,
  rules: readonly LintRule[],
  validator: SchemaValidator,
  collected: Findings,
  ignored: ReadonlySet<string>,
): Generator {
  for (const rule of rules) {
    if (rule.on === 'server')
      for (const violation of rule.check(subject)) {
        collected.add(rule, { kind: 'server', name: subject.server }, violation);
        yield;
      }
    yield;
  }
  const schemaRules = rules.filter((rule) => rule.on === 'schema');
  for (const tool of subject.tools) {
    for (const rule of rules) {
      if (rule.on === 'tool')
        for (const violation of rule.check(tool))
          collected.add(rule, { kind: 'tool', name: tool.name }, asViolation(violation));
    }
    yield;
    for (const place of schemaPlaces(tool)) {
      checkPlace(place, tool, schemaRules, collected);
      yield;
    }
    yield* validity(tool, validator, collected, ignored);
  }
}

function asViolation(violation: Violation | string): Violation {
  return typeof violation === 'string' ? { message: violation } : violation;
}

function checkPlace(place: SchemaPlace, tool: Tool, rules: readonly SchemaRule[], collected: Findings): void {
  for (const rule of rules)
    for (const message of rule.check(place, tool))
      collected.add(rule, { kind: 'tool', name: tool.name }, { message, pointer: place.pointer });
}

function* validity(
  tool: Tool,
  validator: SchemaValidator,
  collected: Findings,
  ignored: ReadonlySet<string>,
): Generator {
  for (const [schema, id, pointer] of [
    [tool.inputSchema, validityRules.input, '/inputSchema'],
    [tool.outputSchema, validityRules.output, '/outputSchema'],
  ] as const) {
    if (!schema || ignored.has(id)) continue;
    const { refusal } = validator.compile(schema);
    if (refusal !== undefined)
      collected.add({ id, severity: 'error' }, { kind: 'tool', name: tool.name }, { message: refusal, pointer });
    yield;
  }
}

const order = { error: 0, warning: 1, info: 2 } as const;

class Findings {
  private readonly byRule = new Map<string, Finding[]>();
  private readonly more = new Map<string, number>();

  add({ id, severity }: Pick<LintRule, 'id' | 'severity'>, item: Finding['target'], violation: Violation): void {
    const { message, pointer, target = item } = violation;
    const found = this.byRule.get(id) ?? [];
    this.byRule.set(id, found);
    if (found.length < maxPerRule) found.push({ rule: id, severity, message, target, pointer });
    else this.more.set(id, (this.more.get(id) ?? 0) + 1);
  }

  report(): LintReport {
    const findings = [...this.byRule.values()].flat().sort((a, b) => order[a.severity] - order[b.severity]);
    return { findings, more: this.more };
  }
}

/** `files.exclude`: what is hidden from the user is hidden from tools. The setting may come from a repository. */
import type { Follow } from './globRules.js';
import { compileRule, maxCompileSteps, maxSteps } from './globRules.js';

/** `files.exclude` as it is written: hidden, shown, or hidden only next to another file. */
export type ExcludeRules = Readonly<Record<string, boolean | { when: string }>>;

/** A longer `when` of an exclusion is cut, so that a name put into it stays short. */
const maxWhenLength = 500;
/** After so many steps the extension host gets its turn before the next path is tested. */
const maxStepsInTurn = 20_000;

/** Each pattern costs as much as this number of steps, however short it is. */
const stepsOfPattern = 10;

interface CompiledRule {
  follow: Follow;
  when: string | undefined;
}

/**
 * One value of `files.exclude`, compiled once. Where the setting is too complex every path is hidden: what it was to
 * hide must not be shown. Compiling and each test of a path are bounded in steps, and many tests in a row make way for
 * other work, so that no setting blocks the extension host for more than 16 ms.
 */
export class Exclusions {
  /** Undefined where the setting is too complex. */
  private readonly rules: readonly CompiledRule[] | undefined;
  private stepsInTurn = 0;
  private nextTurn: Promise<void> | undefined;

  /** @param onTooComplex called at once, at most one time. */
  constructor(rules: ExcludeRules, ignoreCase = false, onTooComplex?: () => void) {
    this.rules = compileAll(rules, ignoreCase);
    if (this.rules === undefined) onTooComplex?.();
  }

  /**
   * Whether a path is hidden. A path that would take more than 100,000 steps is.
   * @param relative below its folder, with `/`.
   * @param exists asked about files next to it, for rules with a condition.
   */
  async hides(relative: string, exists: (relative: string) => Promise<boolean>): Promise<boolean> {
    if (this.rules === undefined) return true;
    await this.turn();
    const steps = { left: maxSteps };
    const conditions: { when: string; lengths: readonly number[] }[] = [];
    const isHidden = this.rules.some(({ follow, when }) => {
      // A rule that hides a folder hides what is in it.
      const lengths = follow(relative, steps);
      if (lengths === undefined) return true;
      if (when === undefined) return lengths.length > 0;
      conditions.push({ when, lengths });
      return false;
    });
    this.stepsInTurn += maxSteps - Math.max(0, steps.left) + this.rules.length;
    if (isHidden) return true;
    for (const { when, lengths } of conditions)
      for (const length of lengths) if (await exists(sibling(relative.slice(0, length), when))) return true;
    return false;
  }

  private async turn(): Promise<void> {
    while (this.stepsInTurn > maxStepsInTurn) {
      this.nextTurn ??= new Promise((resolve) =>
        setImmediate(() => {
          this.stepsInTurn = 0;
          this.nextTurn = undefined;
          resolve();
        }),
      );
      await this.nextTurn;
    }
  }
}

function compileAll(rules: ExcludeRules, ignoreCase: boolean): CompiledRule[] | undefined {
  const steps = { left: maxCompileSteps };
  const compiled: CompiledRule[] = [];
  const patterns = Object.keys(rules);
  if (patterns.length * stepsOfPattern > steps.left) return undefined;
  for (const pattern of patterns) {
    const rule = rules[pattern] ?? false;
    if ((steps.left -= stepsOfPattern) < 0) return undefined;
    if (rule === false) continue;
    const follow = compileRule(pattern, ignoreCase, steps);
    if (!follow) return undefined;
    compiled.push({ follow, when: rule === true ? undefined : rule.when });
  }
  return compiled;
}

function sibling(path: string, when: string): string {
  const slash = path.lastIndexOf('/') + 1;
  const name = path.slice(slash);
  const dot = name.lastIndexOf('.');
  const base = dot > 0 ? name.slice(0, dot) : name;
  // A function, because `$` in a name is part of the name.
  return path.slice(0, slash) + when.slice(0, maxWhenLength).replaceAll('$(basename)', () => base);
}

/**
 * Applies `files.exclude`: files that are hidden from the user are hidden from tools as well. The setting may come from
 * a repository.
 */
import type { Follow } from './globRules.js';
import { compileRule, maxCompileSteps, maxSteps } from './globRules.js';

/**
 * The values of `files.exclude` as written: a pattern hides files, shows files, or hides files only next to another
 * file.
 */
export type ExcludeRules = Readonly<Record<string, boolean | { when: string }>>;

/**
 * Maximum length of a `when` condition, in characters; a longer one is cut. The limit keeps the file names short that
 * are built from the condition.
 */
const maxWhenLength = 500;
/** After this many steps, the extension host can do other work before the next path is tested. */
const maxStepsInTurn = 20_000;

/** The cost of each pattern, in steps, however short the pattern is. */
const stepsOfPattern = 10;

interface CompiledRule {
  follow: Follow;
  when: string | undefined;
}

/**
 * One value of `files.exclude`, compiled once. If the setting is too complex, every path is hidden, because files that
 * the setting is meant to hide must not be shown. The number of steps is limited for compiling and for each test of a
 * path. Many consecutive tests let other work run in between. So no setting blocks the extension host for more than 16
 * ms.
 */
export class Exclusions {
  /** The compiled rules; undefined if the setting is too complex. */
  private readonly rules: readonly CompiledRule[] | undefined;
  private stepsInTurn = 0;
  private nextTurn: Promise<void> | undefined;

  /** @param onTooComplex called synchronously, at most once. */
  constructor(rules: ExcludeRules, ignoreCase = false, onTooComplex?: () => void) {
    this.rules = compileAll(rules, ignoreCase);
    if (this.rules === undefined) onTooComplex?.();
  }

  /**
   * Whether a path is hidden. A path whose test would take more than 100,000 steps is hidden.
   * @param relative the path relative to its folder, with `/`.
   * @param exists tells whether a file next to it exists, for rules with a condition.
   */
  async hides(relative: string, exists: (relative: string) => Promise<boolean>): Promise<boolean> {
    if (this.rules === undefined) return true;
    await this.turn();
    const steps = { left: maxSteps };
    const conditions: { when: string; lengths: readonly number[] }[] = [];
    const isHidden = this.rules.some(({ follow, when }) => {
      // A rule that hides a folder also hides its contents.
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
  // The replacement is a function, because a `$` in a name must not have a special meaning.
  return path.slice(0, slash) + when.slice(0, maxWhenLength).replaceAll('$(basename)', () => base);
}

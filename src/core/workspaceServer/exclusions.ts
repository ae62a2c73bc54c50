/**
 * Applies `files.exclude`: files that are hidden from the user are hidden from tools as well. The setting may come from
 * a repository.
 */
import type { PrefixMatcher } from './globRules.js';
import { compileRule, maxCompileSteps, maxSteps } from './globRules.js';
import { Turns } from './turns.js';

/**
 * The value of `files.exclude` as written. `true` hides the files that match the pattern, `false` shows them, and
 * `when` hides them only beside another file.
 */
export type ExcludeRules = Readonly<Record<string, boolean | { when: string }>>;

/**
 * Maximum length of a `when` condition, in characters; a longer one is cut. The limit keeps the file names that are
 * built from the condition short.
 */
const maxWhenLength = 500;
/** The cost of each pattern, in steps, however short the pattern is. */
const stepsOfPattern = 10;

interface CompiledRule {
  follow: PrefixMatcher;
  when: string | undefined;
}

/**
 * One value of `files.exclude`, compiled when the first path is tested. If the setting is too complex, every path is
 * hidden, because a file that the setting hides must not become visible. Compiling and each test of a path have a
 * limited number of steps, and both yield to other work. Only reading the list of patterns does not yield; it takes 20
 * ms for 90,000 patterns.
 */
export class Exclusions {
  /** Resolves to undefined if the setting is too complex. */
  private compiled: Promise<readonly CompiledRule[] | undefined> | undefined;

  /**
   * @param onTooComplex called at most once, if the setting is too complex.
   * @param turns the step counter, shared with other work in the same turns of the event loop.
   */
  constructor(
    private readonly written: ExcludeRules,
    private readonly ignoreCase = false,
    private readonly onTooComplex?: () => void,
    private readonly turns = new Turns(),
  ) {}

  /**
   * Whether a path is hidden. Also true if the test of the path would take more than 100,000 steps.
   * @param relative the path relative to its folder, with `/`.
   * @param exists returns whether a file exists, given its path relative to the folder. Called for rules with `when`.
   */
  async hides(relative: string, exists: (relative: string) => Promise<boolean>): Promise<boolean> {
    this.compiled ??= this.compile();
    const rules = await this.compiled;
    if (rules === undefined) return true;
    while (this.turns.isOver) await this.turns.next();
    const steps = { left: maxSteps };
    const conditions: { when: string; lengths: readonly number[] }[] = [];
    const isHidden = rules.some(({ follow, when }) => {
      // A rule that hides a folder also hides its contents.
      const lengths = follow(relative, steps);
      if (lengths === undefined) return true;
      if (when === undefined) return lengths.length > 0;
      conditions.push({ when, lengths });
      return false;
    });
    this.turns.spend(maxSteps - Math.max(0, steps.left) + rules.length);
    if (isHidden) return true;
    for (const { when, lengths } of conditions)
      for (const length of lengths) if (await exists(sibling(relative.slice(0, length), when))) return true;
    return false;
  }

  private async compile(): Promise<readonly CompiledRule[] | undefined> {
    const rules = await compileAll(this.written, this.ignoreCase, this.turns);
    if (rules === undefined) this.onTooComplex?.();
    return rules;
  }
}

async function compileAll(rules: ExcludeRules, ignoreCase: boolean, turns: Turns): Promise<CompiledRule[] | undefined> {
  while (turns.isOver) await turns.next();
  const steps = { left: maxCompileSteps };
  const compiled: CompiledRule[] = [];
  const patterns = Object.keys(rules);
  turns.spend(patterns.length);
  if (patterns.length * stepsOfPattern > steps.left) return undefined;
  for (const pattern of patterns) {
    while (turns.isOver) await turns.next();
    const before = steps.left;
    const rule = rules[pattern] ?? false;
    if ((steps.left -= stepsOfPattern) < 0) return undefined;
    if (rule === false) continue;
    const follow = compileRule(pattern, ignoreCase, steps);
    if (!follow) return undefined;
    turns.spend(before - steps.left);
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

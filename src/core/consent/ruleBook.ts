import { canonicalJson } from '../base/jsonText.js';
import type { Disposable } from '../base/disposable.js';
import { DisposableStore } from '../base/disposable.js';
import type { Event } from '../base/event.js';
import { Emitter } from '../base/event.js';
import { isObject } from '../base/guards.js';
import { readRules, withoutFormerName } from './readRules.js';
import type { Lifetime, PlacedRule, Rule } from './rule.js';
import type { CallFacts, Decision } from './ruleSet.js';
import { RuleSet } from './ruleSet.js';
import type { PinStore } from './toolPins.js';

/** The lists of rules in the settings, as written. */
export interface WrittenRules {
  user: unknown;
  /** Whether the user has or may have a list of rules that the settings do not report. Default false. */
  isUserHidden?: boolean;
  /** The lists of the workspace's settings. */
  workspace: readonly unknown[];
}

/** The settings that store permanent rules. */
export interface RuleSettings {
  read(): WrittenRules;
  /** Replaces the user's list. */
  write(rules: readonly unknown[]): Promise<void>;
  readonly onDidChange: Event<void>;
}

export const workspaceRulesKey = 'mcpDeck.workspaceRules';

/** The rule that replaces a list that cannot be read: it asks the user about every call. */
const hiddenRules: PlacedRule = {
  rule: { effect: 'ask' },
  source: 'always',
  index: 0,
  problem:
    'your rules apply to all profiles, and VS Code hides them because the settings of the remote machine have rules. Remove mcpDeck.rules from the settings of the remote machine',
};

/** All rules, compiled once after each change, and the time of the last use of each. */
export class RuleBook implements Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new Emitter<void>());
  readonly onDidChange = this.changed.event;
  private session: readonly Rule[] = [];
  private list: readonly PlacedRule[] | undefined;
  private compiled: RuleSet | undefined;
  private readonly used = new Map<string, number>();

  constructor(
    private readonly settings: RuleSettings,
    private readonly state: PinStore,
    private readonly now: () => number = Date.now,
  ) {
    this.store.add(settings.onDidChange(() => this.forget()));
  }

  /** Every rule with its source; invalid rules state the problem. */
  get rules(): readonly PlacedRule[] {
    if (!this.list) {
      const { user, isUserHidden = false, workspace } = this.settings.read();
      this.list = [
        ...(isUserHidden ? [hiddenRules] : readRules(user, 'always')),
        ...readRules(this.state.get(workspaceRulesKey), 'workspace'),
        ...readRules(this.session, 'session'),
        ...workspace.flatMap((rules) => readRules(rules, 'workspaceFile')),
      ];
    }
    return this.list;
  }

  /** The decision for a call. Does not count as a use of the rule that decides. */
  preview(call: CallFacts): Decision {
    this.compiled ??= new RuleSet(this.rules);
    return this.compiled.decide(call);
  }

  decide(call: CallFacts): Decision {
    const decision = this.preview(call);
    if (decision.rule) this.used.set(keyOf(decision.rule), this.now());
    return decision;
  }

  /** When a rule was last used, in epoch milliseconds. Undefined if the rule decided nothing in this window. */
  lastUsed(rule: PlacedRule): number | undefined {
    return this.used.get(keyOf(rule));
  }

  async add(rule: Rule, lifetime: Lifetime): Promise<void> {
    if (lifetime === 'session') this.session = [...this.session, rule];
    else if (lifetime === 'workspace')
      await this.state.set(workspaceRulesKey, [...listOf(this.state.get(workspaceRulesKey)), rule]);
    else await this.settings.write([...listOf(this.settings.read().user), rule]);
    this.forget();
  }

  /**
   * Removes a rule from its source. A rule in the settings of a workspace is not removed: only an edit of the settings
   * can remove it.
   */
  async remove({ source, index, rule }: PlacedRule): Promise<void> {
    const without = (rules: unknown) => listOf(rules).filter((_rule, place) => place !== index);
    if (source === 'session') this.session = this.session.filter((one) => canonicalJson(one) !== canonicalJson(rule));
    else if (source === 'workspace')
      await this.state.set(workspaceRulesKey, without(this.state.get(workspaceRulesKey)));
    else if (source === 'always') await this.settings.write(without(this.settings.read().user));
    this.forget();
  }

  /**
   * Removes the rules that answers to questions have created: every rule of the session and the workspace, and those
   * that are bound to an approval.
   */
  async reset(): Promise<void> {
    this.session = [];
    await this.state.set(workspaceRulesKey, undefined);
    const user = this.settings.read().user;
    const kept = listOf(user).filter((rule) => !isObject(rule) || rule['approval'] === undefined);
    if (kept.length !== listOf(user).length) await this.settings.write(kept);
    this.forget();
  }

  dispose(): void {
    this.store.dispose();
  }

  private forget(): void {
    this.list = undefined;
    this.compiled = undefined;
    this.changed.fire();
  }
}

/**
 * A list as written, ready to be written again. Throws if the value is not a list, so that the value is not
 * overwritten.
 */
function listOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.map(withoutFormerName);
  if (value === undefined || value === null) return [];
  throw new TypeError('The rules are not a list; correct them first.');
}

function keyOf({ source, rule }: PlacedRule): string {
  return `${source} ${JSON.stringify(rule)}`;
}

/**
 * What the state of a workspace has to look like, and what counts where it does not. A value that cannot be read is set
 * aside with its content and told, and never widens what may happen: what was switched off stays off, what was allowed
 * is asked for again. Runs are kept elsewhere and see to themselves.
 */
import { isObject, isStringArray } from '../base/guards.js';
import { stateKeys } from '../base/stateKeys.js';
import { workspaceRulesKey } from '../consent/ruleBook.js';
import { arePins, pinsKey, safePins } from '../consent/toolPins.js';
import type { StateStore } from '../base/stores.js';
import { areSwitches, emptyPreset, isActivePreset, safeSwitches } from '../presets/storedSwitches.js';

/** Stands for every name that a lost list may have had. */
export const everyName = '*';

interface StoredValue {
  key: string;
  isGood: (value: unknown) => boolean;
  /** What is kept in its place. */
  instead: (value: unknown) => unknown;
  /** What that means, as a sentence. */
  effect: string;
}

const isBoolean = (value: unknown) => typeof value === 'boolean';
const isEra = (value: unknown) => value === 'legacy' || value === 'modern';
const isRoots = (value: unknown) => value === null || isStringArray(value);
const isPolicy = (value: unknown) =>
  isObject(value) &&
  [undefined, 'ask', 'allow', 'never'].some((policy) => policy === value['policy']) &&
  (value['model'] === undefined || typeof value['model'] === 'string');

const values: readonly StoredValue[] = [
  {
    key: stateKeys.running,
    isGood: isStringArray,
    instead: () => undefined,
    effect: 'No server starts by itself until it has run again.',
  },
  {
    key: stateKeys.enabled,
    isGood: recordOf(isBoolean),
    instead: goodOr(isBoolean, false),
    effect: 'The servers that it may have named are off until you enable them.',
  },
  {
    key: stateKeys.trusted,
    isGood: isStringArray,
    instead: (value) => (Array.isArray(value) ? value.filter((hash) => typeof hash === 'string') : undefined),
    effect: 'Servers of the workspace ask once more before they start.',
  },
  {
    key: stateKeys.eras,
    isGood: recordOf(isEra),
    instead: () => undefined,
    effect: 'Servers are asked once more which protocol they speak.',
  },
  {
    key: stateKeys.sampling,
    isGood: recordOf(isPolicy),
    instead: (value) =>
      isObject(value) ? Object.fromEntries(Object.entries(value).filter(([, policy]) => isPolicy(policy))) : undefined,
    effect: 'Requests of servers to a language model are asked about.',
  },
  {
    key: stateKeys.roots,
    isGood: recordOf(isRoots),
    instead: goodOr(isRoots, []),
    effect: 'The servers that it may have named see no folder until you choose their roots.',
  },
  {
    key: stateKeys.tools,
    isGood: areSwitches,
    instead: safeSwitches,
    effect: 'The tools that it may have named count as disabled until you enable them.',
  },
  {
    key: stateKeys.preset,
    isGood: isActivePreset,
    instead: () => emptyPreset,
    effect: 'Nothing is on until you choose a preset, or none.',
  },
  {
    key: pinsKey,
    isGood: arePins,
    instead: safePins,
    effect: 'The tools that it may have named ask, or wait for your review, before they run again.',
  },
  {
    key: workspaceRulesKey,
    isGood: (value) => Array.isArray(value),
    instead: () => [{ effect: 'ask', note: 'Replaces the rules of this workspace that could not be read.' }],
    effect: 'Every call of a tool is asked about until you remove the rule that replaces them.',
  },
];

/**
 * The state of a workspace as everybody reads it: what cannot be read is set aside when this is made, and counts as what
 * stands in its place. Nothing is written over what could not be set aside; changes count in this window only, then.
 */
export class StoredState implements StateStore {
  /** What counts of the keys that were lost. */
  private readonly instead = new Map<string, unknown>();
  /** Whether what was there is safe. */
  private readonly copies = new Map<string, Promise<boolean>>();
  /** A sentence for each that was lost; resolves when all are set aside. */
  readonly lost: Promise<readonly string[]>;

  constructor(
    private readonly state: StateStore,
    now: () => number = Date.now,
  ) {
    this.lost = Promise.all(values.flatMap((value) => this.check(value, now)));
  }

  get(key: string): unknown {
    return this.instead.has(key) ? this.instead.get(key) : this.state.get(key);
  }

  async set(key: string, value: unknown): Promise<void> {
    const copy = this.copies.get(key);
    if (copy) {
      this.instead.set(key, value);
      if (!(await copy)) return;
    }
    await this.state.set(key, value);
  }

  private check({ key, isGood, instead, effect }: StoredValue, now: () => number): Promise<string>[] {
    const stored = this.state.get(key);
    if (stored === undefined || isGood(stored)) return [];
    // What an earlier loss left there is not written over.
    const aside =
      this.state.get(`${key}.unreadable`) === undefined ? `${key}.unreadable` : `${key}.unreadable.${now()}`;
    const copy = this.state.set(aside, stored).then(
      () => true,
      () => false,
    );
    this.copies.set(key, copy);
    // Where it cannot be written the old value stays, and is set aside next time.
    this.set(key, instead(stored)).catch(() => undefined);
    const happened = copy.then((isSafe) =>
      isSafe
        ? `was set aside as "${aside}".`
        : 'could not be set aside, so it stays, and changes of it count in this window only.',
    );
    return [happened.then((what) => `What was stored under ${key} cannot be read and ${what} ${effect}`)];
  }
}

function recordOf(isGood: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => isObject(value) && Object.values(value).every(isGood);
}

/**
 * The same record with `safe` for what is wrong in it; where it is no record, `safe` for whatever it may have named.
 */
function goodOr(isGood: (value: unknown) => boolean, safe: unknown): (value: unknown) => unknown {
  return (value) =>
    isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, isGood(inner) ? inner : safe]))
      : { [everyName]: safe };
}

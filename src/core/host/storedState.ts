/**
 * Validates the stored state of a workspace. An unreadable value is set aside with its content and reported, and its
 * replacement never grants more than before: disabled items stay disabled, and approvals are requested again. Stored
 * runs are validated by their own code.
 */
import { isObject, isStringArray } from '../base/guards.js';
import { stateKeys } from '../base/stores.js';
import { workspaceRulesKey } from '../consent/ruleBook.js';
import { arePins, pinsKey, safePins } from '../consent/toolPins.js';
import type { StateStore } from '../base/stores.js';
import { areSwitches, emptyPreset, isActivePreset, safeSwitches } from '../presets/storedSwitches.js';

/** Matches every name that the lost list may have contained. */
export const everyName = '*';

interface StoredValue {
  key: string;
  isGood: (value: unknown) => boolean;
  /** Returns the replacement of a bad value. */
  instead: (value: unknown) => unknown;
  /** The effect of the replacement, as a sentence for the user. */
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
    effect: 'A server does not start automatically until you have started it again.',
  },
  {
    key: stateKeys.enabled,
    isGood: recordOf(isBoolean),
    instead: goodOr(isBoolean, false),
    effect: 'The affected servers are disabled until you enable them.',
  },
  {
    key: stateKeys.trusted,
    isGood: isStringArray,
    instead: (value) => (Array.isArray(value) ? value.filter((hash) => typeof hash === 'string') : undefined),
    effect: 'Servers of this workspace need your approval again before they start.',
  },
  {
    key: stateKeys.eras,
    isGood: recordOf(isEra),
    instead: () => undefined,
    effect: 'MCP Deck detects the protocol version of each server again.',
  },
  {
    key: stateKeys.sampling,
    isGood: recordOf(isPolicy),
    instead: (value) =>
      isObject(value) ? Object.fromEntries(Object.entries(value).filter(([, policy]) => isPolicy(policy))) : undefined,
    effect: 'You are asked before a server uses a language model.',
  },
  {
    key: stateKeys.roots,
    isGood: recordOf(isRoots),
    instead: goodOr(isRoots, []),
    effect: 'The affected servers have no roots until you choose them.',
  },
  {
    key: stateKeys.tools,
    isGood: areSwitches,
    instead: safeSwitches,
    effect: 'The affected tools are disabled until you enable them.',
  },
  {
    key: stateKeys.preset,
    isGood: isActivePreset,
    instead: () => emptyPreset,
    effect: 'No server or tool is on until you select a preset or "No Preset".',
  },
  {
    key: pinsKey,
    isGood: arePins,
    instead: safePins,
    effect: 'The affected tools need your approval or review before they run again.',
  },
  {
    key: workspaceRulesKey,
    isGood: (value) => Array.isArray(value),
    instead: () => [{ effect: 'ask', note: 'Replaces the rules of this workspace that could not be read.' }],
    effect: 'You are asked before every tool call until you remove the replacement rule.',
  },
];

/**
 * The validated state of a workspace. The constructor moves unreadable values aside and replaces them. A value that
 * could not be set aside is not overwritten; changes to that value then apply to this window only.
 */
export class StoredState implements StateStore {
  /** The replacements of lost values, by key. */
  private readonly instead = new Map<string, unknown>();
  /** Whether the copy of a lost value was stored, by key. */
  private readonly copies = new Map<string, Promise<boolean>>();
  /** One text for each lost value. Resolves when all lost values are set aside. */
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
    // The copy of an earlier lost value is not overwritten.
    const aside =
      this.state.get(`${key}.unreadable`) === undefined ? `${key}.unreadable` : `${key}.unreadable.${now()}`;
    const copy = this.state.set(aside, stored).then(
      () => true,
      () => false,
    );
    this.copies.set(key, copy);
    // If the copy cannot be stored, the old value stays in place, and the next window tries to move it aside.
    this.set(key, instead(stored)).catch(() => undefined);
    const happened = copy.then((isSafe) =>
      isSafe
        ? `was set aside as "${aside}".`
        : 'could not be set aside, so it is unchanged, and new values apply to this window only.',
    );
    return [happened.then((what) => `The value that was stored as "${key}" cannot be read. It ${what} ${effect}`)];
  }
}

function recordOf(isGood: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => isObject(value) && Object.values(value).every(isGood);
}

/**
 * Returns a function that replaces the bad values of a record with `safe`. If the value is not a record, it returns
 * `safe` for every name.
 */
function goodOr(isGood: (value: unknown) => boolean, safe: unknown): (value: unknown) => unknown {
  return (value) =>
    isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, isGood(inner) ? inner : safe]))
      : { [everyName]: safe };
}

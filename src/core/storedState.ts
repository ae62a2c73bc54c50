/**
 * What the state of a workspace has to look like, and what counts where it does not. A value that cannot be read is set
 * aside with its content and told, and never widens what may happen: what was switched off stays off, what was allowed
 * is asked for again. Stores that keep more than a value (approvals of tools, switches of tools, runs) see to themselves.
 */
import { isObject, isStringArray } from './base/guards.js';
import { stateKeys } from './base/stateKeys.js';
import { workspaceRulesKey } from './consent/ruleBook.js';
import type { StateStore } from './ports.js';

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
const isPolicy = (value: unknown) => isObject(value) && [undefined, 'ask', 'allow', 'never'].some((policy) => policy === value['policy']) && (value['model'] === undefined || typeof value['model'] === 'string');

const values: readonly StoredValue[] = [
  { key: stateKeys.running, isGood: isStringArray, instead: () => undefined, effect: 'No server starts by itself until it has run again.' },
  { key: stateKeys.enabled, isGood: recordOf(isBoolean), instead: goodOr(isBoolean, false), effect: 'The servers that it may have named are off until you enable them.' },
  { key: stateKeys.trusted, isGood: isStringArray, instead: (value) => (Array.isArray(value) ? value.filter((hash) => typeof hash === 'string') : undefined), effect: 'Servers of the workspace ask once more before they start.' },
  { key: stateKeys.eras, isGood: recordOf(isEra), instead: () => undefined, effect: 'Servers are asked once more which protocol they speak.' },
  { key: stateKeys.sampling, isGood: recordOf(isPolicy), instead: (value) => (isObject(value) ? Object.fromEntries(Object.entries(value).filter(([, policy]) => isPolicy(policy))) : undefined), effect: 'Requests of servers to a language model are asked about.' },
  { key: stateKeys.roots, isGood: recordOf(isRoots), instead: goodOr(isRoots, []), effect: 'The servers that it may have named see no folder until you choose their roots.' },
  { key: workspaceRulesKey, isGood: (value) => Array.isArray(value), instead: () => [{ effect: 'ask', note: 'Stands for the rules of this workspace that could not be read.' }], effect: 'Every call of a tool is asked about until you remove the rule that stands for them.' },
];

/** Looks at all of them, once, before anybody reads one. `report` gets a sentence for each that was set aside. */
export function setAsideUnreadable(state: StateStore, report: (line: string) => void, now: () => number = Date.now): void {
  for (const { key, isGood, instead, effect } of values) {
    const stored = state.get(key);
    if (stored === undefined || stored === null || isGood(stored)) continue;
    const aside = state.get(`${key}.unreadable`) === undefined ? `${key}.unreadable` : `${key}.unreadable.${now()}`;
    // First what was there is safe; a state that cannot be written keeps the old value, and it is set aside next time.
    Promise.resolve(state.set(aside, stored)).then(
      () => undefined,
      () => report(`What was stored under ${key} could not be set aside.`),
    );
    state.set(key, instead(stored)).catch(() => undefined);
    report(`What was stored under ${key} cannot be read and was set aside as "${aside}". ${effect}`);
  }
}

function recordOf(isGood: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => isObject(value) && Object.values(value).every(isGood);
}

/** The same record with `safe` for what is wrong in it; where it is no record, `safe` for whatever it may have named. */
function goodOr(isGood: (value: unknown) => boolean, safe: unknown): (value: unknown) => unknown {
  return (value) => (isObject(value) ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, isGood(inner) ? inner : safe])) : { [everyName]: safe });
}

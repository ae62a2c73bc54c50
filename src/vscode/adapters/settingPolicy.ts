import type { AutoStart } from '../../core/config/autoStart.js';
import { autoStartOf } from '../../core/config/autoStart.js';
import type { SettingKey, SettingTypes } from '../manifest.js';
import { settingDefaults } from '../manifest.js';

/**
 * One setting as it is written in each place. The remote machine's settings are no settings of the user: the file of a dev
 * container writes them. `globalLocalValue` and `globalRemoteValue` are there at run time, and missing in VS Code's types.
 */
export interface WrittenSetting {
  /** What VS Code takes for the user: the remote machine's value where there is one, else the user's own. */
  globalValue?: unknown;
  globalLocalValue?: unknown;
  globalRemoteValue?: unknown;
  workspaceValue?: unknown;
  workspaceFolderValue?: unknown;
}

/**
 * How the values of the remote machine, the workspace and a folder count beside the user's own: not at all, by a function
 * that can only narrow, or (rules) by a reader of their own that takes what asks and denies.
 */
type Policy<T> = 'ignore' | 'asksAndDenies' | { narrow(own: T, other: T): T; isValid(value: unknown): value is T };

const smaller: Policy<number> = {
  narrow: Math.min,
  isValid: (value): value is number => typeof value === 'number' && Number.isFinite(value) && value > 0,
};
const offWins: Policy<boolean> = {
  narrow: (own, other) => own && other,
  isValid: (value): value is boolean => typeof value === 'boolean',
};
const startsLess: Policy<AutoStart> = {
  narrow: autoStartOf,
  isValid: (value): value is AutoStart => value === 'never' || value === 'lastRunning' || value === 'always',
};
const tracesLess: Policy<SettingTypes['mcpDeck.trace']> = {
  narrow: (own, other) => (other === 'off' ? other : own),
  isValid: (value): value is SettingTypes['mcpDeck.trace'] => value === 'off' || value === 'on',
};

/** A row for each setting of `package.json`; `test/unit/settingPolicy.test.ts` fails on one without. */
export const settingPolicies: { readonly [K in SettingKey]: Policy<SettingTypes[K]> } = {
  'mcpDeck.servers': 'ignore',
  'mcpDeck.inputs': 'ignore',
  'mcpDeck.believedServers': 'ignore',
  'mcpDeck.sampling': 'ignore',
  'mcpDeck.rules': 'asksAndDenies',
  'mcpDeck.autoStart': startsLess,
  'mcpDeck.restartOnCrash': offWins,
  'mcpDeck.builtInServer.enabled': offWins,
  'mcpDeck.trace': tracesLess,
  'mcpDeck.requestTimeout': smaller,
  'mcpDeck.startTimeout': smaller,
  'mcpDeck.stopGrace': smaller,
  'mcpDeck.limits.maxMessageBytes': smaller,
  'mcpDeck.limits.maxResourceBytes': smaller,
};

/** The value of the user's own settings as it is written, or undefined. */
export function ownValue(written: WrittenSetting | undefined): unknown {
  if (written === undefined) return undefined;
  // A profile keeps what counts for all profiles elsewhere, and VS Code says that in `globalValue` alone.
  return written.globalLocalValue ?? (written.globalRemoteValue === undefined ? written.globalValue : undefined);
}

/** The values that others than the user have written: of the remote machine, the workspace and the folder. */
export function othersValues({ globalRemoteValue, workspaceValue, workspaceFolderValue }: WrittenSetting): unknown[] {
  return [globalRemoteValue, workspaceValue, workspaceFolderValue].filter((value) => value !== undefined);
}

/**
 * The value that counts: the user's own or the default, narrowed by what the others say. Values of a wrong type count
 * as left out.
 */
export function settingValue<K extends SettingKey>(key: K, written: WrittenSetting | undefined): SettingTypes[K] {
  const policy: Policy<SettingTypes[K]> = settingPolicies[key];
  const own = ownValue(written);
  if (policy === 'ignore' || policy === 'asksAndDenies') return (own ?? settingDefaults[key]) as SettingTypes[K];
  const start = policy.isValid(own) ? own : settingDefaults[key];
  return othersValues(written ?? {}).reduce<SettingTypes[K]>(
    (value, other) => (policy.isValid(other) ? policy.narrow(value, other) : value),
    start,
  );
}

import type { AutoStart } from '../../core/config/autoStart.js';
import { autoStartOf } from '../../core/config/autoStart.js';
import { isObject } from '../../core/base/guards.js';
import type { ExcludeRules } from '../../core/workspaceServer/exclusions.js';
import type { SettingKey, SettingTypes } from '../manifest.js';
import { settingDefaults } from '../manifest.js';

/**
 * The values of one setting in each scope. The remote machine settings do not count as user settings, because a dev
 * container file can write them. `globalLocalValue` and `globalRemoteValue` exist at run time but are missing in VS
 * Code's types.
 */
export interface WrittenSetting {
  /** The value of a company policy if there is one, otherwise the default of the setting. */
  defaultValue?: unknown;
  /**
   * The user value according to VS Code: the remote machine value if there is one, otherwise the value in the user
   * settings.
   */
  globalValue?: unknown;
  globalLocalValue?: unknown;
  globalRemoteValue?: unknown;
  workspaceValue?: unknown;
  workspaceFolderValue?: unknown;
  /**
   * Whether the user may have set a value that VS Code does not report. This happens in a profile, if the setting
   * applies to all profiles and the remote machine settings also contain it.
   */
  isHidden?: boolean;
}

/**
 * How the values of the remote machine, the workspace, and a folder affect the user's value:
 * - `ignore`: They have no effect.
 * - `asksAndDenies`: Only their `ask` and `deny` rules apply. `ruleSettings.ts` reads all values.
 * - `allNarrow`: Each value is a further restriction. `serverPolicies.ts` reads all values.
 * - `narrow`: Each value can only restrict the user's value. If the user's value is hidden (see
 *   `WrittenSetting.isHidden`), `narrowest` replaces it; default: the default of the setting.
 */
type Policy<T> =
  | 'ignore'
  | 'asksAndDenies'
  | 'allNarrow'
  | { narrow(own: T, other: T): T; isValid(value: unknown): value is T; narrowest?: T };

const smaller: Policy<number> = {
  narrow: Math.min,
  isValid: (value): value is number => typeof value === 'number' && Number.isFinite(value) && value > 0,
};
const offWins: Policy<boolean> = {
  narrow: (own, other) => own && other,
  isValid: (value): value is boolean => typeof value === 'boolean',
  narrowest: false,
};
const startsLess: Policy<AutoStart> = {
  narrow: autoStartOf,
  isValid: (value): value is AutoStart => value === 'never' || value === 'lastRunning' || value === 'always',
  narrowest: 'never',
};
const tracesLess: Policy<SettingTypes['mcpDeck.trace']> = {
  narrow: (own, other) => (other === 'off' ? other : own),
  isValid: (value): value is SettingTypes['mcpDeck.trace'] => value === 'off' || value === 'on',
  narrowest: 'off',
};

/** The policy of each setting. `test/unit/settingPolicy.test.ts` fails if a setting of `package.json` is missing. */
export const settingPolicies: { readonly [K in SettingKey]: Policy<SettingTypes[K]> } = {
  'mcpDeck.servers': 'ignore',
  'mcpDeck.inputs': 'ignore',
  'mcpDeck.registries': 'ignore',
  'mcpDeck.allowedServers': 'allNarrow',
  'mcpDeck.deniedServers': 'allNarrow',
  'mcpDeck.trustedAnnotations': 'ignore',
  'mcpDeck.sampling': 'ignore',
  'mcpDeck.rules': 'asksAndDenies',
  'mcpDeck.autoStart': startsLess,
  'mcpDeck.restartOnCrash': offWins,
  'mcpDeck.builtInServer.enabled': offWins,
  'mcpDeck.gateway.enabled': offWins,
  'mcpDeck.vsCodeAgent': 'ignore',
  'mcpDeck.trace': tracesLess,
  'mcpDeck.requestTimeout': smaller,
  'mcpDeck.startTimeout': smaller,
  'mcpDeck.stopGrace': smaller,
  'mcpDeck.limits.maxMessageBytes': smaller,
  'mcpDeck.limits.maxResourceBytes': smaller,
};

/** The unchecked value in the user settings, or undefined. */
export function ownValue(written: WrittenSetting | undefined): unknown {
  if (written === undefined) return undefined;
  // In a profile, VS Code returns the value of a setting that applies to all profiles only in `globalValue`.
  return written.globalLocalValue ?? (written.globalRemoteValue === undefined ? written.globalValue : undefined);
}

/** The values that do not come from the user: those of the remote machine, the workspace, and the folder. */
export function othersValues({ globalRemoteValue, workspaceValue, workspaceFolderValue }: WrittenSetting): unknown[] {
  return [globalRemoteValue, workspaceValue, workspaceFolderValue].filter((value) => value !== undefined);
}

/**
 * The value of `files.exclude` for servers and agents: a workspace can hide more files than the user and the default
 * do, but cannot show what they hide.
 * @param merged the value that VS Code merged from all scopes.
 */
export function excludeRules(written: WrittenSetting | undefined, merged: unknown): ExcludeRules {
  const rulesOf = (value: unknown) => (isObject(value) ? (value as ExcludeRules) : {});
  const own = { ...rulesOf(written?.defaultValue), ...rulesOf(ownValue(written)) };
  return { ...rulesOf(merged), ...Object.fromEntries(Object.entries(own).filter(([, rule]) => rule !== false)) };
}

/**
 * The effective value: the user's value or the default, restricted by the other values. If the policy has a `narrow`
 * function, values of a wrong type are ignored. Otherwise, the user's value is returned unchecked.
 */
export function settingValue<K extends SettingKey>(key: K, written: WrittenSetting | undefined): SettingTypes[K] {
  const policy: Policy<SettingTypes[K]> = settingPolicies[key];
  const own = ownValue(written);
  if (typeof policy === 'string') return (own ?? settingDefaults[key]) as SettingTypes[K];
  const otherwise = (written?.isHidden === true ? policy.narrowest : undefined) ?? settingDefaults[key];
  const start = policy.isValid(own) ? own : otherwise;
  return othersValues(written ?? {}).reduce<SettingTypes[K]>(
    (value, other) => (policy.isValid(other) ? policy.narrow(value, other) : value),
    start,
  );
}

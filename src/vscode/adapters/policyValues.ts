import type { PolicyOwner } from '../../core/base/failureKinds.js';
import type { PolicySettings, WrittenPolicy } from '../../core/registry/serverPolicy.js';
import type { WrittenSetting } from './settingPolicy.js';
import { ownValue } from './settingPolicy.js';

/**
 * The values of the settings with rules about servers, by the owner of each value.
 * @param read returns the values of one setting.
 * @param inFolders one function for each workspace folder that has its own settings.
 */
export function policyValues(
  settings: PolicySettings,
  read: (key: string) => WrittenSetting,
  inFolders: readonly ((key: string) => unknown)[] = [],
): WrittenPolicy[] {
  const of = (owner: PolicyOwner, valueOf: (key: string) => unknown): WrittenPolicy => ({
    owner,
    ...Object.fromEntries(Object.entries(settings).map(([field, key]) => [field, valueOf(key)])),
  });
  return [
    // For a setting with a policy, VS Code reports the value of the policy as the default value.
    of('organization', (key) => read(key).defaultValue),
    of('user', (key) => ownValue(read(key))),
    of('machine', (key) => read(key).globalRemoteValue),
    of('workspace', (key) => read(key).workspaceValue),
    ...inFolders.map((valueIn) => of('workspace', valueIn)),
  ];
}

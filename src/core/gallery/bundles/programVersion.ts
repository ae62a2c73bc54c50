import os from 'node:os';
import { findCommand } from '../../transport/stdio/findCommand.js';
import { runOnce } from '../../transport/stdio/runOnce.js';
import type { VersionOf } from './bundleRuntimes.js';

/**
 * Finds the versions of installed programs by running them with `--version`, at most once each.
 * @param env the environment that servers get. Only its PATH is searched, never a folder of a workspace.
 */
export function versionSearch(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
  signal?: AbortSignal,
): VersionOf {
  const cwd = os.homedir();
  const known = new Map<string, ReturnType<VersionOf>>();
  const set = Object.fromEntries(
    Object.entries(env).flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, value]])),
  );
  const find: VersionOf = async (program) => {
    const { found } = findCommand(program, set, cwd, platform);
    if (found === undefined) return 'missing';
    const { output } = await runOnce(found, ['--version'], cwd, set, signal);
    const [, major, minor, patch = '0'] = /(\d+)\.(\d+)(?:\.(\d+))?/.exec(output) ?? [];
    return major === undefined ? undefined : [Number(major), Number(minor), Number(patch)];
  };
  return (program) => {
    const version = known.get(program) ?? find(program);
    known.set(program, version);
    return version;
  };
}

/** Whether the runtimes that a bundle needs are installed. */
import { t } from '@vscode/l10n';
import { visibleLine } from '../../base/hostileText.js';
import type { Version } from '../../base/versionRange.js';
import { rangeAllows } from '../../base/versionRange.js';
import type { BundleInfo, BundleRuntime } from './bundleInfo.js';

/**
 * Asks a program for its version.
 * @returns `missing` if there is no such program, undefined if it does not state its version.
 */
export type VersionOf = (program: string) => Promise<Version | 'missing' | undefined>;

const titles: Record<BundleRuntime, string> = { node: 'Node.js', python: 'Python', uv: 'uv' };

/** The runtimes that are missing or have a version that the bundle does not support, as sentences. */
export async function runtimeProblems(
  { runtimes, type }: Pick<BundleInfo, 'runtimes' | 'type'>,
  command: string,
  versionOf: VersionOf,
): Promise<string[]> {
  const needed = new Map<BundleRuntime, string | undefined>(
    Object.entries(runtimes).map(([name, range]) => [name as BundleRuntime, range]),
  );
  const bringsOwn = /[\\/]/.test(command);
  if (type !== 'binary' && !bringsOwn && !needed.has(type)) needed.set(type, undefined);
  // uv brings its own Python.
  if (type === 'uv') needed.delete('python');
  const problems: string[] = [];
  for (const [name, range] of needed) {
    const program = programOf(name, command);
    const version = await versionOf(program);
    const shown = visibleLine(range ?? '', 60);
    if (version === 'missing')
      problems.push(
        range === undefined
          ? t('The server needs {0}, but "{1}" was not found. Install {0} first.', titles[name], program)
          : t('The server needs {0} {2}, but "{1}" was not found. Install {0} first.', titles[name], program, shown),
      );
    else if (version && range !== undefined && rangeAllows(range, version) === false)
      problems.push(
        t(
          'The server needs {0} {1}, but the installed version is {2}. Update {0} first.',
          titles[name],
          shown,
          version.join('.'),
        ),
      );
  }
  return problems;
}

/**
 * The program of a runtime: the command of the bundle if it is that runtime. Only names are looked up, never paths,
 * because programs that the bundle brings must not run before its approval.
 */
function programOf(name: BundleRuntime, command: string): string {
  const base = command.replace(/\.exe$/i, '');
  if (name === 'python') return /^python[\d.]*$|^py$/.test(base) ? command : 'python3';
  return base === name ? command : name;
}

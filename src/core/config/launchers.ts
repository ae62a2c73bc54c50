/**
 * Launchers (`npx`, `uvx`, …) fetch a package and run it, but take what lies in the folder they run in before that: code
 * that is installed there, and settings that name another source of packages.
 */
import path from 'node:path';
import { programOf } from './commandWarnings.js';

/** One family of launchers. */
interface Launcher {
  /** The words of a command line that make it one: the program, then its subcommand where it needs one. */
  commands: readonly (readonly string[])[];
  /** Files with settings that it reads in the folder and those above. */
  settings: readonly string[];
  /** Where code of packages lies that it prefers over the registry. */
  packages?: string;
}

const launchers: readonly Launcher[] = [
  { commands: [['npx'], ['npm', 'exec'], ['npm', 'x'], ['npm', 'create'], ['npm', 'init']], settings: ['.npmrc'], packages: 'node_modules' },
  { commands: [['pnpx'], ['pnpm', 'dlx'], ['pnpm', 'exec'], ['pnpm', 'create']], settings: ['.npmrc', 'pnpm-workspace.yaml', '.pnpmfile.cjs'], packages: 'node_modules' },
  { commands: [['yarn', 'dlx'], ['yarn', 'exec']], settings: ['.yarnrc.yml', '.yarnrc', '.npmrc', '.pnp.cjs'], packages: 'node_modules' },
  { commands: [['bunx'], ['bun', 'x']], settings: ['bunfig.toml', '.npmrc'], packages: 'node_modules' },
  { commands: [['deno', 'run'], ['deno', 'x'], ['dx']], settings: ['deno.json', 'deno.jsonc', '.npmrc'], packages: 'node_modules' },
  { commands: [['uvx'], ['uv', 'tool', 'run'], ['uv', 'run']], settings: ['uv.toml', 'pyproject.toml', '.python-version', '.env'] },
  { commands: [['pipx']], settings: ['pip.conf', 'pip.ini'] },
  { commands: [['dnx'], ['dotnet', 'tool', 'exec'], ['dotnet', 'dnx']], settings: ['nuget.config', 'NuGet.Config', 'global.json'] },
];

/** Options of launchers that stand before a value of their own. */
const withValue: ReadonlySet<string> = new Set(['-p', '--package', '-c', '--call', '--from', '--with', '--python', '--registry', '--index', '--index-url', '--default-index', '--spec', '--cache', '--prefix', '--workspace', '-w']);
/** Options whose value is the package. */
const namesPackage: ReadonlySet<string> = new Set(['-p', '--package', '--from', '--spec']);

/** What a command line starts through a launcher. */
export interface Launch {
  /** As people call it: `npx`, `npm exec`. */
  launcher: string;
  /** Paths, relative to the folder of the start or one above it, of files that it would take. */
  files: string[];
}

/** How a definition uses a launcher; undefined where it uses none. Looks at words only: scripts and wrappers are not seen through. */
export function launchOf(command: string, args: readonly string[]): Launch | undefined {
  // Windows runs them as shims; `env`, `cmd /c` and the like start what follows.
  const words = [command, ...args];
  const begin = /^(?:env|cmd)$/.test(plainName(command)) ? words.findIndex((word, index) => index > 0 && !/^[-/]|=/.test(word)) : 0;
  const line = words.slice(Math.max(begin, 0));
  for (const { commands, settings, packages } of launchers) {
    const found = commands.find((names) => names.every((name, index) => (index === 0 ? plainName(line[0] ?? '') : line[index]) === name));
    if (!found) continue;
    const names = packages === undefined ? [] : packagesOf(line.slice(found.length));
    // A name that is not known yet may be any package that lies there.
    const code = packages === undefined ? [] : names.length === 0 || names.some((name) => name.includes('${')) ? [packages] : names.flatMap((name) => [`${packages}/${name}/package.json`, `${packages}/.bin/${name.slice(name.lastIndexOf('/') + 1)}`]);
    return { launcher: found.join(' '), files: [...settings, ...code] };
  }
  return undefined;
}

/** The folder and those above it, up to the folder of the workspace that holds it; none where it is in none of these folders. */
export function foldersUpTo(folder: string, roots: readonly string[]): string[] {
  const root = roots.filter((candidate) => isWithin(folder, candidate)).sort((a, b) => a.length - b.length)[0];
  if (root === undefined) return [];
  const steps = path.relative(root, folder).split(path.sep).filter((name) => name !== '');
  return [...steps.keys()].map((index) => path.join(root, ...steps.slice(0, steps.length - index))).concat(root);
}

function isWithin(folder: string, root: string): boolean {
  const relative = path.relative(root, folder);
  return relative === '' || (relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative));
}

/** The packages by name, without their versions: those of `--package`, and the first word that is no option. */
function packagesOf(words: readonly string[]): string[] {
  const names: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
    const [, option = word, value] = /^(--?[\w-]+)=(.*)$/s.exec(word) ?? [];
    if (namesPackage.has(option)) names.push(value ?? words[index + 1] ?? '');
    if (withValue.has(option) && value === undefined) index++;
    else if (!word.startsWith('-')) {
      names.push(word);
      break;
    }
  }
  return names.map((name) => name.replace(/(?<=.)@[^/]*$/, '')).filter((name) => /^(?:@[\w.~-]+\/)?[\w.~-]+$/.test(name) || name.includes('${'));
}

function plainName(word: string): string {
  return programOf(word).replace(/\.(?:cmd|bat|ps1)$/, '');
}

/**
 * Launchers (`npx`, `uvx`, …) download and run a package, but prefer the files of the folder in which they run:
 * installed code, and settings that specify another package source.
 */
import { canonicalJson } from '../base/jsonText.js';
import { isObject } from '../base/guards.js';
import { plainName } from './programKinds.js';

/** A group of similar launchers. */
interface Launcher {
  /** The words that identify the launcher in a command line: the program, and its subcommand if it needs one. */
  commands: readonly (readonly string[])[];
  /** Files with settings that the launcher reads in the folder and its parents. */
  settings: readonly string[];
  /**
   * Other files and folders that can make the launcher run installed code. Only their presence is checked, not their
   * content, because the program that a launcher chooses also depends on the `PATH` that it sets, on nested copies, and
   * on its version.
   */
  present: readonly string[];
  /** The folder with installed packages that the launcher prefers over the registry. */
  packages?: string;
  /** The file with a `bin` field that the launcher follows. */
  manifest?: string;
  /** Whether the launcher runs a file of the folder with the name of the package. */
  runsFiles?: true;
}

/** Installed packages of Node, and the lock files beside them. */
const ofNode: readonly string[] = [
  'node_modules',
  'package-lock.json',
  'npm-shrinkwrap.json',
  'yarn.lock',
  'pnpm-lock.yaml',
  'bun.lock',
  'bun.lockb',
];

const launchers: readonly Launcher[] = [
  {
    commands: [
      ['npx'],
      ['npm', 'exec'],
      ['npm', 'exe'],
      ['npm', 'x'],
      ['npm', 'create'],
      ['npm', 'init'],
      ['npm', 'innit'],
    ],
    settings: ['.npmrc'],
    present: ofNode,
    packages: 'node_modules',
    manifest: 'package.json',
  },
  {
    commands: [['pnpx'], ['pnpm', 'dlx'], ['pnpm', 'exec'], ['pnpm', 'create']],
    settings: ['.npmrc', 'pnpm-workspace.yaml', '.pnpmfile.cjs', '.pnpmfile.mjs'],
    present: ofNode,
    packages: 'node_modules',
    manifest: 'package.json',
  },
  {
    commands: [
      ['yarn', 'dlx'],
      ['yarn', 'exec'],
    ],
    settings: ['.yarnrc.yml', '.yarnrc', '.npmrc', '.pnp.cjs'],
    present: ofNode,
    packages: 'node_modules',
    manifest: 'package.json',
  },
  {
    commands: [['bunx'], ['bun', 'x']],
    settings: ['bunfig.toml', '.npmrc'],
    present: ofNode,
    packages: 'node_modules',
    manifest: 'package.json',
  },
  {
    commands: [['deno', 'run'], ['deno', 'x'], ['dx']],
    settings: ['deno.json', 'deno.jsonc', '.npmrc'],
    present: [...ofNode, 'deno.lock'],
    packages: 'node_modules',
  },
  {
    commands: [['uvx'], ['uv', 'tool', 'run'], ['uv', 'run']],
    settings: ['uv.toml', 'pyproject.toml', '.python-version', '.python-versions', '.env'],
    present: ['.venv', 'uv.lock'],
  },
  {
    commands: [['pipx', 'run'], ['pipx']],
    settings: ['pip.conf', 'pip.ini'],
    present: ['__pypackages__'],
    runsFiles: true,
  },
  {
    commands: [['dnx'], ['dotnet', 'tool', 'exec'], ['dotnet', 'dnx']],
    settings: ['nuget.config', 'NuGet.Config', 'global.json'],
    present: [],
  },
];

/** Options of launchers that are followed by a value. */
const withValue: ReadonlySet<string> = new Set([
  '-p',
  '--package',
  '-c',
  '--call',
  '--from',
  '--with',
  '--python',
  '--registry',
  '--index',
  '--index-url',
  '--default-index',
  '--spec',
  '--cache',
  '--prefix',
  '--workspace',
  '-w',
  '--directory',
  '--project',
  '--config-file',
  '--cache-dir',
  '--color',
  '-C',
  '--dir',
  '--cwd',
  '--userconfig',
  '--globalconfig',
  '--loglevel',
  '-u',
  '--unset',
  '--chdir',
]);
/** Options of launchers that have no value. */
const flags: ReadonlySet<string> = new Set([
  '--',
  '-y',
  '--yes',
  '--no',
  '-q',
  '--quiet',
  '-s',
  '--silent',
  '-v',
  '--verbose',
  '--no-install',
  '--offline',
  '--prefer-offline',
  '--prefer-online',
  '--ignore-existing',
  '--ignore-scripts',
  '--isolated',
  '--refresh',
  '--no-cache',
  '--no-config',
  '--bun',
]);
/** Options whose value is the package. */
const namesPackage: ReadonlySet<string> = new Set(['-p', '--package', '--from', '--spec']);

/** The launcher that a command line starts, and the files that affect what the launcher runs. */
export interface Launch {
  /** The name for display: `npx`, `npm exec`. */
  launcher: string;
  /** Files that the launcher would use, relative to the working directory or one of its parents. */
  files: string[];
  /** Files and folders whose presence alone matters, relative to the same folders as `files`. */
  present: readonly string[];
  /** The file whose `bin` field the launcher follows. */
  manifest?: string;
}

/**
 * How a definition uses a launcher; undefined if it uses none. A launcher is also found behind other programs, which may
 * run it (`nice npx`, `sh -c "npx …"`). Such a word can have another meaning; the start is then examined in vain. The
 * files of scripts are not examined.
 */
export function launchOf(command: string, args: readonly string[]): Launch | undefined {
  const line = [command, ...args.flatMap((arg) => arg.split(/[\s;&|()"'`]+/))];
  let all: Launch | undefined;
  for (let at = 0, count = 0; at < line.length; at++) {
    const launch = launchAt(line, at, count >= maxLaunches);
    if (!launch) continue;
    count++;
    all = all ? merged(all, launch) : launch;
  }
  return all;
}

/** Maximum number of launchers in one line whose packages are distinguished. For others, any package may be meant. */
const maxLaunches = 20;
/** Maximum number of words that may name the packages of a launcher. */
const maxPackageWords = 200;

/** Both launches; the name of the first is shown. */
function merged(one: Launch, other: Launch): Launch {
  const manifest = one.manifest ?? other.manifest;
  return {
    launcher: one.launcher,
    files: [...new Set([...one.files, ...other.files])],
    present: [...new Set([...one.present, ...other.present])],
    ...(manifest === undefined ? {} : { manifest }),
  };
}

/** How the command that begins at a word uses a launcher. */
function launchAt(line: readonly string[], at: number, isAnyPackage: boolean): Launch | undefined {
  const program = launcherName(line[at] ?? '');
  for (const { commands, settings, present, packages, manifest, runsFiles } of launchers) {
    for (const names of commands) {
      const rest = names[0] === program ? behindCommand(line, at, names) : undefined;
      if (rest === undefined) continue;
      const launcher = names.join(' ');
      const wanted = isAnyPackage ? [] : packagesOf(rest);
      if (packages === undefined)
        return { launcher, files: [...settings, ...(runsFiles === undefined ? [] : wanted)], present };
      // If a package name is unknown, any installed package may be meant.
      const isUnknown = wanted.length === 0 || wanted.some((name) => name.includes('${'));
      const code = isUnknown
        ? [packages]
        : wanted.flatMap((name) => [
            `${packages}/${name}/package.json`,
            `${packages}/.bin/${name.slice(name.lastIndexOf('/') + 1)}`,
          ]);
      return {
        launcher,
        files: [...settings, ...code],
        present,
        ...(manifest === undefined ? {} : { manifest }),
      };
    }
  }
  return undefined;
}

const python = /^(?:python|pypy)w?[\d.]*$|^pyw?$/;

/** The name of a program, also if Node runs its file: `npx` for `/usr/lib/node_modules/npm/bin/npx-cli.js`. */
function launcherName(word: string): string {
  return plainName(word).replace(/-cli\.[cm]?js$/, '');
}

/**
 * Detects a start of Python that prefers the modules of its folder over installed modules (`-m`, `-c`). The result
 * contains the paths at which Python would find the module of `-m`. Python also imports modules from that folder.
 * Undefined if Python runs a file or ignores the folder (`-I`, `-P`).
 */
export function pythonModuleOf(
  command: string,
  args: readonly string[],
): { launcher: string; files: string[] } | undefined {
  const line = [command, ...args];
  for (let at = 0; at < line.length; at++) {
    const name = plainName(line[at] ?? '');
    const found = python.test(name) ? pythonModuleIn(name, line, at + 1) : undefined;
    if (found) return found;
  }
  return undefined;
}

function pythonModuleIn(
  name: string,
  words: readonly string[],
  from: number,
): { launcher: string; files: string[] } | undefined {
  for (let index = from; index < words.length; index++) {
    const word = words[index] ?? '';
    if (word === '--check-hash-based-pycs') index++;
    if (!word.startsWith('-') || word === '-') return undefined;
    if (word.startsWith('--')) continue;
    const at = word.search(/[mcXWIP]/);
    const letter = word[at];
    if (letter === undefined) continue;
    if (letter === 'I' || letter === 'P') return undefined;
    if (letter === 'c') return { launcher: `${name} -c`, files: [] };
    const value = word.length > at + 1 ? word.slice(at + 1) : (words[++index] ?? '');
    if (letter === 'm') return { launcher: `${name} -m`, files: moduleFiles(value) };
  }
  return undefined;
}

/** The names under which Python looks for a module. For `a.b`, it looks for the package `a` first. */
function moduleFiles(module: string): string[] {
  const [name = ''] = module.split('.');
  return /^[\w-]+$/u.test(name)
    ? [`${name}.py`, `${name}.pyc`, `${name}.so`, `${name}.abi3.so`, `${name}.pyd`, name]
    : [];
}

/** The words after the program at `start` and its subcommand, which options may precede; undefined for others. */
function behindCommand(
  line: readonly string[],
  start: number,
  [, ...subcommands]: readonly string[],
): readonly string[] | undefined {
  let at = start + 1;
  for (const wanted of subcommands) {
    for (let word = line[at]; word?.startsWith('-'); word = line[at]) at += withValue.has(word) ? 2 : 1;
    if (line[at] !== wanted) return undefined;
    at++;
  }
  return line.slice(at, at + maxPackageWords);
}

/** The part of a `package.json`, as text, that determines which of the package's programs a launcher runs. */
export function programsOf(manifestText: string): string {
  const { name, bin, directories } = manifestOf(manifestText);
  return canonicalJson({ name, bin, directories });
}

function manifestOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
    return isObject(value) ? value : {};
  } catch {
    // npm ignores a `package.json` that it cannot read.
    return {};
  }
}

/**
 * The names of the packages, without versions: those of options such as `--package`, and the first word that is not an
 * option.
 */
function packagesOf(words: readonly string[]): string[] {
  const names: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
    const [, option = word, value] = /^(--?[\w-]+)=(.*)$/s.exec(word) ?? [];
    if (namesPackage.has(option)) names.push(value ?? words[index + 1] ?? '');
    if (withValue.has(option) && value === undefined) index++;
    // The next word may be the value of this unknown option, so the package is unknown.
    else if (word.startsWith('-') && value === undefined && !flags.has(option)) return [];
    else if (!word.startsWith('-')) {
      names.push(word);
      break;
    }
  }
  return names.map(withoutVersion).filter((name) => /^(?:@[\w.~-]+\/)?[\w.~-]+$/.test(name) || name.includes('${'));
}

/**
 * The name of a package without the version after the last `@` or after `==`. The `@` of a scope is the first character.
 */
function withoutVersion(name: string): string {
  const at = name.indexOf('@', Math.max(1, name.lastIndexOf('/') + 1));
  return (at === -1 ? name : name.slice(0, at)).replace(/[=<>![][^]*$/, '');
}

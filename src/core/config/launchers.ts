/**
 * Launchers (`npx`, `uvx`, …) download and run a package, but prefer the files of the folder in which they run:
 * installed code, and settings that specify another package source.
 */
import { canonicalJson } from '../base/jsonText.js';
import { isObject } from '../base/guards.js';
import { plainName } from './programKinds.js';

/** A group of similar launchers. */
interface Launcher {
  /** The names of the programs. */
  programs: readonly string[];
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
  /** Whether the launcher runs a file or folder with the name of the package. */
  runsFiles?: true;
  /** Commands of the launcher that run a package. Without one of them in the line, the launcher is not considered. */
  commands?: readonly string[];
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

const ofUv: Pick<Launcher, 'settings' | 'present'> = {
  settings: ['uv.toml', 'pyproject.toml', '.python-version', '.python-versions', '.env'],
  present: ['.venv', 'uv.lock'],
};

const ofDotnet: Pick<Launcher, 'settings' | 'present'> = {
  settings: ['nuget.config', 'NuGet.config', 'NuGet.Config', 'global.json'],
  present: [],
};

const launchers: readonly Launcher[] = [
  {
    programs: ['npx', 'npm', 'nlx', 'corepack', 'vlx', 'vlt'],
    settings: ['.npmrc', 'vlt.json'],
    present: ofNode,
    packages: 'node_modules',
    manifest: 'package.json',
  },
  {
    programs: ['pnpx', 'pnpm'],
    settings: ['.npmrc', 'pnpm-workspace.yaml', '.pnpmfile.cjs', '.pnpmfile.mjs'],
    present: ofNode,
    packages: 'node_modules',
    manifest: 'package.json',
  },
  {
    programs: ['yarn', 'yarnpkg'],
    settings: ['.yarnrc.yml', '.yarnrc', '.npmrc', '.pnp.cjs'],
    present: ofNode,
    packages: 'node_modules',
    manifest: 'package.json',
  },
  {
    programs: ['bunx', 'bun'],
    settings: ['bunfig.toml', '.npmrc'],
    present: ofNode,
    packages: 'node_modules',
    manifest: 'package.json',
  },
  {
    programs: ['deno', 'dx'],
    settings: ['deno.json', 'deno.jsonc', '.npmrc'],
    present: [...ofNode, 'deno.lock'],
    packages: 'node_modules',
  },
  { programs: ['uvx'], ...ofUv },
  { programs: ['uv'], ...ofUv, runsFiles: true },
  { programs: ['pipx'], settings: ['pip.conf', 'pip.ini'], present: ['__pypackages__'], runsFiles: true },
  { programs: ['dnx'], ...ofDotnet },
  { programs: ['dotnet'], ...ofDotnet, commands: ['tool', 'dnx'] },
  { programs: ['go'], settings: [], present: ['go.mod', 'go.work', 'vendor'], commands: ['run', 'tool'] },
  { programs: ['jbang'], settings: ['jbang-catalog.json', 'jbang.properties'], present: ['.jbang'] },
];
const launcherOf = new Map(launchers.flatMap((launcher) => launcher.programs.map((name) => [name, launcher] as const)));

/** Commands of npm and pnpm that only run a script of the package of the folder. */
const scripts: ReadonlySet<string> = new Set(['start', 'run', 'run-script', 'test', 'stop', 'restart']);

/** The launcher that a command line starts, and the files that affect what the launcher runs. */
export interface Launch {
  /** The name for display: `npx`. */
  launcher: string;
  /** Files that the launcher would use, relative to the working directory or one of its parents. */
  files: string[];
  /** Files and folders whose presence alone matters, relative to the same folders as `files`. */
  present: string[];
  /** Files and folders that the launcher would run, relative to the working directory. Only their presence matters. */
  targets: string[];
  /** The file whose `bin` field the launcher follows. */
  manifest?: string;
  /** Whether the line has too many words to examine the files that each of them may mean. */
  isIncomplete: boolean;
}

/** Maximum number of words of a line that are examined, and of those that may name a package. */
const maxWords = 100_000;
const maxNames = 200;
/** Maximum length of a word that may be the path of a program, and of the name of a package, in characters. */
const maxWordLength = 10_000;
const maxNameLength = 300;

/**
 * How a definition uses launchers; undefined if it uses none. The result does not depend on the options of launchers, or
 * on the programs before them (`nice npx`, `sh -c "npx …"`): each word can be a launcher, and each other word the name of
 * a package. If a word has another meaning, files are examined in vain. The files of scripts are not examined.
 */
export function launchOf(command: string, args: readonly string[]): Launch | undefined {
  const { words, isCut } = wordsOf([command, ...args]);
  const all = new Set(words);
  const found = new Map<Launcher, string>();
  for (const [at, word] of words.entries())
    for (const name of programNames(word)) {
      const launcher = launcherOf.get(name);
      if (launcher === undefined || found.has(launcher)) continue;
      if (launcher.commands && !launcher.commands.some((one) => all.has(one))) continue;
      if (/^p?npm$/.test(name) && scripts.has(words[at + 1] ?? '')) continue;
      found.set(launcher, name);
    }
  if (found.size === 0 && !isCut) return undefined;
  const used = [...found.keys()];
  const names = namesOf(words);
  const files = new Set(used.flatMap(({ settings }) => settings));
  const present = new Set(used.flatMap((launcher) => launcher.present));
  const targets = new Set<string>();
  for (const folder of new Set(used.flatMap(({ packages = [] }) => packages))) {
    if (words.some((word) => word.includes('${'))) files.add(folder);
    for (const written of names.written) if (!written.includes('..')) files.add(`${folder}/.bin/${written}`);
    for (const name of names.packages) {
      files.add(`${folder}/${name}/package.json`);
      files.add(`${folder}/.bin/${name.slice(name.lastIndexOf('/') + 1)}`);
    }
  }
  if (used.some(({ runsFiles }) => runsFiles))
    for (const name of [...names.written, ...names.packages]) if (isTarget(name)) targets.add(name);
  const manifest = used.find((launcher) => launcher.manifest !== undefined)?.manifest;
  return {
    launcher: [...found.values()][0] ?? plainName(command),
    files: [...files],
    present: [...present],
    targets: [...targets],
    isIncomplete: isCut || names.isCut,
    ...(manifest === undefined ? {} : { manifest }),
  };
}

/** The words of a command line, including those of texts that a shell or another program splits. */
export function wordsOf(line: readonly string[]): { words: string[]; isCut: boolean } {
  const words: string[] = [];
  for (const part of line)
    // `\\_` is a blank in texts that `env` splits.
    for (const [word] of part.replaceAll('\\_', ' ').matchAll(/(?:\$\{[^}]{0,300}\}|[^\s;&|(){}<>"'`,])+/g)) {
      if (words.length >= maxWords) return { words, isCut: true };
      words.push(word);
    }
  return { words, isCut: false };
}

/** The parts of a word that may be a value: after an option, a switch, or a character that a shell removes. */
function partsOfWord(word: string): Set<string> {
  if (word.length > maxWordLength) return new Set();
  return new Set([word, ...word.split('='), word.replace(/^-\w*m|^[-/]\w/, ''), word.replace(/^[@&.$!^]+/, '')]);
}

/** A file of a package manager, such as `/usr/lib/node_modules/npm/bin/npx-cli.js`. */
const fileOfManager = /[\\/](npm|pnpm|yarn|corepack|pipx)[\\/](?:bin|dist|lib|index|cli|__main__)\b/;

/** The names of the programs that a word can mean, without version and extension: `npx` for `npx@10` and `npx-cli.js`. */
function programNames(word: string): Set<string> {
  const names = new Set<string>();
  for (const part of partsOfWord(word)) {
    names.add(
      plainName(part)
        .replace(/@[^@]*$/, '')
        .replace(/\.(?:[cm]?js|pyz?)$/, '')
        .replace(/-cli$|-[\d.]+$/, ''),
    );
    const [, manager] = fileOfManager.exec(part) ?? [];
    if (manager !== undefined) names.add(manager);
  }
  return names;
}

/** The words that can name a package: as written, and without the version. */
function namesOf(words: readonly string[]): { written: Set<string>; packages: Set<string>; isCut: boolean } {
  const written = new Set<string>();
  const packages = new Set<string>();
  const creates = words.some((word) => /^(?:create|init|innit)$/.test(word));
  for (const word of words)
    for (const part of partsOfWord(word)) {
      if (part.length > maxNameLength || !/^[@\w][\w.@/~+=<>![\]^:-]*$/.test(part)) continue;
      const name = withoutVersion(part);
      const isPackage = /^(?:@[\w.~-]+\/)?[\w.~-]+$/.test(name);
      if (packages.size >= maxNames || written.size >= maxNames) return { written, packages, isCut: true };
      written.add(part);
      if (!isPackage) continue;
      packages.add(name);
      if (creates) packages.add(name.replace(/[^/]+$/, (last) => `create-${last}`));
    }
  return { written, packages, isCut: false };
}

function isTarget(name: string): boolean {
  return !/^(?:run|tool)$/.test(name) && !name.split(/[\\/]/).includes('..') && !/^[\\/]|^\w:/.test(name);
}

const python = /^(?:i?python|pypy|graalpy)w?[\d.]*t?(?:-dbg)?$|^pyw?$|^coverage$/;

/** The start of a module by Python. */
export interface ModuleStart {
  /** The program and its option, for display. */
  launcher: string;
  /** The paths at which Python would find the modules, relative to the working directory. */
  files: string[];
}

/**
 * Detects starts of Python that prefer the modules of its folder over installed modules (`-m`, `-c`), also behind other
 * programs and in texts. Python also imports modules from that folder. Undefined if Python runs a file or ignores the
 * folder (`-I`, `-P`).
 */
export function pythonModuleOf(command: string, args: readonly string[]): ModuleStart | undefined {
  const { words } = wordsOf([command, ...args]);
  let launcher: string | undefined;
  const files = new Set<string>();
  for (let at = 0; at < words.length; at++) {
    const name = [...programNames(words[at] ?? '')].find((one) => python.test(one) || one === 'uv');
    const found = name === undefined ? undefined : pythonModuleIn(name, words, at + 1);
    if (!found) continue;
    launcher ??= found.launcher;
    at = found.at - 1;
    // A module can run another one: `-m pdb -m server`.
    for (const [index, word] of words.slice(found.at, found.at + maxNames).entries()) {
      const value = /^(?:-\w*m|--module|runpy)$/.test(word)
        ? words[found.at + index + 1]
        : /^-\w*?m(.+)$/.exec(word)?.[1];
      for (const file of moduleFiles(value ?? '')) files.add(file);
    }
  }
  return launcher === undefined ? undefined : { launcher, files: [...files] };
}

/** Where the option `-m` or `-c` of the Python before `from` is; undefined if it has none. */
function pythonModuleIn(
  name: string,
  words: readonly string[],
  from: number,
): { launcher: string; at: number } | undefined {
  if (name === 'uv') {
    const at = words.slice(from, from + maxNames).findIndex((word) => /^(?:-m|--module)$/.test(word));
    return at < 0 ? undefined : { launcher: 'uv -m', at: from + at };
  }
  for (let index = from; index < words.length; index++) {
    const word = words[index] ?? '';
    if (word === '--check-hash-based-pycs') index++;
    if (!word.startsWith('-') || word === '-') return undefined;
    // `-V:…` of the Python launcher for Windows chooses a version.
    if (word.startsWith('--') || word.startsWith('-V:')) continue;
    const at = word.search(/[mcXWIP]/);
    const letter = word[at];
    if (letter === undefined) continue;
    if (letter === 'I' || letter === 'P') return undefined;
    if (letter === 'c' || letter === 'm') return { launcher: `${name} -${letter}`, at: index };
    if (word.length === at + 1) index++;
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
 * The name of a package without the version after the last `@` or after `==`. The `@` of a scope is the first character.
 */
function withoutVersion(name: string): string {
  const at = name.indexOf('@', Math.max(1, name.lastIndexOf('/') + 1));
  return (at === -1 ? name : name.slice(0, at)).replace(/[=<>![][^]*$/, '');
}

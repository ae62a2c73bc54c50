/**
 * Decides whether the words of a command line identify the code that it runs, or whether this code depends on files in
 * the working directory.
 */
import { programOf } from './commandWarnings.js';
import { isLoaderVariable } from './loaderVariables.js';
import { wordSet } from '../../shared/wordSet.js';

/** Whether a command line identifies the code that it runs. */
export type LineKind =
  /**
   * The words of the line identify the code: a package of a registry, an installed module, or a script. `code` contains
   * these words as written. `deciding` contains those of them that may be paths. `rest` contains the arguments of the
   * server.
   */
  | ({ kind: 'named' } & Named)
  /** The program runs code from its folder or its arguments: a shell, an interpreter, a build tool. */
  | { kind: 'runner' }
  /** The program is unknown. */
  | { kind: 'unknown' };

/** Programs that run code from their folder or their arguments, by plain name in lower case. */
const runners: ReadonlySet<string> = wordSet(
  [
    // Shells.
    `
      sh bash zsh dash ash ksh mksh csh tcsh fish nu xonsh elvish busybox cmd powershell pwsh wsl cscript
      wscript mshta
    `,
    // Interpreters and compilers that run what they compile.
    `
      node nodejs bun deno qjs tsx ts-node ts-node-esm esr jiti vite-node babel-node swc-node python py
      pypy ipython jython ruby irb perl php lua luajit julia r rscript java javaw jshell jbang kotlin
      kotlinc scala groovy clj clojure bb lein elixir iex mix erl escript ghci runghc runhaskell stack
      cabal ocaml dune racket guile sbcl tclsh awk gawk sed swift dart flutter zig nim crystal tcc
      osascript electron
    `,
    // Package managers and launchers.
    `
      npm npx pnpm pnpx yarn yarnpkg bunx dx corepack volta fnm nvm uv uvx pip pip3 pipx pipenv poetry pdm
      hatch rye tox nox pixi conda mamba micromamba conda-run bundle bundler gem rake composer dotnet dnx
      cargo go nix nix-shell nix-env devbox devenv flox guix mise rtx asdf direnv proto brew
    `,
    // Build tools and process managers.
    `
      make gmake nmake mingw32-make bmake ninja cmake meson just task rake mage ant gradle gradlew mvn
      mvnw sbt bazel bazelisk buck buck2 pants nx turbo lerna rush moon wireit gulp grunt jake invoke inv
      fab ansible ansible-playbook terraform vagrant docker-compose podman-compose skaffold tilt garden
      devcontainer overmind foreman honcho hivemind pm2 forever nodemon concurrently npm-run-all run-p
      run-s wait-on supervisord process-compose
    `,
    // Wrappers that start another program.
    `
      env nice renice ionice chrt taskset nohup time timeout gtimeout stdbuf unbuffer setsid setarch
      script expect tmux screen xargs parallel watch entr watchexec find strace ltrace gdb lldb valgrind
      perf sudo doas su runuser pkexec gsudo runas start systemd-run firejail bwrap unshare chroot nsenter
      fakeroot proot xvfb-run dbus-run-session proxychains proxychains4 torsocks ssh op doppler infisical
      chamber vault aws-vault envchain envdir envconsul sops teller varlock dotenv dotenvx dotenv-cli
      cross-env cross-env-shell env-cmd git gh code pytest jest vitest mcp fastmcp mcpo supergateway
    `,
  ].join(' '),
);
/** Program names that are also common words in other command lines, as in `tool mcp` or `--mode code`. */
const usualWords: ReadonlySet<string> = wordSet(`
  r bb mix stack just task invoke inv start time watch find code script expect screen parallel mcp op git go
  env dx proto nu entr garden vault infisical chamber teller pants moon rush nix brew sed
`);
/** Words that make a container program read files in its folder, such as a compose file. */
const describesContainers: ReadonlySet<string> = new Set([
  'compose',
  'build',
  'buildx',
  'bake',
  'stack',
  'kube',
  'play',
]);
const containerPrograms: ReadonlySet<string> = new Set(['docker', 'podman', 'nerdctl']);

const pythonName = /^(?:python|pypy)w?[\d.]*$|^pyw?$/;
/** Python modules that run code from their arguments or from the working directory, in addition to the runners. */
const modulesThatRun: ReadonlySet<string> = wordSet(`
  runpy pdb bdb trace timeit profile cprofile code codeop asyncio unittest doctest idlelib pydoc venv
  ensurepip build setuptools coverage debugpy kernprof ipykernel jupyter notebook uvicorn gunicorn hypercorn
  daphne waitress granian flask django streamlit gradio celery scrapy
`);
const harmlessNodeOption =
  /^--(?:no-warnings|no-deprecation|trace-warnings|trace-deprecation|trace-uncaught|enable-source-maps|use-system-ca|experimental-strip-types|max-old-space-size=\d+)$/;
const harmlessPythonOption = /^-[uBsEOqvSIP]+$/;

/** Options of `npx` and `uvx` without a value; none of them makes the launcher use files of the folder. */
const packageFlags: ReadonlySet<string> = wordSet(`
  -- -y --yes --no -q --quiet -s --silent -v --verbose --no-install --offline --prefer-offline --prefer-online
  --ignore-existing --ignore-scripts --isolated --refresh --no-cache --no-config --native-tls
`);
/** Options of `npx` and `uvx` with a value. The value is checked in the same way as an argument. */
const packageValues: ReadonlySet<string> = wordSet(`
  --registry --index --index-url --default-index --extra-index-url --loglevel --cache --cache-dir --color
  --with --python --pip-args
`);
const packageOptions: ReadonlySet<string> = new Set(['-p', '--package', '--from', '--spec']);
const registryPackage = /^(?:@[\w.~-]+\/)?[\w~][\w.~-]*(?:\[[\w,.-]+\])?(?:(?:@|==|~=|>=|<=)[\w.^~<>=*+-]+)?$/;
const localArchive = /\.(?:tgz|tar|gz|bz2|xz|zip|whl|pyz?|[cm]?[jt]sx?)$/i;
const remotePackage = /^(?:git\+)?(?:https|ssh):\/\/|^(?:github|gitlab|bitbucket):/i;

/** The plain name of a program: without folder, `.exe`, and the extensions of Windows scripts. */
export function plainName(word: string): string {
  return programOf(word).replace(/\.(?:cmd|bat|ps1)$/, '');
}

/** Whether a program of this name runs code from its folder or its arguments. */
function isRunner(word: string): boolean {
  const name = plainName(word);
  return runners.has(name) || pythonName.test(name) || runners.has(name.replace(/(?<![\d.])[-.]?\d[\d.]*$/, ''));
}

/** Whether an argument is the name of a program that runs code. If so, another command line may begin there. */
export function beginsLine(word: string): boolean {
  return isRunner(word) && !usualWords.has(word.toLowerCase());
}

/** Classifies a command line with its variables filled in. Linear in the number of words. */
export function lineKindOf(command: string, args: readonly string[]): LineKind {
  const line = withoutEnv([command, ...args]);
  const [program, ...words] = line ?? [];
  if (program === undefined) return { kind: 'runner' };
  const name = plainName(program);
  const named = namedBy(name, words);
  if (named) return { kind: 'named', ...named };
  if (isRunner(program)) return { kind: 'runner' };
  if (containerPrograms.has(name) && words.some((word) => describesContainers.has(word))) return { kind: 'runner' };
  // After `--`, or at the name of a program, another command line may begin.
  return words.some((word) => word === '--' || beginsLine(word)) ? { kind: 'runner' } : { kind: 'unknown' };
}

interface Named {
  code: readonly string[];
  deciding: readonly string[];
  rest: readonly string[];
}

function namedBy(name: string, words: readonly string[]): Named | undefined {
  if (name === 'npx' || name === 'uvx') return packageOf(words);
  if (name === 'npm' && /^(?:exec|exe|x)$/.test(words[0] ?? '')) return packageOf(words.slice(1));
  if (name === 'uv' && words[0] === 'tool' && words[1] === 'run') return packageOf(words.slice(2));
  // `pipx` is not handled: `pipx run name` runs a file of that name in the folder as a script, so the name need not be
  // a package.
  if (name === 'node') return scriptOf(words, harmlessNodeOption);
  if (pythonName.test(name)) return pythonModule(words) ?? scriptOf(words, harmlessPythonOption);
  return undefined;
}

/**
 * Recognizes a script after harmless options. The check of the `deciding` words determines whether the path of the
 * script is in the workspace.
 */
function scriptOf(words: readonly string[], harmless: RegExp): Named | undefined {
  const at = words.findIndex((word) => !harmless.test(word));
  const script = words[at];
  if (script === undefined || script.startsWith('-')) return undefined;
  // A name without a folder is also a path, relative to the working directory.
  const written = /[\\/]/.test(script) ? script : `./${script}`;
  return { code: [script], deciding: [written], rest: words.slice(at + 1) };
}

/**
 * Recognizes `-m` with a module, for a Python that does not load modules from its folder. Modules that run other code
 * are excluded, and so is `-c`: what inline code loads is not known from its words.
 */
function pythonModule(words: readonly string[]): Named | undefined {
  const at = words.findIndex((word) => !harmlessPythonOption.test(word));
  if (!words.slice(0, at).some((word) => /[IP]/.test(word)) || words[at] !== '-m') return undefined;
  const module = words[at + 1] ?? '';
  const [name = ''] = module.toLowerCase().split('.');
  if (modulesThatRun.has(name) || isRunner(name)) return undefined;
  return { code: [module], deciding: [], rest: words.slice(at + 2) };
}

/** The registry package that a launcher runs; undefined if an option or the package cannot be interpreted. */
function packageOf(words: readonly string[]): Named | undefined {
  const deciding: string[] = [];
  const code: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
    if (packageFlags.has(word)) continue;
    if (!word.startsWith('-')) {
      if (!isFetched(word)) return undefined;
      return { code: [...code, word], deciding, rest: words.slice(index + 1) };
    }
    const [, option = word, own] = /^(--?[\w-]+)=(.*)$/s.exec(word) ?? [];
    const value = own ?? words[++index] ?? '';
    // For `--option=value`, the whole word is added as well, because `fromWorkspace` contains whole words only.
    code.push(word, value);
    if (packageOptions.has(option)) {
      if (!isFetched(value) && !/^\d[\d.]*$/.test(value)) return undefined;
    } else if (packageValues.has(option)) deciding.push(value);
    else return undefined;
  }
  return undefined;
}

/** Whether a package comes from a registry or a remote repository, and does not itself run other code. */
function isFetched(spec: string): boolean {
  if (remotePackage.test(spec)) return true;
  const name = spec.replace(/(?<=.)(?:@|==|~=|>=|<=|\[).*$/s, '');
  return registryPackage.test(spec) && !localArchive.test(spec) && !isRunner(name);
}

/**
 * The command line without a leading `env`, the options of `env` that unset variables, and its assignments. Undefined
 * if `env` has other options, or assigns a variable that changes what programs load.
 */
function withoutEnv(line: readonly string[]): readonly string[] | undefined {
  let at = 0;
  while (at < line.length && plainName(line[at] ?? '') === 'env') {
    for (at++; at < line.length; at++) {
      const word = line[at] ?? '';
      if (word === '-u' || word === '--unset') at++;
      else if (/^(?:-|-i|--ignore-environment|--unset=.*)$/.test(word)) continue;
      else if (word.startsWith('-')) return undefined;
      else if (!word.includes('=')) break;
      else if (isLoaderVariable(word.slice(0, word.indexOf('=')))) return undefined;
    }
  }
  return line.slice(at);
}

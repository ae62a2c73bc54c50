/** Checks the prerequisites of a local server without starting it. */
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { t } from '@vscode/l10n';
import { isObject } from '../base/guards.js';
import { visibleLine } from '../base/hostileText.js';
import { rangeAllows } from '../base/versionRange.js';
import type { ResolvedServer } from '../config/resolveDefinition.js';
import { findCommand, remedyFor } from '../transport/stdio/findCommand.js';
import { isScriptName, nearest } from '../transport/stdio/missingScript.js';
import { runOnce } from '../transport/stdio/runOnce.js';
import type { Check } from './check.js';
import { failed, ok, skipped, warning } from './check.js';

type LocalServer = Extract<ResolvedServer, { type: 'stdio' }>;

/** The minimum versions of these programs for servers that use the common MCP SDKs. */
const oldest: Readonly<Record<string, { name: string; major: number; minor: number }>> = {
  node: { name: 'Node.js', major: 18, minor: 0 },
  npx: { name: 'npm', major: 9, minor: 0 },
  python: { name: 'Python', major: 3, minor: 10 },
  python3: { name: 'Python', major: 3, minor: 10 },
};

/** Checks that the working directory exists and is a folder. */
export function checkFolder({ cwd }: LocalServer): Check {
  try {
    if (statSync(cwd).isDirectory()) return ok('folder', t('{0} exists.', shown(cwd)));
    return failed('folder', t('{0} is a file, not a folder.', shown(cwd)), t('Correct "cwd" in the configuration.'));
  } catch (error) {
    return failed(
      'folder',
      t('{0} cannot be opened ({1}).', shown(cwd), errno(error)),
      t('Correct "cwd" in the configuration, or create the folder.'),
    );
  }
}

/** Checks the program, and reports where it was found. */
export function checkCommand(
  { command, cwd }: LocalServer,
  env: Readonly<Record<string, string>>,
  platform: NodeJS.Platform,
): { check: Check; found?: string } {
  const { found, folders } = findCommand(command, env, cwd, platform);
  if (found !== undefined)
    return { check: ok('command', t('"{0}" was found at {1}.', shown(command), shown(found))), found };
  const isPath = /[/\\]/.test(command);
  const seen = isPath
    ? t('There is no program at {0}.', shown(path.resolve(cwd, command)))
    : t(
        '"{0}" is not in any of the {1} folders in PATH: {2}.',
        shown(command),
        folders.length,
        folders.map(shown).join(', '),
      );
  return { check: failed('command', seen, remedyFor(command, t)) };
}

const scriptRunners: ReadonlySet<string> = new Set([
  'node',
  'python',
  'python3',
  'py',
  'deno',
  'bun',
  'tsx',
  'ts-node',
  'ruby',
  'php',
  'java',
  'sh',
  'bash',
  'pwsh',
  'uv',
  'dotnet',
]);

/** Checks that the script of an interpreter exists. */
export function checkFiles({ command, args, cwd }: LocalServer): Check {
  if (!scriptRunners.has(programName(command)))
    return skipped('files', t('The program runs no script files, so there is no file to check.'));
  const script = scriptOf(args) ?? firstScript(command, args, cwd);
  if (script === undefined) return skipped('files', t('No argument looks like a script.'));
  const full = path.resolve(cwd, script);
  if (exists(full)) return { ...ok('files', t('{0} exists.', shown(full))), file: full };
  const near = nearest(full);
  const where = path.isAbsolute(script) ? '' : t(' "{0}" is relative to the folder {1}.', shown(script), shown(cwd));
  return failed(
    'files',
    t('The file {0} does not exist.{1}', shown(full), where),
    near === undefined
      ? t('Correct the path in "args", build the server, or set "cwd".')
      : t('Did you mean {0}? If not, build the server, or set "cwd".', shown(near)),
  );
}

/** Programs that run their first argument as a script, regardless of its name. */
const plainRunners: ReadonlySet<string> = new Set(['node', 'python', 'python3', 'ruby', 'php', 'sh', 'bash']);

/** The first argument, if the program runs it as a script and it does not exist, not even as a folder or a module. */
function firstScript(command: string, [first = '-']: readonly string[], cwd: string): string | undefined {
  if (first.startsWith('-') || first === 'inspect' || !plainRunners.has(programName(command))) return undefined;
  const full = path.resolve(cwd, first);
  return [full, `${full}.js`, `${full}.json`, `${full}.node`].some((file) => existsSync(file)) ? undefined : first;
}

function scriptOf(args: readonly string[]): string | undefined {
  return args.find((arg) => isScriptName(arg));
}

/** Programs that print their version and exit. */
const versioned: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    [
      'node',
      'npx',
      'npm',
      'bun',
      'bunx',
      'deno',
      'python',
      'python3',
      'uv',
      'uvx',
      'pipx',
      'ruby',
      'php',
      'dotnet',
    ].map((name) => [name, ['--version']]),
  ),
  // Requests the version of the Docker service, because the version of the client does not show whether the service
  // runs.
  docker: ['version', '--format', '{{.Server.Version}}'],
  podman: ['version', '--format', '{{.Client.Version}}'],
};

/** Asks the runtime for its version, with a timeout. */
export async function checkRuntime(
  { command, args: given, cwd }: LocalServer,
  program: string,
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Check> {
  const name = programName(command);
  const args = Object.hasOwn(versioned, name) ? versioned[name] : undefined;
  if (!args) return skipped('runtime', t('"{0}" is not a runtime whose version can be checked.', shown(command)));
  const { output, problem } = await runOnce(program, args, cwd, env, signal);
  const version = /v?(\d+)\.(\d+)(?:\.(\d+))?/.exec(output);
  if (problem !== undefined) {
    const fix =
      name === 'docker'
        ? t('Start Docker, and then start the server.')
        : t(
            'Run "{0}" in a terminal. If the command does not respond, reinstall the program.',
            [command, ...args].join(' '),
          );
    return failed(
      'runtime',
      output === ''
        ? t('"{0}" {1}.', [command, ...args].join(' '), problem)
        : t('"{0}" {1}: {2}', [command, ...args].join(' '), problem, visibleLine(output, 200)),
      fix,
    );
  }
  if (!version)
    return warning(
      'runtime',
      t('"{0}" did not report a version: {1}', [command, ...args].join(' '), visibleLine(output, 120)),
      t('Check whether this is the right program.'),
    );
  const [found, major, minor, patch] = [version[0], ...version.slice(1, 4).map((part) => Number(part ?? 0))] as [
    string,
    number,
    number,
    number,
  ];
  const wanted = name === 'node' ? wantedNode(path.resolve(cwd, scriptOf(given) ?? '')) : undefined;
  if (wanted !== undefined && rangeAllows(wanted.range, [major, minor, patch]) === false) {
    return failed(
      'runtime',
      t(
        'The server does not support Node.js {0}: "engines" in {1} requires {2}.',
        found,
        shown(wanted.file),
        visibleLine(wanted.range, 60),
      ),
      t('Install a version of Node.js that matches {0}, or set "command" to its path.', visibleLine(wanted.range, 60)),
    );
  }
  const least = Object.hasOwn(oldest, name) ? oldest[name] : undefined;
  if (least && (major < least.major || (major === least.major && minor < least.minor))) {
    const version = least.minor === 0 ? String(least.major) : `${least.major}.${least.minor}`;
    return failed(
      'runtime',
      t('{0} {1} is older than {2}, which most servers need.', least.name, found, version),
      t('Install {0} {1} or later, or set "command" to its path.', least.name, version),
    );
  }
  return ok('runtime', `${name} ${found}`);
}

const maxManifestBytes = 1024 * 1024;

/** The range of Node.js versions that the package of a script requires. */
function wantedNode(script: string): { range: string; file: string } | undefined {
  try {
    for (let folder = path.dirname(realpathSync(script)); ; folder = path.dirname(folder)) {
      const file = path.join(folder, 'package.json');
      if (exists(file)) {
        const manifest: unknown =
          statSync(file).size > maxManifestBytes ? undefined : JSON.parse(readFileSync(file, 'utf8'));
        const engines = isObject(manifest) && isObject(manifest['engines']) ? manifest['engines']['node'] : undefined;
        return typeof engines === 'string' ? { range: engines, file } : undefined;
      }
      if (path.dirname(folder) === folder) return undefined;
    }
  } catch {
    // The definition has no script, or the `package.json` of the script cannot be read.
    return undefined;
  }
}

function programName(command: string): string {
  return path.posix
    .basename(command.replaceAll('\\', '/'))
    .toLowerCase()
    .replace(/\.(?:exe|cmd|bat)$/, '')
    .replace(/^(python)3\.\d+$/, '$13');
}

function exists(file: string): boolean {
  try {
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function shown(text: string): string {
  return visibleLine(text, 400);
}

function errno(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : t('unknown reason');
}

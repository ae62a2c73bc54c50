import { t } from '@vscode/l10n';
import { visibleLine } from '../../base/hostileText.js';
import { setOwn } from '../../base/objectCopy.js';
import type { OwnFile } from '../appFormats.js';
import type { Word } from './commandLine.js';
import { splitCommands } from './commandLine.js';
import type { Found, NotFound } from './foundServer.js';
import { assignmentOf } from './foundServer.js';
import { readAddCommand } from './readAddCommand.js';
import { readPastedJson } from './readJson.js';
import { isAddress, readPastedUrl } from './readUrl.js';

/**
 * The programs with which a command line that starts or adds a server usually begins. A text that begins with one of
 * them is read as a command.
 */
const launchers: ReadonlySet<string> = new Set([
  ...['npx', 'bunx', 'pnpx', 'npm', 'pnpm', 'yarn', 'bun', 'deno', 'node', 'tsx', 'uvx', 'uv', 'pipx', 'python'],
  ...['python3', 'py', 'docker', 'podman', 'java', 'dotnet', 'dnx', 'cargo', 'go', 'ruby', 'php', 'env', 'cross-env'],
  ...['claude', 'codex', 'gemini', 'qwen', 'amp', 'droid', 'code', 'code-insiders', 'codium', 'cursor', 'cmd'],
  ...['export', 'set', 'cd', 'sudo', 'bash', 'sh'],
]);
/** Maximum number of commands that are read. */
const maxCommands = 200;
const editors: ReadonlySet<string> = new Set(['code', 'code-insiders', 'codium', 'vscodium', 'cursor', 'windsurf']);
const hosts: ReadonlySet<string> = new Set([
  'claude',
  'codex',
  'gemini',
  'qwen',
  'amp',
  'droid',
  'opencode',
  'copilot',
]);
/** Commands that install or prepare something and then exit. */
const installs =
  /^(?:(?:npm|pnpm|bun) (?:i|install|add|ci|run build|link)|yarn (?:add|install|build)|pip3? install|python3? -m (?:pip|venv)|pipx install|uv (?:tool install|pip|add|sync|venv)|brew |git |apt(?:-get)? |docker (?:pull|build|login)|podman (?:pull|build)|cargo (?:install|build)|go (?:install|build|get)|gem install|dotnet (?:build|tool install)|winget |choco |mkdir |curl |wget |chmod |source |npx (?:-y )?(?:@smithery\/cli|mcp-add|add-mcp|install-mcp)[^ ]* )/;

/** Whether a line begins with a program that starts servers, or with the assignment of a variable. */
export function beginsLikeCommand(line: string): boolean {
  const [first = ''] = withoutPrompt(line).split(/\s/, 1);
  return isLauncher(first) || assignmentOf(first) !== undefined || /^\$env:\w+=/i.test(first);
}

/** A line without the prompt of a shell. */
export function withoutPrompt(line: string): string {
  return line.trim().replace(/^(?:\$|%|>|PS [^>\n]*>|[A-Z]:\\[^>\n]*>)\s+/, '');
}

/** Reads one or more command lines. */
export function readPastedCommand(text: string): Found | NotFound {
  const split = splitCommands(text.replace(/^[ \t]*\$env:(\w+)[ \t]*=[ \t]*/gim, '$1='));
  if ('problem' in split) return split;
  const found: Found & { notes: string[] } = { servers: [], notes: [] };
  const env: Record<string, string> = {};
  let cwd: string | undefined;
  let problem: string | undefined;
  for (const words of split.commands.slice(0, maxCommands)) {
    const line = assigned(words);
    const [program, ...rest] = line.words;
    if (program === undefined) {
      Object.assign(env, line.env);
      continue;
    }
    if (program === 'cd' && rest.length === 1) cwd = rest[0];
    else if (installs.test(`${line.words.join(' ')} `))
      problem ??= t('"{0}" installs or prepares something. It does not start a server.', shown(line.words));
    else {
      const one = readOne(line.words, { ...env, ...line.env }, cwd);
      if ('problem' in one) problem ??= one.problem;
      else add(found, one);
    }
  }
  if (found.servers.length > 0) return found;
  return { problem: problem ?? t('The text contains no command.') };
}

function add(found: Found & { notes: string[] }, one: Found): void {
  found.servers.push(...one.servers);
  found.notes.push(...(one.notes ?? []));
  found.inputs ??= one.inputs;
  const place: OwnFile | undefined = found.place ?? one.place;
  if (place !== undefined) found.place = place;
}

function readOne(words: readonly string[], env: Record<string, string>, cwd: string | undefined): Found | NotFound {
  const [command = '', ...args] = words;
  const program = programName(command);
  if (hosts.has(program) && args[0] === 'mcp') return readAddCommand(args.slice(1), env);
  if (editors.has(program)) {
    const at = args.findIndex((arg) => /^--add-mcp(?:=|$)/.test(arg));
    const json = at === -1 ? undefined : (/^--add-mcp=([^]*)$/.exec(args[at] ?? '')?.[1] ?? args[at + 1]);
    return json === undefined
      ? { problem: t('"{0}" starts an editor, not a server.', visibleLine(program, 40)) }
      : readPastedJson(json);
  }
  if (hosts.has(program) && args.length === 0) return { problem: t('"{0}" is an MCP client, not a server.', program) };
  if (words.length === 1 && isAddress(command)) return readPastedUrl(command);
  if (words.length === 1 && /^@[a-z0-9~-][\w.~-]*\/[a-z0-9~-][\w.~-]*(?:@[^\s/]+)?$/i.test(command))
    return { servers: [{ raw: { command: 'npx', args: ['-y', command] } }] };
  if (!isProgram(command, args))
    return { problem: t('This is not a command, a URL, or a JSON configuration of a server.') };
  return {
    servers: [
      {
        raw: {
          command,
          ...(args.length === 0 ? {} : { args }),
          ...(Object.keys(env).length === 0 ? {} : { env }),
          ...(cwd === undefined ? {} : { cwd }),
        },
      },
    ],
  };
}

/**
 * The assigned variables before a command (also those of `export`, `set`, `env` and `cross-env`), and the command's
 * words.
 */
function assigned(words: readonly Word[]): { env: Record<string, string>; words: string[] } {
  const env: Record<string, string> = {};
  let at = /^(?:export|set|env|cross-env)$/i.test(words[0]?.text ?? '') ? 1 : 0;
  const isStatement = /^(?:export|set)$/i.test(words[0]?.text ?? '');
  for (; at < words.length; at++) {
    const pair = assignmentOf(words[at]?.text ?? '');
    if (!pair) break;
    setOwn(env, pair[0], pair[1]);
  }
  const rest = words.slice(at).map(({ text }) => text);
  return { env, words: isStatement && rest.length === 0 ? [] : rest };
}

/**
 * Whether the words can be a command and not prose. A program that is neither known nor a path must have no arguments,
 * an argument that is an option or a path, or a name that is typical of servers.
 */
function isProgram(command: string, args: readonly string[]): boolean {
  if (isLauncher(command) || /[\\/]/.test(command)) return true;
  if (/\.(?:exe|cmd|bat|sh|py|jar|[cm]?js|ts|rb|php)$/i.test(command)) return true;
  if (!/^[a-z0-9][\w.+@-]*$/i.test(command) || /[.,:!?]$/.test([command, ...args].join(' '))) return false;
  return (
    args.length === 0 ||
    args.some((arg) => /^-{1,2}[A-Za-z]|[\\/]|\$\{/.test(arg)) ||
    /mcp|server|[a-z]-[a-z]/i.test(command)
  );
}

function isLauncher(word: string): boolean {
  return launchers.has(programName(word));
}

function programName(word: string): string {
  const file = word.split(/[\\/]/).at(-1) ?? '';
  return file.toLowerCase().replace(/\.(?:exe|cmd|bat)$/, '');
}

function shown(words: readonly string[]): string {
  return visibleLine(words.slice(0, 3).join(' '), 60);
}

/**
 * The copy of the door script that agents start. It is outside of the extension's own folder, whose name changes with
 * each update, so that the configuration of an agent stays valid.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { systemProgram } from '../../transport/stdio/windowsCommand.js';
import { makePrivateFolder, readPrivateFile, writePrivateFile } from './privateFiles.js';

export interface DoorCopy {
  /** The folder of the copy and of the records of windows. */
  folder: string;
  /** The script in the extension. */
  script: string;
  /** The version of the extension. */
  version: string;
  /** The program that runs the script if Node 20 or later is not on PATH: VS Code, or the Node of its server. */
  runtime: string;
  platform: NodeJS.Platform;
  env: Readonly<Record<string, string | undefined>>;
}

/** The program and its arguments that an agent starts. */
export interface DoorCommand {
  command: string;
  args: string[];
}

const scriptName = 'mcp-deck-door.cjs';

/** Maximum size of a written file, bytes. */
const maxBytes = 1024 * 1024;

/**
 * The file that agents start. On Windows, a program that is not a shell cannot start a command file. The path of the
 * shell is absolute, because an agent can search for programs in its working directory first.
 */
export function doorCommand({ folder, platform }: Pick<DoorCopy, 'folder' | 'platform'>): DoorCommand {
  return platform === 'win32'
    ? { command: systemProgram('cmd.exe'), args: ['/c', path.win32.join(folder, 'mcp-deck-door.cmd')] }
    : { command: path.posix.join(folder, 'mcp-deck-door'), args: [] };
}

/** Whether the door was written before. */
export async function hasDoor(folder: string): Promise<boolean> {
  return (await readPrivateFile(path.join(folder, scriptName), maxBytes)) !== undefined;
}

/**
 * Writes the script and its wrapper if they differ from this version. A copy of a later version is kept, because
 * windows of several versions share the folder.
 */
export async function writeDoor(copy: DoorCopy): Promise<void> {
  const { folder, script, version, platform } = copy;
  await makePrivateFolder(folder);
  const file = path.join(folder, scriptName);
  const there = await readPrivateFile(file, maxBytes);
  const kept = /^\/\/ version ([\d.]+)\n/.exec(there ?? '')?.[1];
  if (kept !== undefined && isLater(kept, version)) return;
  const text = `// version ${version}\n${await readFile(script, 'utf8')}`;
  if (text !== there) await writePrivateFile(file, text);
  const wrapper = path.join(folder, platform === 'win32' ? 'mcp-deck-door.cmd' : 'mcp-deck-door');
  const wrapped = platform === 'win32' ? windowsWrapper(copy) : posixWrapper(copy);
  if ((await readPrivateFile(wrapper, maxBytes)) !== wrapped) await writePrivateFile(wrapper, wrapped, 0o700);
}

/**
 * A `node` in a folder relative to the working directory could come from a workspace, so only an absolute one counts.
 */
function posixWrapper({ folder, runtime }: Pick<DoorCopy, 'folder' | 'runtime'>): string {
  const script = quoted(path.posix.join(folder, scriptName));
  return `#!/bin/sh
# Written by MCP Deck. Changes are overwritten.
node=$(command -v node)
case $node in
  /*)
    case $("$node" --version 2>/dev/null) in
      v[2-9][0-9].*|v[1-9][0-9][0-9].*) exec "$node" ${script} "$@" ;;
    esac ;;
esac
if [ -x ${quoted(runtime)} ]; then
  ELECTRON_RUN_AS_NODE=1
  export ELECTRON_RUN_AS_NODE
  exec ${quoted(runtime)} ${script} "$@"
fi
echo "MCP Deck needs Node 20 or later. Install it, or start the gateway in VS Code once." >&2
exit 127
`;
}

/**
 * The command file for Windows. It finds the script by its own path, and names the runtime relative to a variable,
 * because Windows reads command files in a code page that may lack the letters of the user's name. The first variable
 * prevents a search for `node` in the working directory.
 */
export function windowsWrapper({ runtime, env }: Pick<DoorCopy, 'runtime' | 'env'>): string {
  const bases = ['LOCALAPPDATA', 'ProgramFiles', 'USERPROFILE'];
  const base = bases.find((name) => {
    const value = env[name];
    return value !== undefined && value !== '' && runtime.toLowerCase().startsWith(`${value.toLowerCase()}\\`);
  });
  const rest = base === undefined ? runtime : runtime.slice((env[base] ?? '').length);
  const program = `${base === undefined ? '' : `%${base}%`}${rest.replaceAll('%', '%%')}`;
  return [
    '@echo off',
    'rem Written by MCP Deck. Changes are overwritten.',
    'setlocal',
    'set NoDefaultCurrentDirectoryInExePath=1',
    `for /f "tokens=1 delims=v." %%v in ('node --version 2^>nul') do if %%v GEQ 20 goto node`,
    'set ELECTRON_RUN_AS_NODE=1',
    `"${program}" "%~dp0${scriptName}" %*`,
    'exit /b %errorlevel%',
    ':node',
    `node "%~dp0${scriptName}" %*`,
    'exit /b %errorlevel%',
    '',
  ].join('\r\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function isLater(one: string, other: string): boolean {
  const parts = (version: string) => version.split('.').map(Number);
  const [a, b] = [parts(one), parts(other)];
  const at = a.findIndex((part, index) => part !== (b[index] ?? 0));
  return at !== -1 && (a[at] ?? 0) > (b[at] ?? 0);
}

/**
 * The entry of an agent's configuration that starts the door of the gateway. The entry contains no port and no secret.
 */
import { t } from '@vscode/l10n';
import { UserError } from '../base/hostError.js';
import type { AppFile } from './appFiles.js';
import type { AppFormat, AppId } from './appFormats.js';
import { appFormats } from './appFormats.js';
import { exportToFile, removeFromFile } from './exportFile.js';
import { formatOf, readAppFile } from './importFile.js';

/** The program that an agent starts. */
export interface DoorProgram {
  command: string;
  args: readonly string[];
}

export const doorName = 'mcp-deck';

/** The apps that can be connected. VS Code's own agent is not one of them, because a setting connects it. */
export const agentIds = (Object.keys(appFormats) as AppId[]).filter((id) => id !== 'vscode');

/**
 * Arguments of the door by app. An editor starts its servers in a folder other than the project folder, so the door
 * gets the folder from a variable, or uses the window that was focused last. Agents in terminals start their servers in
 * the project folder.
 */
const placeArguments: Partial<Record<AppId, readonly string[]>> = {
  cursor: ['--folder', '${workspaceFolder}'],
  roo: ['--folder', '${workspaceFolder}', '--any-window'],
  'claude-desktop': ['--any-window'],
  windsurf: ['--any-window'],
  cline: ['--any-window'],
  continue: ['--any-window'],
  kiro: ['--any-window'],
  junie: ['--any-window'],
  zed: ['--any-window'],
};

/** The title of an app that can be connected, such as `Claude Code`; undefined for another ID. */
export function agentTitle(app: string): string | undefined {
  const id = agentIds.find((one) => one === app);
  return id && appFormats[id].title;
}

/** The commands that start agents in a terminal, in the folder of the project. Other agents have windows. */
export const terminalCommands: Partial<Record<AppId, string>> = {
  'claude-code': 'claude',
  'copilot-cli': 'copilot',
  codex: 'codex',
  gemini: 'gemini',
  opencode: 'opencode',
};

/** The user's file of an app into which the entry is written: the first one that exists, otherwise the usual one. */
export function agentFile(app: AppId, files: readonly AppFile[], exists: (file: string) => boolean): string {
  const own = files.filter((file) => file.app === app && file.folder === undefined).map(({ path }) => path);
  const [usual = ''] = own;
  const found = own.find(exists);
  // A new `config.yaml` would replace the models that Continue offers, so the entry is a file of its own.
  if (app === 'continue' && found === undefined) return usual.replace(/config\.yaml$/, 'mcpServers/mcp-deck.yaml');
  return found ?? usual;
}

/** Whether the file contains the entry. False if it cannot be read. */
export function isConnected(app: AppId, text: string): boolean {
  const read = readAppFile(app, text);
  return (
    'groups' in read &&
    read.groups.some(({ project, servers }) => project === undefined && servers.some(({ name }) => name === doorName))
  );
}

/**
 * The text with the entry, which also names the app (`agentOf` in `core/gateway/gatewayClients.ts`). Other entries and
 * comments are kept. Throws if the text is not valid, or if the app would replace a part of the program's path.
 */
export function withDoor(app: AppId, text: string, { command, args }: DoorProgram): string {
  const format = readable(app, text);
  const server = {
    name: doorName,
    fields: { type: 'stdio', command, args: [...args, '--agent', app, ...(placeArguments[app] ?? [])] },
  };
  // Variables in the arguments are those of the app.
  const values = { userHome: '', pathSeparator: '' };
  const changed = exportToFile({ ...format, variables: ['workspaceFolder'] }, text, [server], values);
  if (!changed.servers[0]?.fields)
    throw new UserError(
      t('{0} would replace a part of the path {1} with a variable, so it cannot be connected.', format.title, command),
    );
  return changed.text;
}

/** The text without the entry. Throws if the text is not valid. */
export function withoutDoor(app: AppId, text: string): string {
  return removeFromFile(readable(app, text), text, doorName);
}

/**
 * The changed lines, each with `+` or `-`. At most `maxLines` of each kind. Empty lines around a change are left out. A
 * comma that is added to the previous line is left out too, so that the change of a JSON file begins with the new
 * entry.
 */
export function changedLines(before: string, after: string, maxLines = 30): string {
  const [old, now] = [before.split(/\r?\n/), after.split(/\r?\n/)];
  let start = 0;
  while (start < Math.min(old.length, now.length) && withoutComma(old[start]) === withoutComma(now[start])) start++;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const shown = (lines: string[], mark: string) => {
    const changed = lines.slice(start, lines.length - end);
    const first = changed.findIndex(hasText);
    const all = changed.slice(Math.max(first, 0), changed.findLastIndex(hasText) + 1).map((line) => `${mark} ${line}`);
    return all.length > maxLines ? [...all.slice(0, maxLines), '…'] : all;
  };
  return [...shown(old, '-'), ...shown(now, '+')].join('\n');
}

function withoutComma(line: string | undefined): string | undefined {
  return line?.replace(/,$/, '');
}

function hasText(line: string): boolean {
  return line.trim() !== '';
}

/** The format of the text. Throws if an entry could not be added without the loss of other content. */
function readable(app: AppId, text: string): AppFormat {
  const read = readAppFile(app, text);
  if ('problem' in read) throw new Error(read.problem);
  return formatOf(app, text);
}

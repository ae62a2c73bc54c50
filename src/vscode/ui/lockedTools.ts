import { stat } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import type { ServerView } from '../../core/catalog/hostTypes.js';
import type { Tool } from '../../core/protocol/mcp.js';
import type { HostApi } from '../../core/host/hostApi.js';
import { runAtOnce } from '../../core/base/timeSlice.js';
import { lockPath } from '../../core/testing/checks/lock/lockModel.js';

/**
 * The folder whose lock file records a server: the folder of its definition, or the first folder of the workspace.
 * Undefined if that folder has no lock file, or is not on this computer, and for the built-in server, which has the
 * version of the extension.
 */
export async function lockFolderOf({ entry: { source } }: ServerView): Promise<string | undefined> {
  if (source.kind === 'builtin') return undefined;
  const [first] = vscode.workspace.workspaceFolders ?? [];
  const folder = source.folderPath ?? (first?.uri.scheme === 'file' ? first.uri.fsPath : undefined);
  if (folder === undefined) return undefined;
  const stats = await stat(path.join(folder, lockPath)).catch(() => undefined);
  return stats ? folder : undefined;
}

/**
 * Records in the lock file that the user accepted a change of a tool. Does nothing if the folder has no lock file, or
 * if the file does not have the tool. Rejects if the file cannot be read or written.
 */
export async function updateLockedTool(
  { servers }: Pick<HostApi, 'servers'>,
  view: ServerView,
  tool: Tool,
): Promise<void> {
  const folder = await lockFolderOf(view);
  if (folder === undefined || !view.features) return;
  const { lockedServer, readLock, writeLock } = await import('../../core/testing/onDemand.js');
  const lock = await readLock(folder);
  const { name } = view.entry;
  const locked = Object.hasOwn(lock.servers, name) ? lock.servers[name] : undefined;
  const only = { identity: view.features.identity, tools: [tool], prompts: [], resources: [], resourceTemplates: [] };
  const definition = runAtOnce(lockedServer(only, servers.secretValues(view.id))).tools[tool.name];
  if (!locked || !definition || !Object.hasOwn(locked.tools, tool.name)) return;
  const tools = { ...locked.tools, [tool.name]: definition };
  await writeLock(folder, { ...lock, servers: { ...lock.servers, [name]: { ...locked, tools } } });
}

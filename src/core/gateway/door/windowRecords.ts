/**
 * The records of windows whose gateway is on: one private file for each window, in the folder `windows` beside the door
 * script. The door reads them to find the window of its caller.
 */
import { readdir, rm, rmdir } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { isObject, isStringArray } from '../../base/guards.js';
import { isAlive } from '../../transport/stdio/processTree.js';
import { isOwnSocket, isPrivateFolder, readPrivateFile } from './privateFiles.js';

export interface WindowRecord {
  /** The process of the window, and its computer: a home folder can be shared over a network. */
  pid: number;
  computer: string;
  /** The Unix socket or named pipe. */
  socket: string;
  token: string;
  /** Absolute paths of the open folders, without symbolic links. */
  folders: readonly string[];
  /** When the window was focused last, in milliseconds since the epoch. */
  focusedAt: number;
}

/** A record and the name of its file. */
export interface FoundRecord extends WindowRecord {
  name: string;
}

/** The version of the first line that door and window exchange. */
export const doorProtocol = 1;

/** Maximum size of a record, bytes. */
const maxRecordBytes = 64 * 1024;

/** Maximum number of records that are read. */
const maxRecords = 200;

const recordName = /^(\d+)-[0-9a-f]+\.json$/;

/**
 * The folder of the records of windows.
 * @param doorFolder the folder of the copy of the door.
 */
export function windowsFolder(doorFolder: string): string {
  return path.join(doorFolder, 'windows');
}

/**
 * The records of windows of this computer that have not crashed: on Windows, another user can create a named pipe with
 * the name of a crashed window's pipe. Without files that other users can access; empty if they can access the folder.
 */
export async function readWindowRecords(doorFolder: string): Promise<FoundRecord[]> {
  return (await readAll(doorFolder)).filter(({ pid }) => isAlive(pid));
}

async function readAll(doorFolder: string): Promise<FoundRecord[]> {
  const folder = windowsFolder(doorFolder);
  if (!(await isPrivateFolder(folder))) return [];
  const names = (await readdir(folder).catch((): string[] => [])).filter((name) => recordName.test(name));
  const records = await Promise.all(
    names.slice(0, maxRecords).map(async (name) => {
      const text = await readPrivateFile(path.join(folder, name), maxRecordBytes);
      const record = text === undefined ? undefined : readRecord(text);
      return record && record.computer === os.hostname() ? [{ ...record, name }] : [];
    }),
  );
  return records.flat();
}

/** Removes the records of windows of this computer that have crashed, and their sockets. */
export async function removeDeadRecords(doorFolder: string): Promise<void> {
  for (const { name, pid, socket } of await readAll(doorFolder)) {
    if (isAlive(pid)) continue;
    await rm(path.join(windowsFolder(doorFolder), name), { force: true });
    const folder = path.dirname(socket);
    if (process.platform === 'win32' || !path.basename(folder).startsWith('mcp-deck-')) continue;
    if (!(await isPrivateFolder(folder)) || !(await isOwnSocket(socket))) continue;
    // A record can name any folder, so nothing but the socket is removed with it.
    await rm(socket, { force: true });
    await rmdir(folder).catch(() => undefined);
  }
}

function readRecord(text: string): WindowRecord | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { pid, computer, socket, token, folders, focusedAt } = value;
  return typeof pid === 'number' &&
    typeof computer === 'string' &&
    typeof socket === 'string' &&
    typeof token === 'string' &&
    isStringArray(folders) &&
    typeof focusedAt === 'number'
    ? { pid, computer, socket, token, folders, focusedAt }
    : undefined;
}

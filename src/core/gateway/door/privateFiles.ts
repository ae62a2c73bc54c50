/**
 * Files that only their owner may read: they contain the token of a window. A file or folder that another user owns or
 * can read, and a symbolic link, is refused. Windows has no such modes; there, the files are in the profile of the
 * user, which other users cannot read.
 */
import { constants } from 'node:fs';
import { chmod, lstat, mkdir, open } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import { replaceFile } from '../../base/replaceFile.js';

const otherUsers = 0o077;

/** Creates a folder that only its owner can use, or removes the permissions of others. Rejects if that fails. */
export async function makePrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const stats = await lstat(folder);
  if (!stats.isDirectory() || !isOwn(stats)) throw new Error(`${folder} is not a folder of this user.`);
  if (process.platform !== 'win32' && (stats.mode & otherUsers) !== 0) await chmod(folder, 0o700);
}

/** Whether only the owner, who is this user, can use the folder. False if it does not exist. */
export async function isPrivateFolder(folder: string): Promise<boolean> {
  const stats = await lstat(folder).catch(() => undefined);
  return stats?.isDirectory() === true && isPrivate(stats);
}

/**
 * The text of a file that only this user can read. Undefined if there is no such file: it is missing, larger than
 * `maxBytes`, a symbolic link, or accessible to other users.
 */
export async function readPrivateFile(file: string, maxBytes: number): Promise<string | undefined> {
  // Windows has no flag for symbolic links.
  if (process.platform === 'win32' && (await lstat(file).catch(() => undefined))?.isSymbolicLink() !== false)
    return undefined;
  // The checks use the open file, so it cannot be replaced between the checks and the read.
  const handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)).catch(
    () => undefined,
  );
  if (!handle) return undefined;
  try {
    const stats = await handle.stat();
    if (!stats.isFile() || !isPrivate(stats) || stats.size > maxBytes) return undefined;
    const bytes = Buffer.alloc(stats.size);
    const { bytesRead } = await handle.read(bytes, 0, stats.size, 0);
    return bytes.toString('utf8', 0, bytesRead);
  } catch {
    return undefined;
  } finally {
    await handle.close();
  }
}

/** Writes a file that only this user can read. Readers see the previous content or the whole new content. */
export function writePrivateFile(file: string, text: string, mode = 0o600): Promise<void> {
  return replaceFile(file, text, mode);
}

/** Whether the address is a socket of this user, or a named pipe of MCP Deck on this computer. */
export async function isOwnSocket(address: string): Promise<boolean> {
  if (process.platform === 'win32') return /^\\\\\.\\pipe\\mcp-deck-[0-9a-f]{32}$/.test(address);
  const stats = await lstat(address).catch(() => undefined);
  return stats?.isSocket() === true && isOwn(stats);
}

function isPrivate(stats: Stats): boolean {
  return isOwn(stats) && (process.platform === 'win32' || (stats.mode & otherUsers) === 0);
}

function isOwn({ uid }: Stats): boolean {
  return process.getuid === undefined || uid === process.getuid();
}

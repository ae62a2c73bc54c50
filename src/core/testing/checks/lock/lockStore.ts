/**
 * Reads and writes the lock file of a folder. Reading is limited in size, a write replaces the whole file, and no file
 * outside of the folder is written.
 */
import { mkdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { t } from '@vscode/l10n';
import { isObject, isStringArray } from '../../../base/guards.js';
import { messageOf } from '../../../base/hostError.js';
import { withSortedKeys } from '../../../base/jsonText.js';
import { indentedJson } from '../../../base/jsonTokens.js';
import { objectOf } from '../../../base/objectCopy.js';
import { replaceFile } from '../../../base/replaceFile.js';
import { readFileUpTo } from '../../../config/smallFile.js';
import { readDefinition } from '../../../consent/toolDefinition.js';
import type { LockedServer, LockFile } from './lockModel.js';
import { emptyLock, lockPath, lockVersion } from './lockModel.js';

/** Maximum size of the lock file, in bytes. It comes with a repository and is parsed in one turn. */
const maxBytes = 4 * 1024 * 1024;
const maxServers = 200;

/** A lock file that cannot be used. The message is a complete sentence. */
export class LockError extends Error {}

/** Reads the lock file of a folder; an empty lock if there is none. Throws LockError if it cannot be used. */
export async function readLock(folder: string): Promise<LockFile> {
  let text: string;
  try {
    text = await readFileUpTo(path.join(folder, lockPath), maxBytes);
  } catch (error) {
    if (isObject(error) && (error['code'] === 'ENOENT' || error['code'] === 'ENOTDIR')) return emptyLock;
    throw new LockError(t('The lock file {0} cannot be read: {1}', lockPath, messageOf(error)));
  }
  return parseLock(text);
}

/** Reads the text of a lock file. Throws LockError if it is damaged, or if a newer version of MCP Deck wrote it. */
export function parseLock(text: string): LockFile {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new LockError(t('The lock file {0} is not valid JSON: {1}', lockPath, messageOf(error)));
  }
  const { version, servers } = isObject(value) ? value : {};
  if (typeof version === 'number' && version > lockVersion)
    throw new LockError(
      t(
        'The lock file {0} has version {1}. This version of MCP Deck reads version {2}. Update MCP Deck.',
        lockPath,
        version,
        lockVersion,
      ),
    );
  if (version !== lockVersion || !isObject(servers)) throw damaged('version');
  const entries = Object.entries(servers);
  if (entries.length > maxServers)
    throw new LockError(t('The lock file {0} has more than {1} servers.', lockPath, maxServers));
  return { version, servers: Object.fromEntries(entries.map(([name, server]) => [name, readServer(name, server)])) };
}

function readServer(name: string, value: unknown): LockedServer {
  if (!isObject(value)) throw damaged(name);
  const { info, tools, prompts = [], resources = [] } = value;
  if (!isObject(info) || !isObject(tools) || !isStringArray(prompts) || !isStringArray(resources)) throw damaged(name);
  const { name: title, version } = info;
  if (typeof title !== 'string' || typeof version !== 'string') throw damaged(name);
  const read = Object.entries(tools).map(([tool, definition]) => {
    const known = readDefinition(definition);
    if (!known) throw damaged(`${name}/${tool}`);
    return [tool, known] as const;
  });
  return { info: { name: title, version }, tools: objectOf(read), prompts, resources };
}

function damaged(part: string): LockError {
  return new LockError(
    t('The lock file {0} is damaged at "{1}". Restore it, or write it again with "mcp-deck lock".', lockPath, part),
  );
}

/** Writes the lock file of a folder. Throws LockError if it would be too large, or if `.vscode` is a link. */
export async function writeLock(folder: string, lock: LockFile): Promise<void> {
  const text = indentedJson(withSortedKeys(lock), maxBytes);
  if (text === undefined || Buffer.byteLength(text) > maxBytes)
    throw new LockError(t('The lock file {0} would be larger than 4 MB. Lock fewer servers.', lockPath));
  const file = path.join(folder, lockPath);
  await mkdir(path.dirname(file), { recursive: true });
  const inside = path.relative(await realpath(folder), await realpath(path.dirname(file)));
  if (inside !== path.dirname(lockPath))
    throw new LockError(
      t('The folder .vscode in {0} is a link to another folder, so the lock file was not written.', folder),
    );
  await replaceFile(file, text);
}

/**
 * Failures of files, disks and keyrings. They are caused by the environment, not by MCP Deck: the error code of Node or
 * VS Code determines the cause, and the cause determines the advice.
 */
import { HostError, messageOf } from './hostError.js';
import type { StorageCause, StorageOperation } from './hostErrorData.js';

const causes: Readonly<Record<string, StorageCause>> = {
  // Codes of Node and the operating system.
  ENOENT: 'missing',
  EISDIR: 'is-folder',
  ENOTDIR: 'not-folder',
  ENOTEMPTY: 'exists',
  EEXIST: 'exists',
  EACCES: 'not-permitted',
  EPERM: 'not-permitted',
  EROFS: 'read-only',
  ENOSPC: 'full',
  EDQUOT: 'full',
  EBUSY: 'busy',
  ETXTBSY: 'busy',
  EMFILE: 'too-many-files',
  ENFILE: 'too-many-files',
  EFBIG: 'too-large',
  ENAMETOOLONG: 'name-too-long',
  EIO: 'other',
  ENXIO: 'other',
  ENODEV: 'other',
  ESTALE: 'other',
  ELOOP: 'other',
  EXDEV: 'other',
  EINVAL: 'other',
  ENOTSUP: 'other',
  ETIMEDOUT: 'silent',
  ERR_FS_FILE_TOO_LARGE: 'too-large',
  ERR_FS_EISDIR: 'is-folder',
  // Codes of VS Code's FileSystemError.
  FileNotFound: 'missing',
  FileExists: 'exists',
  FileNotADirectory: 'not-folder',
  FileIsADirectory: 'is-folder',
  NoPermissions: 'not-permitted',
  Unavailable: 'other',
};

/** The error code of the operating system, which VS Code includes in the message of its own error. */
const wrapped =
  /\b(ENOENT|EISDIR|ENOTDIR|ENOTEMPTY|EEXIST|EACCES|EPERM|EROFS|ENOSPC|EDQUOT|EBUSY|ETXTBSY|EMFILE|ENFILE|EFBIG|ENAMETOOLONG|EIO|ENXIO|ENODEV|ESTALE|ELOOP|ETIMEDOUT)\b/;

/** System calls that fail with the same codes but do not concern files. */
const otherCalls = /^(?:spawn|connect|listen|bind|accept|getaddrinfo|kill|uv_|read ECONN)/;

/** Why a file or disk operation failed; undefined for other errors. */
export function storageProblem(error: unknown): { cause: StorageCause; errno: string; path?: string } | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  if (typeof syscall === 'string' && otherCalls.test(syscall)) return undefined;
  const isOfVsCode = /FileSystemError|EntryNotFound|FileOperationError/.test(error.name);
  const inMessage = isOfVsCode || syscall === undefined ? wrapped.exec(error.message)?.[1] : undefined;
  // The code of the operating system is more specific than that of VS Code.
  const errno =
    (isOfVsCode ? inMessage : undefined) ??
    (typeof code === 'string' && Object.hasOwn(causes, code) ? code : undefined);
  if (errno === undefined && !isOfVsCode) return undefined;
  const isOfFile =
    isOfVsCode ||
    typeof path === 'string' ||
    (typeof syscall === 'string' && !/^(?:write|read)$/.test(syscall)) ||
    storageCodes.has(errno ?? '');
  if (!isOfFile) return undefined;
  return {
    cause: causes[errno ?? ''] ?? 'other',
    errno: errno ?? 'Unknown',
    ...(typeof path === 'string' ? { path } : {}),
  };
}

/**
 * Codes that count as failures of files even if the error has no path. In such errors, all other codes can also come
 * from pipes and sockets.
 */
const storageCodes: ReadonlySet<string> = new Set([
  'ENOSPC',
  'EDQUOT',
  'EROFS',
  'EISDIR',
  'ENOTDIR',
  'EMFILE',
  'ENFILE',
  'EFBIG',
  'ERR_FS_FILE_TOO_LARGE',
  'ERR_FS_EISDIR',
]);

export interface StorageFailureFacts {
  operation: StorageOperation;
  /** The name of the store, for display: a path, or "Secret storage". */
  thing: string;
  /** The name of the affected server. */
  server?: string;
  /** Whether the user's change is kept in memory until the window closes. */
  isKept?: boolean;
  /** The cause. By default, it is read from `error`. */
  cause?: StorageCause;
}

/**
 * Converts a failure of a file, disk or keyring to HostError `storage-failed`. A HostError or a cancellation is
 * returned as it is, except that a `storage-failed` gets `isKept` and, if it has none, `server`.
 */
export function storageFailure(
  error: unknown,
  { operation, thing, server, isKept, cause }: StorageFailureFacts,
): Error {
  if (error instanceof HostError) {
    if (error.code === 'storage-failed') {
      if (server !== undefined) error.data.server ??= server;
      if (isKept === true) error.data.isKept = true;
    }
    return error;
  }
  if (error instanceof Error && (error.name === 'AbortError' || error.name === 'Canceled')) return error;
  const problem = storageProblem(error);
  const data = {
    operation,
    thing,
    cause: cause ?? problem?.cause ?? 'other',
    ...(problem ? { errno: problem.errno } : {}),
    ...(server === undefined ? {} : { server }),
    ...(isKept === true ? { isKept } : {}),
  };
  return new HostError('storage-failed', `${thing} could not be ${done[operation]}: ${messageOf(error)}`, {
    data,
    cause: error,
  });
}

const done: Record<StorageOperation, string> = { read: 'read', write: 'written', remove: 'removed' };

/** Runs work on a file. A file failure becomes HostError `storage-failed`; any other error is rethrown unchanged. */
export async function onStorage<T>(facts: StorageFailureFacts, work: () => PromiseLike<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storageProblem(error) ? storageFailure(error, facts) : error;
  }
}

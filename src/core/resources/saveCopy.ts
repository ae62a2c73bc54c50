import { randomUUID } from 'node:crypto';
import { lstat, open, realpath, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { t } from '@vscode/l10n';
import { UserError } from '../base/hostError.js';
import { onStorage } from '../base/storageFailure.js';
import { fileNameOf, harmlessExtension } from '../present/text/fileName.js';

export interface CopyTarget {
  folder: string;
  /** The file name without the folder. */
  name: string;
  /** Whether the user has agreed to replace a file of that name. */
  mayReplace: boolean;
}

/** Folders whose files programs read and execute automatically. */
const refusedFolders: ReadonlySet<string> = new Set(['.git', '.vscode']);

/**
 * The path of the future copy, with symbolic links in the folder resolved, to be shown in a question. Rejects with
 * UserError if writing there is not allowed, and with HostError `storage-failed` if the folder is missing or cannot be
 * read.
 */
export async function copyTarget(folder: string, name: string): Promise<string> {
  const real = await onStorage({ operation: 'write', thing: path.join(folder, name) }, () => realpath(folder));
  const target = path.join(real, name);
  if (path.dirname(target) !== real || name === '' || name === '.')
    throw new UserError(t('"{0}" is not a valid file name.', name));
  if ([...real.split(path.sep), name].some((part) => refusedFolders.has(part.toLowerCase()))) {
    throw new UserError(
      t(
        'Content of servers cannot be saved to .git or .vscode, because programs execute the contents of these folders. Choose another folder.',
      ),
    );
  }
  return target;
}

/**
 * Writes a copy of a resource into a folder, never elsewhere: a symbolic link with the same name is replaced, not
 * followed. The file is not executable, even if the replaced file was (security requirement D1).
 * @returns the path of the copy. Rejects with UserError if writing is not allowed, and with HostError `storage-failed`
 * if it fails.
 */
export function saveCopy(target: CopyTarget, bytes: Uint8Array): Promise<string> {
  return onStorage({ operation: 'write', thing: path.join(target.folder, target.name) }, () =>
    writeCopy(target, bytes),
  );
}

async function writeCopy({ folder, name, mayReplace }: CopyTarget, bytes: Uint8Array): Promise<string> {
  const target = await copyTarget(folder, name);
  const real = path.dirname(target);
  const existing = await lstat(target).catch(() => undefined);
  if (existing?.isDirectory()) throw new UserError(t('"{0}" is a folder. Choose another name.', target));
  if (existing && !mayReplace) throw new UserError(t('"{0}" already exists and was not replaced.', target));
  if (!existing) {
    await writeNew(target, bytes);
    return target;
  }
  const temporary = path.join(real, `.${randomUUID()}.part`);
  await writeNew(temporary, bytes);
  try {
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  return target;
}

/** Writes a new file. Fails if an entry with that name exists, including a symbolic link. */
async function writeNew(file: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(file, 'wx', 0o666);
  try {
    await writeFile(handle, bytes);
  } finally {
    await handle.close();
  }
}

/**
 * A name for a copy of a resource: the last part of its path, sanitized, with its own extension or with `extension`.
 */
export function copyName(uri: string, extension?: string): string {
  const [path = ''] = uri.split(/[?#]/, 1);
  const last = decoded(path.split('/').findLast((segment) => segment !== '') ?? '');
  const [, stem = last, own] = /^([^]+)\.([A-Za-z0-9]{1,10})$/.exec(last) ?? [];
  const ending = own ?? extension;
  const name = `${fileNameOf(stem, 'resource')}${ending === undefined || ending === '' ? '' : `.${ending}`}`;
  // The extension of the complete name counts: sanitizing can change where it begins.
  return name.replace(/(?<=\.)[^.]+$/, harmlessExtension);
}

/** The decoded text. It may contain separators, because the name is sanitized after decoding. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // The text is not valid percent-encoding, so it is used unchanged.
    return text;
  }
}

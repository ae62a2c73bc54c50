import { randomUUID } from 'node:crypto';
import { lstat, open, realpath, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { t } from '@vscode/l10n';
import { UserError } from '../base/hostError.js';
import { onStorage } from '../base/storageFailure.js';
import { fileNameOf, harmlessExtension } from '../present/text/fileName.js';

export interface CopyTarget {
  folder: string;
  /** The base name. */
  name: string;
  /** The user has agreed to replace a file of that name. */
  mayReplace: boolean;
}

/** Programs read these by themselves and do what is in them. */
const refusedFolders: ReadonlySet<string> = new Set(['.git', '.vscode']);

/**
 * Where a copy would be, with the links of the folder followed: what a question about it shows. Rejects with UserError when
 * nothing may be written there, with HostError `storage-failed` when the folder is missing or cannot be read.
 */
export async function copyTarget(folder: string, name: string): Promise<string> {
  const real = await onStorage({ operation: 'write', thing: path.join(folder, name) }, () => realpath(folder));
  const target = path.join(real, name);
  if (path.dirname(target) !== real || name === '' || name === '.')
    throw new UserError(t('"{0}" is no name for a file.', name));
  if ([...real.split(path.sep), name].some((part) => refusedFolders.has(part.toLowerCase()))) {
    throw new UserError(
      t(
        'Nothing that a server sent is saved into .git or .vscode: programs do what is written there. Choose another folder.',
      ),
    );
  }
  return target;
}

/**
 * Writes a copy of a resource into a folder, never anywhere else: a link of that name is replaced, not followed. The file
 * cannot be executed, whatever one was there before (security requirement D1).
 * @returns its path. Rejects with UserError when it is not allowed, with HostError `storage-failed` when it does not work.
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
  if (existing && !mayReplace) throw new UserError(t('"{0}" is there already and was not replaced.', target));
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

/** Fails when something of that name has come into being meanwhile, a link as well. */
async function writeNew(file: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(file, 'wx', 0o666);
  try {
    await writeFile(handle, bytes);
  } finally {
    await handle.close();
  }
}

/**
 * A name for a copy of a resource: the last part of its path, made harmless, with its extension or else the one it
 * lacks.
 */
export function copyName(uri: string, extension?: string): string {
  const [path = ''] = uri.split(/[?#]/, 1);
  const last = decoded(path.split('/').findLast((segment) => segment !== '') ?? '');
  const [, stem = last, own] = /^([^]+)\.([A-Za-z0-9]{1,10})$/.exec(last) ?? [];
  const ending = own ?? extension;
  return `${fileNameOf(stem, 'resource')}${ending === undefined || ending === '' ? '' : `.${harmlessExtension(ending)}`}`;
}

/** What is encoded may hold separators; the name is made harmless afterwards. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not encoded, then.
    return text;
  }
}

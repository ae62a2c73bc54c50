import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';

/**
 * Writes a file through a temporary file beside it, so that readers see the previous content or the whole new content.
 * A symbolic link at the path is replaced, and not followed. Rejects with the error of the file system.
 * @param mode permissions of the file, even if it replaces an existing one. Default: read and write for the user, read
 * for others.
 */
export async function replaceFile(file: string, content: string | Uint8Array, mode = 0o644): Promise<void> {
  const draft = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const handle = await open(draft, 'wx', mode);
    try {
      await handle.writeFile(content);
    } finally {
      await handle.close();
    }
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** The files that definitions name are lists of variables, certificates and keys. */
const maxFileBytes = 1024 * 1024;

/**
 * A file that a definition names, as text. A path of a workspace may name a device that never ends, or something far too
 * large: only a file of up to 1 MiB is read. Rejects with an error that has a `code`.
 */
export function readSmallFile(file: string): Promise<string> {
  return readFileUpTo(file, maxFileBytes);
}

/**
 * A file as text, where it is a plain file of at most so many bytes: its size is looked at before it is read. Rejects
 * with an error that has a `code`.
 */
export async function readFileUpTo(file: string, maxBytes: number): Promise<string> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw Object.assign(new Error('It is no file.'), { code: 'ENOTFILE' });
    if (stats.size > maxBytes)
      throw Object.assign(new Error(`It is larger than ${maxBytes / 1024 / 1024} MiB.`), { code: 'EFBIG' });
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

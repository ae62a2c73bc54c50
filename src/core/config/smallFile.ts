import { sizeText } from '../../shared/sizeText.js';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** Size limit of a file that a definition refers to, such as an env file, a certificate or a key, bytes. */
const maxFileBytes = 1024 * 1024;

/**
 * Reads a file that a definition refers to, as text. A workspace may refer to an endless device or a huge file, so only
 * regular files of up to 1 MiB are read. Rejects with an error that has a `code`.
 */
export function readSmallFile(file: string): Promise<string> {
  return readFileUpTo(file, maxFileBytes);
}

/**
 * Reads a regular file of at most `maxBytes` as text; checks its size first. Rejects with an error that has a `code`.
 */
export async function readFileUpTo(file: string, maxBytes: number): Promise<string> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw Object.assign(new Error('It is no file.'), { code: 'ENOTFILE' });
    if (stats.size > maxBytes)
      throw Object.assign(new Error(`It is larger than ${sizeText(maxBytes)}.`), { code: 'EFBIG' });
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

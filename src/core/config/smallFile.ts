import { sizeText } from '../../shared/amountText.js';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** Size limit of a file that a definition refers to, such as an env file, a certificate or a key, bytes. */
const maxFileBytes = 1024 * 1024;
/** Size of the part that is read at once, bytes. */
const chunkBytes = 64 * 1024;

/**
 * Reads a file that a definition refers to, as text. A workspace may refer to an endless device or a huge file, so only
 * regular files of up to 1 MiB are read. Rejects with an error that has a `code`.
 */
export function readSmallFile(file: string): Promise<string> {
  return readFileUpTo(file, maxFileBytes);
}

/** Reads a regular file of at most `maxBytes` as text. Rejects with an error that has a `code`. */
export async function readFileUpTo(file: string, maxBytes: number): Promise<string> {
  return (await readBytesUpTo(file, maxBytes)).toString('utf8');
}

/** Reads a regular file of at most `maxBytes`. Rejects with an error that has a `code`. */
export async function readBytesUpTo(file: string, maxBytes: number): Promise<Buffer> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw Object.assign(new Error('It is not a regular file.'), { code: 'ENOTFILE' });
    const isTooLarge = Object.assign(new Error(`It is larger than ${sizeText(maxBytes)}.`), { code: 'EFBIG' });
    if (stats.size > maxBytes) throw isTooLarge;
    // Files of /proc have the size 0, and a file can grow while it is read. Therefore, the bytes are counted as well.
    const chunks: Buffer[] = [];
    let size = 0;
    for (;;) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes);
      if (bytesRead === 0) return Buffer.concat(chunks);
      size += bytesRead;
      if (size > maxBytes) throw isTooLarge;
      chunks.push(buffer.subarray(0, bytesRead));
    }
  } finally {
    await handle.close();
  }
}

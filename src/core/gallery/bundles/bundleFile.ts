/**
 * Copies the file of a bundle to a private place, from a local file or from the network, and computes its hash while
 * copying.
 */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { bundleError } from './bundleError.js';

/** Maximum size of the file of a bundle, bytes. */
export const maxBundleBytes = 500_000_000;
const chunkBytes = 256 * 1024;

/** Called with the number of bytes so far. */
export type OnBytes = (bytes: number) => void;

/**
 * Writes chunks to a new file. Rejects with BundleError `file-too-large` as soon as there are too many bytes.
 * @returns the SHA-256 of all bytes, lower-case hex.
 */
export async function writeHashed(
  chunks: AsyncIterable<Buffer>,
  target: string,
  label: string,
  onBytes?: OnBytes,
): Promise<string> {
  const hash = createHash('sha256');
  let bytes = 0;
  const handle = await open(target, 'wx', 0o600);
  try {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > maxBundleBytes) throw bundleError(label, 'file-too-large', { limit: maxBundleBytes });
      hash.update(chunk);
      await handle.write(chunk);
      onBytes?.(bytes);
    }
  } finally {
    await handle.close();
  }
  return hash.digest('hex');
}

/** The content of a regular file. Other files, such as devices, have no content. */
export async function* chunksOf(file: string, signal?: AbortSignal): AsyncGenerator<Buffer> {
  const handle = await open(file, 'r');
  try {
    if (!(await handle.stat()).isFile()) return;
    for (;;) {
      signal?.throwIfAborted();
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

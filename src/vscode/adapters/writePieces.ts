import { open } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';

/** Maximum time that creating text may block the event loop of the extension host, in milliseconds. */
const sliceMs = 8;

/**
 * Writes a text file in pieces, so that a large text does not block the extension host.
 * @param mode the permissions of a new file.
 */
export async function writePieces(path: string, pieces: Iterable<string>, mode: number): Promise<void> {
  const file = await open(path, 'w', mode);
  try {
    let began = performance.now();
    for (const piece of pieces) {
      await file.write(piece);
      if (performance.now() - began < sliceMs) continue;
      await setImmediate();
      began = performance.now();
    }
  } finally {
    await file.close();
  }
}

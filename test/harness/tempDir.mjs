/** Temporary folders. They are removed by their owner, or at the latest when this process ends. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { atEnd } from './atEnd.mjs';

/** Creates a folder and returns its real path (VS Code compares paths as text) and `remove()`. */
export function makeTempDir(label) {
  const dir = realpathSync(mkdtempSync(path.join(tmpdir(), `mcp-deck-${label}-`)));
  const removeNow = () => rmSync(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  const forget = atEnd(removeNow);
  return {
    path: dir,
    remove() {
      forget();
      removeNow();
    },
  };
}

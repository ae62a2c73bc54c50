/** Where a server listens without a port: a named pipe on Windows, a Unix socket in a folder of its own elsewhere. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export interface LocalSocket {
  /** What Node's `listen` and `connect` take. */
  path: string;
  /** What a definition has as its `url`; the request path follows after `#`. */
  url: string;
  /** Removes what is left of it on disk. */
  remove(): void;
}

let made = 0;

/** A place that nothing else uses; its name holds a blank, which a URL has to encode. */
export function localSocket(): LocalSocket {
  if (process.platform === 'win32') {
    const name = `mcp deck ${process.pid} ${made++}`;
    return { path: `\\\\.\\pipe\\${name}`, url: `pipe:///${encodeURIComponent(name)}`, remove: () => undefined };
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'deck socket '));
  const file = path.join(folder, 's');
  return {
    path: file,
    url: `unix://${encodeURI(file)}`,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

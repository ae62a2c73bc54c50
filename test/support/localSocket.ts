/** Address for a server without a port: a named pipe on Windows, a Unix socket in a temporary folder elsewhere. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export interface LocalSocket {
  /** The address for Node's `listen` and `connect`. */
  path: string;
  /** The `url` of a server definition; the request path follows after `#`. */
  url: string;
  /** Removes its files from disk. */
  remove(): void;
}

let made = 0;

/** A unique address; its name contains a space, which a URL has to encode. */
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

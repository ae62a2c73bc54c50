import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { readSmallFile } from '../../src/core/config/smallFile.js';
import type { StartContext } from '../../src/core/config/variables.js';

/** The context in which the start of the server `mine` is inspected, with the files of this machine. */
export function inspectionContext(
  userHome: string,
  roots: readonly string[],
  env: Readonly<Record<string, string>>,
): StartContext {
  return {
    serverName: 'mine',
    folders: roots.map((root) => ({ name: path.basename(root), path: root })),
    userHome,
    env,
    getSetting: (key) => (key === 'npx' ? 'npx' : undefined),
    readFile: readSmallFile,
    realPath: (file) => realpath(file).catch(() => file),
    isFolder: (file) =>
      stat(file).then(
        (found) => found.isDirectory(),
        () => false,
      ),
    commandInputs: new Set(['picked']),
    isPortable: false,
  };
}

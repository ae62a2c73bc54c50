import os from 'node:os';
import path from 'node:path';
import type { KnownValues } from '../../core/interchange/notation.js';
import { fileFolders } from '../adapters/workspaceRoots.js';

/** What variables stand for in files that cannot name them. */
export function knownValues(folderPath: string | undefined): KnownValues {
  return { workspaceFolder: folderPath ?? fileFolders()[0]?.path, userHome: os.homedir(), pathSeparator: path.sep };
}

import os from 'node:os';
import path from 'node:path';
import type { KnownValues } from '../../core/interchange/notation.js';
import { withTilde } from '../../core/present/text/fileName.js';
import { fileFolders } from '../adapters/workspaceRoots.js';

/** The path of a file for display, with `~` for the home folder of the user. */
export function withHomeAsTilde(file: string): string {
  return withTilde(file, os.homedir());
}

/** The values of variables, for file formats that do not support those variables. */
export function knownValues(folderPath: string | undefined): KnownValues {
  return { workspaceFolder: folderPath ?? fileFolders()[0]?.path, userHome: os.homedir(), pathSeparator: path.sep };
}

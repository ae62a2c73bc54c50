/** Finds out whether a process ended because the script in its arguments does not exist. */
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { MissingScript } from '../../base/hostErrorData.js';

/** Maximum number of arguments that are checked on the disk. */
const maxArguments = 20;
const scriptEnding = /\.(?:[cm]?[jt]sx?|py|rb|php|jar|sh|ps1|dll)$/i;

/** Whether the argument looks like the file of a script, and not like an option or an address. */
export function isScriptName(argument: string): boolean {
  return !argument.startsWith('-') && scriptEnding.test(argument) && !/^(?:https?|npm|jsr):/.test(argument);
}

/**
 * Finds the argument that names a missing file. The error output must mention this file, either by its full path or, if
 * the argument looks like a script, as the argument is written. Otherwise, the missing file does not explain why the
 * process ended, and the result is undefined.
 */
export function missingScript(
  { args, cwd }: { args: readonly string[]; cwd: string },
  output: readonly string[],
): MissingScript | undefined {
  // Python doubles the backslashes in Windows paths.
  const text = output.join('\n').replaceAll('\\\\', '\\');
  const folders = [cwd, realFolder(cwd)];
  const argument = args
    .slice(0, maxArguments)
    .find(
      (arg) =>
        arg !== '' &&
        !arg.startsWith('-') &&
        (folders.some((folder) => mentions(text, path.resolve(folder, arg))) ||
          (isScriptName(arg) && mentions(text, arg))) &&
        !existsSync(path.resolve(cwd, arg)),
    );
  if (argument === undefined) return undefined;
  const file = path.resolve(cwd, argument);
  const near = nearest(file);
  return {
    file,
    ...(path.isAbsolute(argument) ? {} : { argument, cwd }),
    ...(near === undefined ? {} : { near }),
  };
}

/** An existing file in the same folder whose name differs only in case or in its extension. */
export function nearest(full: string): string | undefined {
  const wanted = path.parse(full);
  try {
    const names = readdirSync(wanted.dir);
    const found =
      names.find((name) => name.toLowerCase() === wanted.base.toLowerCase()) ??
      names.find((name) => path.parse(name).name === wanted.name);
    return found === undefined ? undefined : path.join(wanted.dir, found);
  } catch {
    // The folder does not exist or cannot be read.
    return undefined;
  }
}

/** Whether the text contains the path, other than as the beginning of a longer path. */
function mentions(text: string, file: string): boolean {
  for (let at = text.indexOf(file); at >= 0; at = text.indexOf(file, at + 1))
    if (!/^[\w-]|^[./\\]\w/.test(text.slice(at + file.length, at + file.length + 2))) return true;
  return false;
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

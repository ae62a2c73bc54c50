/** Finds out whether a process ended because the script in its arguments does not exist. */
import { readdirSync, realpathSync, statSync } from 'node:fs';
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
 * The argument of a process that is a missing file, if the error output mentions it: the full path, or the argument as
 * it is written if it looks like a script. Undefined otherwise, because a file that the output does not mention does
 * not explain the end.
 */
export function missingScript(
  { args, cwd }: { args: readonly string[]; cwd: string },
  output: readonly string[],
): MissingScript | undefined {
  // Python writes paths of Windows with two backslashes.
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
        !exists(path.resolve(cwd, arg)),
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
    // The folder does not exist either.
    return undefined;
  }
}

/** Whether the text contains the path, and not only as the beginning of a longer one. */
function mentions(text: string, file: string): boolean {
  for (let at = text.indexOf(file); at >= 0; at = text.indexOf(file, at + 1))
    if (!/^[\w-]|^[./\\]\w/.test(text.slice(at + file.length, at + file.length + 2))) return true;
  return false;
}

function exists(file: string): boolean {
  try {
    statSync(file);
    return true;
  } catch {
    return false;
  }
}

function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

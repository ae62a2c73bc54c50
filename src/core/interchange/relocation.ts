/**
 * Finds fields that change their meaning when a server is moved to another file, because relative paths and
 * `${workspaceFolder}` then refer to another folder.
 */
import path from 'node:path';
import { visibleLine } from '../base/hostileText.js';
import { isObject, isStringArray } from '../base/guards.js';
import { LossList } from './lossList.js';
import type { Loss, Path, PortableServer } from './portableServer.js';
import { mapServerTexts } from './portableServer.js';

/** The folders that the paths of a server are relative to. */
export interface PathBase {
  /** Absolute path of the default working directory, from which relative paths start. Absent if it is not known. */
  base?: string | undefined;
  /** The value of `${workspaceFolder}`. Absent if it is the open folder. */
  workspaceFolder?: string | undefined;
}

/** The differences for one server, by field. For a remote server, only its variables can differ. */
export function placeLosses({ name, fields }: PortableServer, from: PathBase, to: PathBase & { base: string }): Loss[] {
  const losses = new LossList();
  const lose = (field: string, message: string, item: Path = []) => losses.add(name, [field, ...item], message);
  if (typeof fields['command'] === 'string' && from.base !== to.base) {
    const { cwd } = fields;
    const here = visibleLine(to.base, 300);
    const there = visibleLine(from.base ?? '', 300);
    const before = from.base === undefined ? '' : `, and was relative to ${there} before`;
    const begins = `This path is relative to ${here} here${before}.`;
    if (typeof cwd !== 'string' || cwd === '') {
      if (from.base !== undefined)
        lose(
          'cwd',
          `Without "cwd", the server ran in ${there}; here it runs in ${here}. Set "cwd" if it needs the previous folder.`,
        );
    } else if (isRelative(cwd)) lose('cwd', begins);
    // If `cwd` is an absolute path, relative paths keep their meaning.
    if (typeof cwd !== 'string' || isRelative(cwd)) {
      if (/[\\/]/.test(fields['command']) && isRelative(fields['command'])) lose('command', begins);
      const args = isStringArray(fields['args']) ? fields['args'] : [];
      for (const [index, arg] of args.entries()) if (isRelativeFile(arg)) lose('args', begins, [String(index)]);
    }
    const { envFile } = fields;
    if (typeof envFile === 'string' && envFile !== '' && isRelative(envFile)) lose('envFile', begins);
  }
  if (from.workspaceFolder !== to.workspaceFolder) {
    const was = from.workspaceFolder === undefined ? '' : `; it was ${visibleLine(from.workspaceFolder, 300)}`;
    const message = `\${workspaceFolder} is ${to.workspaceFolder === undefined ? 'the folder that is open' : visibleLine(to.workspaceFolder, 300)} here${was}.`;
    for (const field of fieldsWith(fields, /\$\{workspaceFolder(?:Basename)?\}/)) lose(field, message);
  }
  return losses.all();
}

function isRelative(text: string): boolean {
  return (
    !text.startsWith('${') &&
    !/^~(?:[\\/]|$)/.test(text) &&
    !path.posix.isAbsolute(text) &&
    !path.win32.isAbsolute(text) &&
    !/^[A-Za-z]:/.test(text)
  );
}

/**
 * Whether an argument is spelled like a path or a file name. For an option, the part after `=` is checked. Names of
 * packages are not paths.
 */
function isRelativeFile(arg: string): boolean {
  const value = /^--?[\w-]+=(.*)$/s.exec(arg)?.[1] ?? arg;
  if (!isRelative(value) || /^(?:-|@|[a-z][a-z0-9+.-]*:)/i.test(value)) return false;
  return (
    /^\.{1,2}(?:[\\/]|$)/.test(value) ||
    /\.(?:[cm]?[jt]s|py|rb|sh|php|pl|ps1|jar|exe|dll|wasm|json|ya?ml|toml|env|db|sqlite|pem|csproj)$/i.test(value)
  );
}

function fieldsWith(fields: Readonly<Record<string, unknown>>, pattern: RegExp): Set<string> {
  const found = new Set<string>();
  mapServerTexts(isObject(fields) ? fields : {}, (text, [field = '']) => {
    if (pattern.test(text)) found.add(field);
    return text;
  });
  return found;
}

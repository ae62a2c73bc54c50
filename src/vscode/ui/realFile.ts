import { readlink, realpath } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { UserError } from '../../core/base/hostError.js';
import { withHomeAsTilde } from './homeFolder.js';

/** Maximum number of links to missing files that are followed one after the other, as in operating systems. */
const maxLinks = 40;

/**
 * The path of a file without symbolic links, also if the file or its folder does not exist. Rejects if there are too
 * many links.
 */
export async function realFile(file: string, links = maxLinks): Promise<string> {
  const whole = path.resolve(file);
  const real = await realpath(whole).catch(() => undefined);
  if (real !== undefined) return real;
  const folder = path.dirname(whole);
  if (folder === whole) return whole;
  const place = path.join(await realFile(folder, links), path.basename(whole));
  // `realpath` fails for a link to a file that does not exist.
  const target = await readlink(place).catch(() => undefined);
  if (target === undefined) return place;
  if (links === 0)
    throw new UserError(vscode.l10n.t('{0} leads through too many links. Select another file.', withHomeAsTilde(file)));
  return realFile(path.resolve(path.dirname(place), target), links - 1);
}

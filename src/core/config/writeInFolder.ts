import { lstat, realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { t } from '@vscode/l10n';
import { isWithin } from '../base/folderPath.js';
import { UserError } from '../base/hostError.js';
import { replaceFile } from '../base/replaceFile.js';

/**
 * Writes a text file. Readers see the previous text or the whole new one. A repository can contain a link at the path
 * of the file, so nothing is written through a link inside of `folder`, or through a folder that leads out of it.
 * @param file an absolute path. Its folder must exist.
 * @param folder the folder of the repository. Outside of it, links are followed.
 * @throws UserError for a link; otherwise an error with a `code`.
 */
export async function writeInFolder(file: string, text: string, folder: string): Promise<void> {
  const stats = await lstat(file).catch(() => undefined);
  if (isWithin(file, folder)) {
    const [parent, root] = await Promise.all([realpath(path.dirname(file)), realpath(folder)]);
    if (stats?.isSymbolicLink() === true || !isWithin(parent, root))
      throw new UserError(
        t('{0} was not written, because it is a link or is in a linked folder. Remove the link.', file),
      );
  }
  // Devices and pipes, such as /dev/null, cannot be replaced.
  if (stats && !stats.isFile()) return writeFile(file, text);
  await replaceFile(file, text);
}

import { closeSync, constants, existsSync, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import os from 'node:os';
import { t } from '@vscode/l10n';
import { isWithin } from '../base/folderPath.js';
import { UserError } from '../base/hostError.js';
import { visibleLine } from '../base/hostileText.js';

/** Maximum size of a file that an expectation is about, in bytes. */
const maxBytes = 10_000_000;

/**
 * Reads a regular file of at most 10 MB. Test files come from repositories, so a path can name a device whose content
 * never ends.
 * @throws an error with a `code`, or UserError.
 */
export function readTestedFile(file: string): string {
  const handle = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(handle);
    if (!stats.isFile() || stats.size > maxBytes)
      throw new UserError(t('It is not a file, or it is larger than 10 MB.'));
    // One more byte than allowed, because files of /proc have the size 0 and a file can grow.
    const buffer = Buffer.alloc(Math.min(maxBytes, Math.max(stats.size, 65_536)) + 1);
    let size = 0;
    for (;;) {
      const read = readSync(handle, buffer, size, buffer.length - size, size);
      size += read;
      if (read === 0) return buffer.toString('utf8', 0, size);
      if (size === buffer.length) throw new UserError(t('It is not a file, or it is larger than 10 MB.'));
    }
  } finally {
    closeSync(handle);
  }
}

/**
 * The files that expectations of mcp-assert can be about. A failure shows the content of a file, so no other files are
 * read.
 */
export class TestedFiles {
  private readonly roots: readonly string[];

  /** @param folders the folders of the files, such as the fixture. The folder for temporary files is always one. */
  constructor(folders: readonly string[]) {
    this.roots = [...folders, os.tmpdir()].map((folder) => realOf(folder));
  }

  exists(file: string): boolean {
    return existsSync(file);
  }

  /** The text of a file. @throws an error with a `code`; UserError for a file outside of the folders. */
  read(file: string): string {
    const real = realpathSync(file);
    if (!this.roots.some((root) => isWithin(real, root)))
      throw new UserError(t('{0} is outside of the folders of the test.', visibleLine(file)));
    return readTestedFile(real);
  }

  /** The text of a file; undefined if it cannot be read. */
  text(file: string): string | undefined {
    try {
      return this.read(file);
    } catch {
      // A missing file differs from every text.
      return undefined;
    }
  }
}

function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

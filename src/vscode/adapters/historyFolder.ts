import { mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { HistoryFiles } from '../../core/runs/runHistory.js';
import { writePieces } from './writePieces.js';

const indexName = 'history.json';
const textEnding = '.txt';

/**
 * Stores the history as an index and a folder of texts in the extension's storage folder for this workspace. Only the
 * user can read the files.
 */
export class HistoryFolder implements HistoryFiles {
  private readonly textFolder: string;
  private ready: Promise<unknown> | undefined;

  /** @param folder The storage folder. It does not need to exist. */
  constructor(private readonly folder: string) {
    this.textFolder = path.join(folder, 'runs');
  }

  readIndex(): Promise<string | undefined> {
    return readIfThere(path.join(this.folder, indexName));
  }

  async writeIndex(text: string): Promise<void> {
    await this.prepare();
    const file = path.join(this.folder, indexName);
    await writeFile(`${file}.new`, text, { mode: 0o600 });
    await rename(`${file}.new`, file);
  }

  async setIndexAside(): Promise<string> {
    const name = `history.broken-${Date.now()}.json`;
    await rename(path.join(this.folder, indexName), path.join(this.folder, name));
    return name;
  }

  async writeText(id: string, pieces: Iterable<string>): Promise<void> {
    await this.prepare();
    await writePieces(this.pathOf(id), pieces, 0o600);
  }

  readText(id: string): Promise<string | undefined> {
    return readIfThere(this.pathOf(id));
  }

  async deleteText(id: string): Promise<void> {
    await rm(this.pathOf(id), { force: true });
  }

  async texts(): Promise<string[]> {
    try {
      return (await readdir(this.textFolder))
        .filter((name) => name.endsWith(textEnding))
        .map((name) => name.slice(0, -textEnding.length));
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  private pathOf(id: string): string {
    return path.join(this.textFolder, id + textEnding);
  }

  private async prepare(): Promise<void> {
    // The promise is cleared after each creation, so that the next call creates the folder again if it was removed.
    this.ready ??= mkdir(this.textFolder, { recursive: true }).finally(() => (this.ready = undefined));
    await this.ready;
  }
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

import { appendFile, mkdir, open, readFile, rename, stat, truncate } from 'node:fs/promises';
import path from 'node:path';
import type { AuditFile } from '../../core/consent/auditLog.js';

const names = { current: 'audit.jsonl', older: 'audit.1.jsonl' } as const;

/**
 * Stores the audit log in two files, the current one and the previous one, in the extension's storage folder for this
 * workspace. Only the user can read the files.
 */
export class AuditFolder implements AuditFile {
  private isWhole = false;

  constructor(private readonly folder: string) {}

  /** Path of the current file. */
  get file(): string {
    return path.join(this.folder, names.current);
  }

  async append(text: string): Promise<number> {
    await mkdir(this.folder, { recursive: true });
    // A window that was killed while writing may have left an incomplete line, so a new line is started after it.
    const start = this.isWhole || (await endsWithLine(this.file)) ? '' : '\n';
    this.isWhole = true;
    const before = await sizeOf(this.file);
    try {
      await appendFile(this.file, start + text, { mode: 0o600 });
    } catch (error) {
      // A full disk may accept only a part of the text. That part is removed, because the whole text is written again
      // later.
      this.isWhole = await truncate(this.file, before).then(
        () => start === '',
        () => false,
      );
      throw error;
    }
    return (await stat(this.file)).size;
  }

  async rotate(): Promise<void> {
    await rename(this.file, path.join(this.folder, names.older));
  }

  /** Returns the content of both files, with the oldest line first. */
  async read(): Promise<string> {
    const texts = await Promise.all(
      [names.older, names.current].map((name) => readFile(path.join(this.folder, name), 'utf8').catch(() => '')),
    );
    return texts.join('');
  }
}

/** The size of a file, in bytes; 0 if the file does not exist. */
async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}

/** Whether a file ends with a complete line. Also true if the file does not exist. */
async function endsWithLine(file: string): Promise<boolean> {
  const handle = await open(file).catch(() => undefined);
  if (!handle) return true;
  try {
    const { size } = await handle.stat();
    return size === 0 || (await handle.read(Buffer.alloc(1), 0, 1, size - 1)).buffer[0] === 10;
  } finally {
    await handle.close();
  }
}

import { watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ParseError } from 'jsonc-parser';
import { parse } from 'jsonc-parser';
import type { Disposable } from '../core/base/disposable.js';
import { Emitter } from '../core/base/event.js';
import { isObject } from '../core/base/guards.js';

/** Editors write a file in several steps, so it is read this long after the last change, in milliseconds. */
const settleMs = 100;

/** The configuration file of a program, which can change while the program runs. */
export class ConfigurationFile implements Disposable {
  private readonly changed = new Emitter<void>();
  readonly onDidChange = this.changed.event;
  private watcher: Disposable | undefined;
  private written: unknown;
  /** Whether the file could be read once. */
  private isRead = false;

  constructor(readonly file: string) {}

  /** The list of rules in the file as it was last read; undefined if there is none. */
  get rules(): unknown {
    return this.written;
  }

  async read(): Promise<string> {
    const text = await readFile(this.file, 'utf8');
    const errors: ParseError[] = [];
    const value: unknown = parse(text, errors, { allowTrailingComma: true });
    // The rules of a broken file are unknown. The previous ones stay in use; without these, the value is invalid.
    if (errors.length === 0) this.written = isObject(value) ? value['rules'] : undefined;
    else if (!this.isRead) this.written = 'broken';
    this.isRead ||= errors.length === 0;
    return text;
  }

  /** Begins to report changes. The folder is watched, because editors replace the file. */
  watch(): void {
    let timer: NodeJS.Timeout | undefined;
    const watcher = watch(path.dirname(this.file), { persistent: false }, (_kind, name) => {
      if (name !== null && name !== path.basename(this.file)) return;
      clearTimeout(timer);
      timer = setTimeout(() => this.changed.fire(), settleMs);
    });
    watcher.on('error', () => watcher.close());
    this.watcher = {
      dispose: () => {
        clearTimeout(timer);
        watcher.close();
      },
    };
  }

  dispose(): void {
    this.watcher?.dispose();
    this.changed.dispose();
  }
}

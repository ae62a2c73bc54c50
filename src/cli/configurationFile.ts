import { watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ParseError } from 'jsonc-parser';
import { parse } from 'jsonc-parser';
import type { Disposable } from '../core/base/disposable.js';
import { Emitter } from '../core/base/event.js';
import { isObject } from '../core/base/guards.js';

/** Delay between the last change of the file and the event, ms. Editors write a file in several steps. */
const settleMs = 100;

/** The configuration file of a program, which can change while the program runs. */
export class ConfigurationFile implements Disposable {
  private readonly changed = new Emitter<void>();
  readonly onDidChange = this.changed.event;
  private watcher: Disposable | undefined;
  private written: unknown;
  /** Whether the file has been parsed without an error at least once. */
  private isRead = false;

  constructor(readonly file: string) {}

  /** The value of `rules` when the file was last read; undefined if the file has no rules. */
  get rules(): unknown {
    return this.written;
  }

  async read(): Promise<string> {
    const text = await readFile(this.file, 'utf8');
    const errors: ParseError[] = [];
    const value: unknown = parse(text, errors, { allowTrailingComma: true });
    // A syntax error makes the rules unknown. The rules of the previous read apply; without a previous read, the
    // invalid value denies every call.
    if (errors.length === 0) this.written = isObject(value) ? value['rules'] : undefined;
    else if (!this.isRead) this.written = 'broken';
    this.isRead ||= errors.length === 0;
    return text;
  }

  /** Starts to watch the file. Watches its folder, because editors replace the file instead of writing to it. */
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
